"""Inbox: what waits for a person's word, and what changed in curated space, each with its undo."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from nicegui import ui

from ....model.memory import LIVE
from ....ports.search_index import Where
from .. import components
from ..components import block, button, chips, empty, heading, link_to, section, text_of, words
from ..edit_dialogs import Changing
from ..frame import Frame, frame

if TYPE_CHECKING:
    from collections.abc import Callable

    from ....book import Commonplace
    from ....model.memory import Memory
    from ....verbs.inbox import Decided, Waiting
    from ....verbs.undo import CuratedChange

MOST = 50
DAYS = 7
SAID = {
    "remember": "Remember this?",
    "archive": "Archive what these say?",
    "merge": "Make these one?",
    "contradiction": "These cannot both be true. Which one holds?",
    "supersede": "Does the newer one replace the older?",
    "promote": "Let this hold more widely?",
    "pattern": "Is this what these have in common?",
    "confirm": "Is this still true?",
}


@ui.page("/inbox")
async def inbox() -> None:
    """What needs a decision."""
    with frame("Inbox", "/inbox") as around:
        heading("Inbox", "What waits for your word, and what changed without it.")
        page = _Inbox(around)
        await page.refresh()
        around.live(page.refresh)


class _Inbox:
    def __init__(self, around: Frame) -> None:
        self._frame = around
        self._changing = Changing(around, self.refresh)
        self._shown: tuple[list[tuple[Waiting, Memory | None]], list[CuratedChange]] | None = None
        self._waiting = block("cp-stack")
        with section(f"Changed in curated space, the last {DAYS} days"):
            self._changes = block("cp-list")

    async def refresh(self) -> None:
        """Show what waits now."""
        since = datetime.now(UTC) - timedelta(days=DAYS)
        found = await self._frame.visit.attempt(
            lambda book: (
                [(one, _held(book, one.memory)) for one in book.inbox(limit=MOST)],
                book.changes(since, limit=MOST),
            )
        )
        if found is None or found == self._shown:
            return  # Drawing the same again would take it from under a person's finger.
        self._shown = found
        waiting, changes = found
        self._waiting.clear()
        with self._waiting:
            for one, held in waiting:
                self._card(one, held)
            if not waiting:
                empty(
                    "Nothing waits for you.",
                    "When two memories contradict each other, or an agent wants to change what you"
                    " curate, it asks here.",
                )
        self._changes.clear()
        with self._changes:
            for change in changes:
                self._change(change)
            if not changes:
                words("Nothing changed there.", "cp-quiet")

    def _card(self, one: Waiting, held: Memory | None) -> None:
        memory = one.memory
        with block("cp-card cp-stack cp-waiting"):
            words(SAID.get(one.action, one.action.capitalize()), "cp-empty-title")
            text_of(memory)
            if held is not None:
                with block("cp-alert cp-held"):
                    words("It would replace what holds now:", "cp-quiet cp-small")
                    link_to(held)
                    chips(held)
            for about in one.about:
                with block("cp-alert"):
                    link_to(about)
                    chips(about)
                    if one.action == "contradiction":
                        button("This one holds", partial(self._decide, _keeping(memory, about)))
            with block("cp-row"):
                if one.action != "contradiction":
                    accept = partial(self._decide, _accepting(memory))
                    button("Accept", accept, look="strong")
                button("Reject", partial(self._decide, _rejecting(memory)))
                if one.action == "remember":
                    button("Edit", partial(self._changing.edit, memory))

    async def _decide(self, decide: Callable[[Commonplace], Decided]) -> None:
        decided = await self._frame.visit.attempt(decide)
        if decided is not None:
            said = "Accepted." if decided.accepted else "Rejected."
            await self._changing.done(said, [decided.memory.id])

    def _change(self, change: CuratedChange) -> None:
        event = change.event
        with block("cp-item"):
            words(components.when(event.at), "cp-quiet cp-small")
            with block():
                words(f"{event.action} by {event.by}" + (", on its own" * event.automatic))
                if change.memory is not None:
                    link_to(change.memory)
            if change.revert:
                button("Undo", partial(self._revert, event.id), look="small")

    async def _revert(self, event: str) -> None:
        if await self._frame.visit.attempt(lambda book: book.revert(event)) is not None:
            await self._changing.done("Undone.")


def _held(book: Commonplace, memory: Memory) -> Memory | None:
    """What the key of a fact that waits says now, where the fact would hold."""
    if memory.key is None:
        return None
    where = Where(key=memory.key, scopes=(str(memory.scope),), statuses=LIVE)
    hits = book.browse(where=where, limit=10)
    return next((hit.memory for hit in hits if hit.memory.namespace == memory.namespace), None)


def _accepting(memory: Memory) -> Callable[[Commonplace], Decided]:
    return lambda book: book.accept(memory.id)


def _keeping(memory: Memory, kept: Memory) -> Callable[[Commonplace], Decided]:
    return lambda book: book.accept(memory.id, keep=kept.id)


def _rejecting(memory: Memory) -> Callable[[Commonplace], Decided]:
    return lambda book: book.reject(memory.id)
