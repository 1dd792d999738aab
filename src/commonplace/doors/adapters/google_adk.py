"""A memory service for Google's Agent Development Kit: it stores sessions and searches a book.

    runner = Runner(app_name="shop", agent=agent, memory_service=BookMemoryService(book), …)

A user of an app has the scope `/user/<id>/agent/<app>`, below the scope that the book was opened
with, and sees nothing of another user.
"""

from __future__ import annotations

import asyncio
import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from typing_extensions import override

from ...model.errors import NotAllowed, NotFound
from ...model.memory import Draft
from ...rules.handed_over.quotation import quote, without_echo
from .conversations import ConversationTurns, require_extra

with require_extra("google-adk", extra="adk"):
    from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
    from google.adk.memory.memory_entry import MemoryEntry
    from google.genai import types

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from google.adk.events.event import Event
    from google.adk.sessions.session import Session

    from ...book import Commonplace
    from ...model.memory import Memory

MOST_FOUND = 10
WITHOUT_SESSION = "without-a-session"


class BookMemoryService(BaseMemoryService):
    """Stores sessions turn by turn; adding a session again adds its new turns."""

    def __init__(self, book: Commonplace) -> None:
        self._book = book
        self._lock = threading.Lock()

    @override
    async def add_session_to_memory(self, session: Session) -> None:
        """Store the turns of a session so far."""
        book = self._book_of_user(session.app_name, session.user_id)
        await asyncio.to_thread(self._add, book, session.id, session.events)

    @override
    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Store some events of a session; the metadata is not used."""
        book = self._book_of_user(app_name, user_id)
        await asyncio.to_thread(self._add, book, session_id or WITHOUT_SESSION, events)

    @override
    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Store memories as they are; a known one is not stored twice."""
        book = self._book_of_user(app_name, user_id)
        # The scope is named, because another app of this user must not see them.
        drafts = [
            Draft(text, scope=book.context.scope)
            for entry in memories
            if (text := _text(entry.content))
        ]
        if drafts:
            await asyncio.to_thread(book.save_many, drafts)

    @override
    async def search_memory(
        self, *, app_name: str, user_id: str, query: str
    ) -> SearchMemoryResponse:
        """The memories that answer a question, best first."""
        book = self._book_of_user(app_name, user_id)
        if not query.strip():
            return SearchMemoryResponse()
        found = await asyncio.to_thread(book.recall, query, limit=MOST_FOUND)
        shown = [hit.memory for hit in found if hit.memory.sensitivity != "sensitive"]
        return SearchMemoryResponse(memories=[_entry(memory) for memory in shown])

    @override
    async def delete_memory(
        self, *, app_name: str, user_id: str, memory_id: str | None = None
    ) -> None:
        """Forget a memory of this user; adding its session again does not restore it."""
        if memory_id:
            await asyncio.to_thread(self._forget, self._book_of_user(app_name, user_id), memory_id)

    def _book_of_user(self, app_name: str, user_id: str) -> Commonplace:
        """The book as this user of this app sees it."""
        base = self._book.context
        if base.user not in (None, user_id):
            raise NotAllowed(
                "This book was opened for another user.",
                hint="Open it without a user; each call names its own.",
            )
        return self._book.as_context(base.but(user=user_id, agent=app_name))

    def _add(self, book: Commonplace, session: str, events: Sequence[Event]) -> None:
        turns = ConversationTurns(book, session)
        # Two threads that read and then write at once would store turns twice.
        with self._lock:
            known = turns.every(gone=True)
            seen = {one.imported_id for one in known}
            position = 1 + max((one.position or 0 for one in known), default=-1)
            new = [(event, text) for event in events if (text := _text(event.content))]
            fresh = {event.id: (event, text) for event, text in new if event.id not in seen}
            turns.add(
                [
                    turns.draft(
                        text,
                        position + number,
                        speaker=event.author or "unknown",
                        imported_id=event.id,
                        created=datetime.fromtimestamp(event.timestamp, UTC),
                    )
                    for number, (event, text) in enumerate(fresh.values())
                ]
            )

    def _forget(self, book: Commonplace, id: str) -> None:
        try:
            memory = book.get(id)
        except NotFound:
            return
        if memory.scope != book.context.scope:
            raise NotAllowed(
                "This memory does not belong to this user alone.",
                hint="Forget it with `commonplace forget`.",
            )
        book.forget(memory.id)


def _text(content: types.Content | None) -> str:
    """The text of a content, without calls, files and thoughts."""
    parts = (content.parts or []) if content else []
    said = " ".join(part.text for part in parts if part.text and not part.thought)
    return without_echo(said).strip()


def _entry(memory: Memory) -> MemoryEntry:
    role = "user" if memory.speaker in (None, "user") else "model"
    return MemoryEntry(
        id=memory.id,
        # ADK puts it between tags in a prompt, and the text must not close them.
        content=types.Content(role=role, parts=[types.Part(text=quote(memory.content))]),
        author=memory.speaker,
        timestamp=memory.created.isoformat(),
    )
