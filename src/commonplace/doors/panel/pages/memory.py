"""One memory: what it says, how it came to say so, what it is tied to and where it was used."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from nicegui import ui

from ....model.errors import CommonplaceError
from ....model.memory import LIVE
from ....model.value import Value
from ....rules.audit import UNDOABLE
from ....rules.ranking import reasons
from .. import components
from ..components import (
    block,
    button,
    chips,
    differences,
    empty,
    heading,
    link,
    link_to,
    pairs,
    section,
    text_of,
    words,
)
from ..edit_dialogs import Changing
from ..frame import Frame, frame

if TYPE_CHECKING:
    from ....book import Commonplace
    from ....model.memory import Memory, Retrieval, Use
    from ....model.results import Links
    from ....verbs.history import History

MOST_RECALLS = 500


class Portrait(Value):
    """Everything that is known of a memory."""

    memory: Memory
    history: History
    links: Links
    use: Use | None
    recalls: tuple[Retrieval, ...]
    near: dict[str, Memory]
    """Memories that it is tied to, by id."""


@ui.page("/memory/{id}")
async def memory(id: str) -> None:
    """The page of one memory."""
    with frame("Memory", "") as around:
        page = _MemoryPage(around, id)
        await page.refresh()
        around.live(page.refresh)


def portrait(book: Commonplace, id: str) -> Portrait:
    """Ask the book everything about one memory."""
    memory = book.get(id)
    links = book.links(memory.id)
    tied = [one.resolved for one in links.outgoing if one.resolved]
    tied += [one.source for one in links.incoming]
    tied += [one for one in (memory.supersedes, memory.superseded_by) if one]
    near: dict[str, Memory] = {}
    for one in dict.fromkeys((*tied, *memory.derived_from)):
        try:
            near[one] = book.get(one)
        except CommonplaceError:
            continue  # Purged, or not for this person to see.
    recalls = [
        one
        for one in book.retrievals(limit=MOST_RECALLS)
        if any(found == memory.id for found, _ in one.results)
    ]
    return Portrait(
        memory,
        book.history(memory.id),
        links,
        book.uses([memory.id]).get(memory.id),
        tuple(recalls[:20]),
        near,
    )


class _MemoryPage:
    def __init__(self, around: Frame, id: str) -> None:
        self._frame = around
        self._id = id
        self._changing = Changing(around, self._newest)
        self._whole = block()
        self._shown: Portrait | None = None

    async def _newest(self) -> None:
        """After an edit the page shows what took the memory's place."""
        try:
            history = await self._frame.visit.ask(lambda book: book.history(self._id))
        except CommonplaceError:
            history = None
        if history is not None:
            live = [one for one in history.versions if one.status in LIVE]
            newest = (live or list(history.versions))[-1].id
            if newest != self._id:
                self._id = newest
                ui.navigate.history.replace(f"/memory/{newest}")
        await self.refresh()

    async def refresh(self) -> None:
        """Show the memory as it is now."""
        try:
            known = await self._frame.visit.ask(lambda book: portrait(book, self._id))
        except CommonplaceError as error:
            self._shown = None
            self._whole.clear()
            with self._whole:
                empty("This memory cannot be shown.", error.sentence, "It may have been purged.")
                link("Back to all memories", "/", "cp-link")
            return
        if known == self._shown:
            return  # Drawing it again would take it from under a person's finger.
        self._shown = known
        self._whole.clear()
        with self._whole:
            self._draw(known)

    def _draw(self, known: Portrait) -> None:
        memory = known.memory
        heading(components.name(memory, 90))
        chips(memory)
        self._buttons(memory)
        with block("cp-card"):
            text_of(memory)
        with block("cp-two"):
            _about(known)
            _tied(known)
        _versions(known.history)
        _recalls(known)
        self._trail(known.history)

    def _buttons(self, memory: Memory) -> None:
        do = self._changing
        with block("cp-tools").style("margin-top: 1rem"):
            if memory.status in LIVE:
                button("Edit", lambda: do.edit(memory), look="strong")
                button("Correct", lambda: do.correct(memory))
                button("Forget", lambda: do.forget([memory]))
            elif memory.status != "staged":
                button("Restore", lambda: do.restore([memory]), look="strong")
            button("Graph", lambda: ui.navigate.to(f"/graph?around={memory.id}"))
            button("Purge…", lambda: do.purge([memory]), look="danger")

    def _trail(self, history: History) -> None:
        with section("Audit trail"), block("cp-list"):
            for event in history.events:
                with block("cp-item"):
                    words(components.when(event.at), "cp-quiet cp-small")
                    by = f"by {event.by}" + (", on its own" if event.automatic else "")
                    words(f"{event.action} {by}")
                    if event.action in UNDOABLE:
                        button("Undo", partial(self._undo, event.id), look="small")

    async def _undo(self, event: str) -> None:
        if await self._frame.visit.attempt(lambda book: book.revert(event)) is not None:
            await self._changing.done("Undone.")


def _about(known: Portrait) -> None:
    memory, use = known.memory, known.use
    rows = [
        ("Owner", memory.owner),
        ("Trust", f"{memory.trust}, through {memory.source}"),
        ("Confidence", f"{memory.confidence:.0%}"),
        ("Loaded", "always" if memory.always_load else f"tier {memory.tier}"),
        (
            "Recalled",
            f"{use.count if use else 0} times, last {components.ago(use.last if use else None)}",
        ),
        ("Learned", components.when(memory.created)),
        ("Changed", components.when(memory.updated)),
        ("Version", str(memory.version)),
        ("Id", memory.id),
    ]
    if memory.key:
        rows.insert(0, ("Key", memory.key))
    with section("About"):
        pairs(rows)


def _tied(known: Portrait) -> None:
    memory, near = known.memory, known.near
    ties = [("Replaces", memory.supersedes), ("Replaced by", memory.superseded_by)]
    ties += [("Derived from", id) for id in memory.derived_from]
    ties += [("Links to", one.resolved or one.target) for one in known.links.outgoing]
    ties += [("Linked from", one.source) for one in known.links.incoming]
    with section("Tied to"):
        named = [(word, id) for word, id in ties if id]
        if not named:
            words("Nothing yet. Write [[the name of another memory]] to link it.", "cp-quiet")
        for word, id in named:
            with block("cp-row"):
                words(word, "cp-quiet cp-small")
                if id in near:
                    link_to(near[id])
                else:
                    words(components.line(id, 80), "cp-quiet")


def _versions(history: History) -> None:
    versions = history.versions
    if len(versions) < 2:
        return
    with section("Versions"), block("cp-stack"):
        for old, new in reversed(list(pairwise(versions))):
            with block("cp-card"):
                words(
                    f"Version {new.version}, {components.when(new.created)}, through {new.source}",
                    "cp-quiet cp-small",
                )
                for kind, text in differences(old.content, new.content):
                    words(components.visible(text[:20_000]), f"cp-diff cp-{kind}")


def _recalls(known: Portrait) -> None:
    """What it was found for: on request, and for an agent's prompt that did not ask for it."""
    recalled = [one for one in known.recalls if not reasons.was_handed(one)]
    injected = [one for one in known.recalls if reasons.was_handed(one)]
    with block("cp-two"):
        with section("Where it was recalled"), block("cp-list cp-recalled"):
            for one in recalled:
                _question(known.memory, one)
            if not recalled:
                words("No logged question was answered with it yet.", "cp-quiet")
        with section("Where it was injected"), block("cp-list cp-injections"):
            if known.memory.always_load or known.memory.tier in ("identity", "critical"):
                words("At the beginning of every session in its scope.", "cp-quiet")
            for one in injected:
                _question(known.memory, one)
            if not injected:
                words("No logged prompt was given it yet.", "cp-quiet")


def _question(memory: Memory, one: Retrieval) -> None:
    place = [id for id, _ in one.results].index(memory.id)
    with block("cp-item cp-question"):
        with block():
            words(components.line(one.query, 200))
            words(components.when(one.at), "cp-quiet cp-small")
        with block("cp-facts"):
            words(f"place {place + 1}, score {one.results[place][1]:.2f}")
            if reasons.was_handed(one):
                words("injected" if memory.id in reasons.handed(one) else "found, but left out")
