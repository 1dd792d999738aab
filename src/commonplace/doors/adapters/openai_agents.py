"""A session of the OpenAI Agents SDK in a book: its history outlives the process, and is recalled.

    session = BookSession(book, "order-7")
    await Runner.run(agent, "Where is my order?", session=session)
    await session.learn()

What was said are turns of a conversation like any other. What tools printed is kept for the
history, marked as text from outside.
"""

from __future__ import annotations

import asyncio
import json
import logging
import uuid
from collections import Counter
from typing import Any, cast

from ...language.tokens import FORBIDDEN, plain
from ...model.errors import CommonplaceError, Refused
from ...ports.reasoner import Turn
from ...rules.digest import is_echo, without_echo
from ...rules.drafts import MAX_CHARACTERS
from ...rules.screening.screen import credentials_removed
from ..hooks.answer import middle_cut
from .conversations import ConversationTurns, plain_id, require_extra
from .langgraph_items import dumped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agents import TResponseInputItem

    from ...agent.sessions import Filled
    from ...book import Commonplace
    from ...model.memory import Draft, Memory

    Plain = dict[str, Any]


PlainItem = dict[str, Any]

PARTS = {"input_image": "An image", "input_file": "A file", "input_audio": "A recording"}
"""Parts of a message that may hold any amount of data; a text may stand where they do."""
MADE = "image_generation_call"
"""An item that is nothing but an image."""
PIXEL = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mP4/x8AAwAB"
    "/2+Bq7YAAAAASUVORK5CYII="
)
"""For where only an image may stand."""
SHORTEST = 100
_log = logging.getLogger(__name__)


def fitting(item: PlainItem) -> PlainItem:
    """The item as it is, or as much of it as one memory can hold."""
    if not _longer(item, MAX_CHARACTERS):
        return item
    _log.warning("Of an item that is too long to keep, a short stand-in is kept.")
    longest = MAX_CHARACTERS // 2
    while longest > SHORTEST:
        shorter = cast("Plain", _shortened(item, longest))
        if not _longer(shorter, MAX_CHARACTERS):
            return shorter
        longest //= 10
    return {"role": item.get("role") or "assistant", "content": _stand_in("Something", item)}


def _shortened(value: Any, longest: int) -> Any:
    """A value in which no text or image is longer than that."""
    if isinstance(value, str):
        image = len(value) > longest and value.startswith("data:image")
        return PIXEL if image else middle_cut(value, longest)
    if isinstance(value, list):
        return [_shortened(one, longest) for one in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    part = cast("Plain", value)
    kind = part.get("type")
    if kind in (*PARTS, MADE) and _longer(part, longest):
        words = _stand_in(PARTS.get(kind, "An image"), part)
        return (
            {"role": "assistant", "content": words}
            if kind == MADE
            else {"type": "input_text", "text": words}
        )
    return {key: _shortened(one, longest) for key, one in part.items()}


def _stand_in(what: str, value: PlainItem) -> str:
    named = value.get("filename")
    called = f" called {named[:SHORTEST]}" if isinstance(named, str) else ""
    return f"({what}{called} was here, too long to keep.)"


def _longer(value: PlainItem, longest: int) -> bool:
    return len(dumped(value)) > longest


with require_extra("openai-agents", extra="openai-agents"):
    from agents.memory import SessionSettings

VERBATIM = "verbatim"
"""Marks a turn whose text is the item itself, because it is too long to stand beside it."""
BESIDE_CHARACTERS = 20_000
SPEAKERS = ("user", "assistant")
ROLES = (*SPEAKERS, "system", "developer")


class BookSession:
    """The history of one conversation; implements the SDK's `Session` protocol."""

    def __init__(
        self,
        book: Commonplace,
        session_id: str,
        *,
        session_settings: SessionSettings | None = None,
    ) -> None:
        self.session_id = session_id
        self.session_settings: SessionSettings | None = session_settings or SessionSettings()
        self._turns = ConversationTurns(book, session_id)
        # What tools print was written by others, whatever it says.
        self._outside = book.as_context(book.context, source="tool")
        self._one_at_a_time = asyncio.Lock()

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """The history in order; with a limit, the latest so many."""
        most = limit
        if most is None and self.session_settings is not None:
            most = self.session_settings.limit
        items = [_item(one) for one in await asyncio.to_thread(self._history)]
        if most is None or most < 0:
            return items
        return items[-most:] if most else []

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Go on with the history."""
        if items:
            async with self._one_at_a_time:
                await asyncio.to_thread(self._add, [cast("Plain", one) for one in items])

    async def pop_item(self) -> TResponseInputItem | None:
        """Take back the latest item."""
        async with self._one_at_a_time:
            return await asyncio.to_thread(self._pop)

    async def clear_session(self) -> None:
        """Forget the history."""
        async with self._one_at_a_time:
            await asyncio.to_thread(self._clear)

    async def learn(self) -> Filled:
        """Save what the user taught in this conversation, and a summary of it."""
        return await asyncio.to_thread(self._learn)

    def _history(self) -> list[Memory]:
        """All turns in the order of their items, which those that nobody said are part of."""
        return sorted(self._turns.every(), key=lambda one: (one.imported_id or "", one.id))

    def _add(self, items: Sequence[Plain]) -> None:
        history = self._history()
        number = int((history[-1].imported_id or "0").rpartition(":")[2]) + 1 if history else 0
        places = Counter(one.episode == self._turns.aside for one in history)
        added: list[str] = []
        try:
            for item in [fitting(one) for one in items]:
                aside = "role" not in item
                added += self._saved(item, number, places[aside])
                places[aside] += 1
                number += 1
        except CommonplaceError:
            # The runner adds them all again, or none: half of a turn is nothing to go on with.
            for id in added:
                self._turns.book.forget(id)
            raise

    def _saved(self, item: Plain, number: int, position: int) -> list[str]:
        book = self._turns.book if "role" in item else self._outside
        try:
            saved = book.save_many([self._draft(item, number, position)])
        except Refused:
            # A history with a hole cannot be gone on with; it is kept without the secret.
            saved = book.save_many([self._draft(_cleared(item), number, position)])
        return [one.memory.id for one in saved]

    def _pop(self) -> TResponseInputItem | None:
        history = self._history()
        if not history:
            return None
        self._turns.book.forget(history[-1].id)
        return _item(history[-1])

    def _clear(self) -> None:
        for one in self._turns.every():
            self._turns.book.forget(one.id)

    def _learn(self) -> Filled:
        said = [
            Turn(one.speaker or "tool", _said(cast("Plain", _item(one)))) for one in self._history()
        ]
        return self._turns.book.session(f"openai-{plain_id(self.session_id)}").end(said)

    def _draft(self, item: Plain, number: int, position: int) -> Draft:
        """A turn that gives back the very item, and reads as what was said."""
        draft = self._turns.draft(
            "…",
            position,
            aside="role" not in item,
            speaker=str(item.get("role") or item.get("type") or "item")[:100],
            imported_id=f"item:{number:08d}",
        )
        text = item.get("content")
        words = isinstance(text, str) and text.strip() and not is_echo(text)
        if words and item.keys() == {"role", "content"} and not FORBIDDEN.search(text or ""):
            return draft.but(content=text)
        whole = dumped(item)
        if len(whole) > BESIDE_CHARACTERS:
            return draft.but(content=whole, tags=(*draft.tags, VERBATIM))
        said = without_echo(plain(_said(item))).strip()
        return draft.but(
            content=said or f"({item.get('type') or 'no text'})",
            key=f"item-{uuid.uuid4().hex}",
            value=whole,
        )


def _item(turn: Memory) -> TResponseInputItem:
    """The item that a turn was made from; what a person has since put in its place is its text."""
    whole = turn.content if VERBATIM in turn.tags else turn.value
    try:
        kept: Any = None if whole is None else json.loads(whole)
    except ValueError:
        kept = None  # Somebody has written something else into it since.
    if not isinstance(kept, dict):
        # Whatever it was that a tool did, nobody said it: it must not become a user's word.
        role = turn.speaker if turn.speaker in ROLES else "assistant"
        kept = {"role": role, "content": turn.content}
    return cast("TResponseInputItem", kept)


def _said(item: Plain) -> str:
    """What a person or a model said in an item; nothing for calls and what they brought back."""
    if item.get("role") not in SPEAKERS:
        return ""
    content: Any = item.get("content")
    if isinstance(content, str):
        return content
    parts = cast("list[Plain]", content) if isinstance(content, list) else []
    texts: list[Any] = [part.get("text") for part in parts]
    return "\n\n".join(text for text in texts if isinstance(text, str))


def _cleared(item: Plain) -> Plain:
    """The item without credentials: in every text of it, and nothing else changed."""

    def clean(value: Any) -> Any:
        if isinstance(value, str):
            return credentials_removed(value)
        if isinstance(value, list):
            return [clean(one) for one in cast("list[Any]", value)]
        if isinstance(value, dict):
            return {key: clean(one) for key, one in cast("Plain", value).items()}
        return value

    return clean(item)
