"""Try a prompt: the text that an agent would get, the hits, and the reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import ui

from ....model.memory import LIVE
from ....model.scope import Context, Scope
from ....model.value import Value
from ....ports.search_index import Where
from ..components import (
    block,
    button,
    empty_state,
    heading,
    memory_link,
    plural,
    section,
    text_label,
)
from ..frame import Frame, frame
from ..markdown import reveal_hidden

if TYPE_CHECKING:
    from ....book import Commonplace
    from ....model.memory import Hit
    from ....rules.handed_over.digest import Digest

STRATEGIES = ("learned", "measured", "composite", "rrf", "semantic")
MOST = 15
WEAK = "much weaker than the best hit"


class TrialResult(Value):
    """The hits and the injected text of one ranking."""

    strategy: str
    hits: tuple[Hit, ...]
    digest: Digest


@ui.page("/lab")
async def try_recall(q: str = "") -> None:
    """The page on which people try prompts."""
    with frame("Recall", "/lab") as around:
        heading("Try a recall", "The text that an agent would get for a prompt. Nothing is logged.")
        page = _TryPage(around, q)
        if q:
            await page.run()
        around.live(page.again)


def try_prompt(book: Commonplace, prompt: str, scope: str, strategy: str) -> TrialResult:
    """Rank and inject with a strategy, without logging the question."""
    if scope.strip() and book.context.role == "owner":
        book = book.as_context(Context.of(dict(Scope.parse(scope).pairs)))
    book = book.rehearsed(strategy=strategy)
    hits = book.browse(prompt, where=Where(statuses=LIVE), limit=MOST)
    return TrialResult(strategy, tuple(hits), book.digest(prompt))


class _TryPage:
    def __init__(self, around: Frame, prompt: str) -> None:
        self._frame = around
        self._shown: list[TrialResult] | None = None
        self._prompt = ui.textarea("Prompt", value=prompt)
        self._prompt.props("outlined autogrow autofocus").classes("cp-wide")
        with block("cp-tools").style("margin-top: .8rem"):
            self._scope = ui.input("Scope", placeholder="/project/mech-fighters")
            self._scope.props("outlined dense")
            self._first = self._choice("Ranking", [*STRATEGIES])
            self._second = self._choice("Compare with", ["nothing", *STRATEGIES])
            button("Run", self.run, look="strong")
        self._results = block()
        with self._results:
            empty_state(
                "Enter a prompt.",
                "The text that an agent would get appears here, with the reasons.",
            )

    def _choice(self, label: str, options: list[str]) -> ui.select:
        select = ui.select(options, value=options[0], label=label)
        return select.props("outlined dense options-dense").style("min-width: 9rem")

    async def again(self) -> None:
        """Run the same prompt again after the book has changed."""
        if self._shown is not None:
            await self.run()

    async def run(self) -> None:
        """Run the prompt with one or two rankings."""
        prompt, scope = self._prompt.value or "", self._scope.value or ""
        chosen = [one for one in (self._first.value, self._second.value) if one != "nothing"]
        results = await self._frame.session.attempt(
            lambda book: [try_prompt(book, prompt, scope, str(one)) for one in chosen]
        )
        if results is None:
            # The answer to an earlier question must not stand below the error.
            self._shown = None
            self._results.clear()
            return
        if results == self._shown:
            return  # A redraw would disturb a person who is about to click.
        self._shown = results
        self._results.clear()
        with self._results, block("cp-two" if len(results) > 1 else ""):
            for one in results:
                with block("cp-result"):
                    _draw(one)


def _draw(one: TrialResult) -> None:
    digest = one.digest
    with section(f"Injected text, ranked by “{one.strategy}”"):
        text_label(
            f"{plural(len(digest.items), 'memory')} · {digest.tokens:,} tokens"
            f" · {digest.characters:,} characters",
            "cp-quiet cp-small",
        )
        shown = reveal_hidden(digest.text) if digest.text else "Nothing would be injected."
        text_label(shown, "cp-verbatim cp-card cp-injected")
    with section("Hits and their scores"), block("cp-list"):
        inside = set(digest.ids)
        for place, hit in enumerate(one.hits, 1):
            _hit(place, hit, hit.memory.id in inside)
        if not one.hits:
            text_label("No memory matches this prompt.", "cp-quiet")
    _left_out(one)


def _hit(place: int, hit: Hit, injected: bool) -> None:
    with block("cp-item"):
        text_label(str(place), "cp-quiet")
        with block():
            memory_link(hit.memory, "cp-name")
            for why in hit.why:
                text_label(f"{why.part} {why.share:.2f}: {why.words}", "cp-why")
        with block("cp-facts"):
            text_label(f"score {hit.score:.3f}")
            text_label("injected" if injected else "not injected")


def _left_out(one: TrialResult) -> None:
    reasons = {left.id: left.why for left in one.digest.left_out}
    inside = set(one.digest.ids)
    missing = {hit.memory.id: hit.memory for hit in one.hits if hit.memory.id not in inside}
    with section("Left out, with the reason"), block("cp-list"):
        for id, memory in missing.items():
            with block("cp-row"):
                memory_link(memory)
                text_label(reasons.pop(id, WEAK), "cp-quiet cp-small")
        for id, why in reasons.items():
            text_label(f"{id}: {why}", "cp-quiet cp-small")
        if not missing and not reasons:
            text_label("No hit was left out.", "cp-quiet")
