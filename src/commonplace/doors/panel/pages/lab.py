"""Recall lab: what an agent would be handed for a prompt, why, and what was left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import ui

from ....model.memory import LIVE
from ....model.scope import Context, Scope
from ....model.value import Value
from ....ports.search_index import Where
from .. import components
from ..components import block, button, empty, heading, link_to, section, words
from ..frame import Frame, frame

if TYPE_CHECKING:
    from ....book import Commonplace
    from ....model.memory import Hit
    from ....rules.digest import Digest

STRATEGIES = ("measured", "composite", "rrf", "semantic")
MOST = 15
WEAK = "answers much less well than the best"


class Tried(Value):
    """What one way of ranking would hand over."""

    strategy: str
    hits: tuple[Hit, ...]
    digest: Digest


@ui.page("/lab")
async def lab(q: str = "") -> None:
    """The page to try prompts on."""
    with frame("Recall lab", "/lab") as around:
        heading(
            "Recall lab", "What an agent would be handed for a prompt. Trying it leaves no trace."
        )
        page = _Lab(around, q)
        if q:
            await page.run()
        around.live(page.again)


def tried(book: Commonplace, prompt: str, scope: str, strategy: str) -> Tried:
    """Rank and hand over as that strategy would."""
    if scope.strip() and book.context.role == "owner":
        book = book.as_context(Context.of(dict(Scope.parse(scope).pairs)))
    book = book.rehearsed(strategy=strategy)
    hits = book.browse(prompt, where=Where(statuses=LIVE), limit=MOST)
    return Tried(strategy, tuple(hits), book.digest(prompt))


class _Lab:
    def __init__(self, around: Frame, prompt: str) -> None:
        self._frame = around
        self._shown: list[Tried] | None = None
        self._prompt = ui.textarea("Prompt", value=prompt)
        self._prompt.props("outlined autogrow autofocus").classes("cp-wide")
        with block("cp-tools").style("margin-top: .8rem"):
            self._scope = ui.input("Asked from", placeholder="/project/mech-fighters")
            self._scope.props("outlined dense")
            self._first = self._choice("Ranking", [*STRATEGIES])
            self._second = self._choice("Beside it", ["nothing", *STRATEGIES])
            button("Try it", self.run, look="strong")
        self._results = block()
        with self._results:
            empty(
                "Type what an agent might be asked.",
                "You see what it would be handed, word for word, and why.",
            )

    def _choice(self, label: str, options: list[str]) -> ui.select:
        select = ui.select(options, value=options[0], label=label)
        return select.props("outlined dense options-dense").style("min-width: 9rem")

    async def again(self) -> None:
        """Try what was tried once more, now that the book says something else."""
        if self._shown is not None:
            await self.run()

    async def run(self) -> None:
        """Try the prompt, with one ranking or with two."""
        prompt, scope = self._prompt.value or "", self._scope.value or ""
        chosen = [one for one in (self._first.value, self._second.value) if one != "nothing"]
        results = await self._frame.visit.attempt(
            lambda book: [tried(book, prompt, scope, str(one)) for one in chosen]
        )
        if results is None or results == self._shown:
            return  # Drawing the same again would take it from under a person's finger.
        self._shown = results
        self._results.clear()
        with self._results, block("cp-two" if len(results) > 1 else ""):
            for one in results:
                with block("cp-result"):
                    _draw(one)


def _draw(one: Tried) -> None:
    digest = one.digest
    with section(f"Handed over, ranked by “{one.strategy}”"):
        words(
            f"{len(digest.items)} memories · {digest.tokens:,} tokens"
            f" · {digest.characters:,} characters",
            "cp-quiet cp-small",
        )
        shown = components.visible(digest.text) if digest.text else "Nothing would be handed over."
        words(shown, "cp-verbatim cp-card cp-injected")
    with section("What was found, and why"), block("cp-list"):
        inside = set(digest.ids)
        for place, hit in enumerate(one.hits, 1):
            _hit(place, hit, hit.memory.id in inside)
        if not one.hits:
            words("No memory fits this prompt.", "cp-quiet")
    _left_out(one)


def _hit(place: int, hit: Hit, handed: bool) -> None:
    with block("cp-item"):
        words(str(place), "cp-quiet")
        with block():
            link_to(hit.memory, "cp-name")
            for why in hit.why:
                words(f"{why.part} {why.share:.2f}: {why.words}", "cp-why")
        with block("cp-facts"):
            words(f"score {hit.score:.3f}")
            words("handed over" if handed else "not handed over")


def _left_out(one: Tried) -> None:
    reasons = {left.id: left.why for left in one.digest.left_out}
    inside = set(one.digest.ids)
    missing = {hit.memory.id: hit.memory for hit in one.hits if hit.memory.id not in inside}
    with section("Left out, and why"), block("cp-list"):
        for id, memory in missing.items():
            with block("cp-row"):
                link_to(memory)
                words(reasons.pop(id, WEAK), "cp-quiet cp-small")
        for id, why in reasons.items():
            words(f"{id}: {why}", "cp-quiet cp-small")
        if not missing and not reasons:
            words("Nothing that fits was left out.", "cp-quiet")
