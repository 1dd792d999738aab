"""Inbox: pending decisions, and changes to curated memories with their undo."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from nicegui import ui

from ....model.memory import LIVE
from ....ports.search_index import Where
from .. import components
from ..components import (
    block,
    button,
    chips,
    empty_state,
    heading,
    memory_link,
    memory_text,
    section,
    text_label,
)
from ..edit_dialogs import MemoryActions
from ..frame import Frame, frame

if TYPE_CHECKING:
    from ....book import Commonplace
    from ....model.memory import Memory
    from ....verbs.history import CuratedChange
    from ....verbs.inbox import InboxEntry

MOST = 50
DAYS = 7
QUESTIONS = {
    "remember": "Save this memory?",
    "archive": "Archive these memories?",
    "merge": "Merge these memories?",
    "contradiction": "These cannot both be true. Which one is right?",
    "supersede": "Does the newer one replace the older?",
    "promote": "Move this to a wider scope?",
    "pattern": "Is this the common pattern of these memories?",
    "confirm": "Is this right?",
}


@ui.page("/inbox")
async def inbox() -> None:
    """The inbox page."""
    with frame("Inbox", "/inbox") as around:
        heading("Inbox", "Pending decisions and automatic changes.")
        page = _Inbox(around)
        await page.refresh()
        around.live(page.refresh)


class _Inbox:
    def __init__(self, around: Frame) -> None:
        self._frame = around
        self._actions = MemoryActions(around, self.refresh)
        self._shown: tuple[list[tuple[InboxEntry, Memory | None]], list[CuratedChange]] | None = (
            None
        )
        self._waiting = block("cp-stack")
        with section(f"Changes to curated memories in the last {DAYS} days"):
            self._changes = block("cp-list")

    async def refresh(self) -> None:
        """Redraw the inbox if it has changed."""
        since = datetime.now(UTC) - timedelta(days=DAYS)
        found = await self._frame.session.attempt(
            lambda book: (
                [(one, _current_value(book, one.memory)) for one in book.inbox(limit=MOST)],
                book.changes(since, limit=MOST),
            )
        )
        if found is None or found == self._shown:
            return  # A redraw would disturb a person who is about to click.
        self._shown = found
        waiting, changes = found
        self._waiting.clear()
        with self._waiting:
            for one, current in waiting:
                self._card(one, current)
            if not waiting:
                empty_state(
                    "No pending decisions.",
                    "Contradictions and proposed changes to curated memories appear here.",
                )
        self._changes.clear()
        with self._changes:
            for change in changes:
                self._change(change)
            if not changes:
                text_label("No changes.", "cp-quiet")

    def _card(self, one: InboxEntry, current: Memory | None) -> None:
        memory = one.memory
        with block("cp-card cp-stack cp-waiting"):
            text_label(QUESTIONS.get(one.action, one.action.capitalize()), "cp-empty-title")
            memory_text(memory)
            if current is not None:
                with block("cp-alert cp-current"):
                    text_label("Accepting replaces the current value:", "cp-quiet cp-small")
                    memory_link(current)
                    chips(current)
            for about in one.about:
                with block("cp-alert"):
                    memory_link(about)
                    chips(about)
                    if one.action == "contradiction":
                        button("This one is right", partial(self._accept, memory.id, keep=about.id))
            with block("cp-row"):
                if one.action != "contradiction":
                    button("Accept", partial(self._accept, memory.id), look="strong")
                button("Reject", partial(self._reject, memory.id))
                if one.action == "remember":
                    button("Edit", partial(self._actions.edit, memory))

    async def _accept(self, id: str, keep: str | None = None) -> None:
        decided = await self._frame.session.attempt(lambda book: book.accept(id, keep=keep))
        if decided is not None:
            await self._actions.done("Accepted.", [decided.memory.id])

    async def _reject(self, id: str) -> None:
        decided = await self._frame.session.attempt(lambda book: book.reject(id))
        if decided is not None:
            await self._actions.done("Rejected.", [decided.memory.id])

    def _change(self, change: CuratedChange) -> None:
        event = change.event
        with block("cp-item"):
            text_label(components.exact_time(event.at), "cp-quiet cp-small")
            with block():
                text_label(f"{event.action} by {event.by}" + (", automatically" * event.automatic))
                if change.memory is not None:
                    memory_link(change.memory)
            if change.revert:
                button("Undo", partial(self._revert, event.id), look="small")

    async def _revert(self, event: str) -> None:
        if await self._frame.session.attempt(lambda book: book.revert(event)) is not None:
            await self._actions.done("Undone.")


def _current_value(book: Commonplace, memory: Memory) -> Memory | None:
    """The live fact that a pending fact would replace."""
    if memory.key is None:
        return None
    where = Where(key=memory.key, scopes=(str(memory.scope),), statuses=LIVE)
    hits = book.browse(where=where, limit=10)
    return next((hit.memory for hit in hits if hit.memory.namespace == memory.namespace), None)
