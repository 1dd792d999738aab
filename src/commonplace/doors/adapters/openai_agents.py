"""A session of the OpenAI Agents SDK in a book: its history is durable, and recall finds it.

    session = BookSession(book, "order-7")
    await Runner.run(agent, "Where is my order?", session=session)
    await session.learn()

Messages are turns of a conversation. Tool output is kept for the history, marked as text from
outside.
"""

from __future__ import annotations

import asyncio
import json
import logging
import uuid
from collections import Counter
from typing import Any, cast

from ...language.plain_text import FORBIDDEN, plain_text
from ...model.errors import CommonplaceError, Refused
from ...ports.reasoner import Turn
from ...rules.drafts import MAX_CHARACTERS
from ...rules.handed_over.quotation import is_echo, without_echo
from ...rules.screening.screen import credentials_removed
from ..hooks.answer import cut_middle
from .conversations import ConversationTurns, plain_id, require_extra
from .langgraph_items import dumped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agents import TResponseInputItem

    from ...agent.sessions import SessionEnded
    from ...book import Commonplace
    from ...model.memory import Draft, Memory


PlainItem = dict[str, Any]

PARTS = {"input_image": "An image", "input_file": "A file", "input_audio": "A recording"}
"""Parts of a message with data of any size; a text may replace them."""
GENERATED_IMAGE = "image_generation_call"
"""An item that is only an image."""
PIXEL = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mP4/x8AAwAB"
    "/2+Bq7YAAAAASUVORK5CYII="
)
"""Replaces a large image where only an image is allowed."""
SHORTEST_CHARACTERS = 100
_log = logging.getLogger(__name__)


def shortened_item(item: PlainItem) -> PlainItem:
    """The item, shortened until one memory can hold it."""
    if not _longer(item, MAX_CHARACTERS):
        return item
    _log.warning("An item is too long for a memory and is shortened.")
    longest = MAX_CHARACTERS // 2
    while longest > SHORTEST_CHARACTERS:
        shorter = cast("PlainItem", _shortened(item, longest))
        if not _longer(shorter, MAX_CHARACTERS):
            return shorter
        longest //= 10
    return {"role": item.get("role") or "assistant", "content": _stand_in("Something", item)}


def _shortened(value: Any, longest: int) -> Any:
    """The value, with no text or image longer than `longest` characters."""
    if isinstance(value, str):
        image = len(value) > longest and value.startswith("data:image")
        return PIXEL if image else cut_middle(value, longest)
    if isinstance(value, list):
        return [_shortened(one, longest) for one in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    part = cast("PlainItem", value)
    kind = part.get("type")
    if kind in (*PARTS, GENERATED_IMAGE) and _longer(part, longest):
        words = _stand_in(PARTS.get(kind, "An image"), part)
        return (
            {"role": "assistant", "content": words}
            if kind == GENERATED_IMAGE
            else {"type": "input_text", "text": words}
        )
    return {key: _shortened(one, longest) for key, one in part.items()}


def _stand_in(what: str, value: PlainItem) -> str:
    named = value.get("filename")
    called = f" called {named[:SHORTEST_CHARACTERS]}" if isinstance(named, str) else ""
    return f"({what}{called} was here, too long to keep.)"


def _longer(value: PlainItem, longest: int) -> bool:
    return len(dumped(value)) > longest


with require_extra("openai-agents", extra="openai-agents"):
    from agents.memory import SessionSettings

VERBATIM = "verbatim"
"""Tag of a turn whose content is the item as JSON, because it is too long for its value."""
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
        # Tool output was written by others.
        self._outside = book.as_context(book.context, source="tool")
        self._lock = asyncio.Lock()

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """The history in order; with a limit, its latest items."""
        most = limit
        if most is None and self.session_settings is not None:
            most = self.session_settings.limit
        items = [_item(one) for one in await asyncio.to_thread(self._history)]
        if most is None or most < 0:
            return items
        return items[-most:] if most else []

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Append items to the history."""
        if items:
            async with self._lock:
                await asyncio.to_thread(self._add, [cast("PlainItem", one) for one in items])

    async def pop_item(self) -> TResponseInputItem | None:
        """Remove and return the latest item."""
        async with self._lock:
            return await asyncio.to_thread(self._pop)

    async def clear_session(self) -> None:
        """Forget the history."""
        async with self._lock:
            await asyncio.to_thread(self._clear)

    async def learn(self) -> SessionEnded:
        """Save what the user taught in this conversation, and a summary."""
        return await asyncio.to_thread(self._learn)

    def _history(self) -> list[Memory]:
        """All turns in the order of their items, tool calls included."""
        return sorted(self._turns.every(), key=lambda one: (one.imported_id or "", one.id))

    def _add(self, items: Sequence[PlainItem]) -> None:
        history = self._history()
        number = int((history[-1].imported_id or "0").rpartition(":")[2]) + 1 if history else 0
        places = Counter(one.episode == self._turns.aside for one in history)
        added: list[str] = []
        try:
            for item in [shortened_item(one) for one in items]:
                aside = "role" not in item
                added += self._saved(item, number, places[aside])
                places[aside] += 1
                number += 1
        except CommonplaceError:
            # The runner adds all items again, or none, so none may stay.
            for id in added:
                self._turns.book.forget(id)
            raise

    def _saved(self, item: PlainItem, number: int, position: int) -> list[str]:
        book = self._turns.book if "role" in item else self._outside
        try:
            saved = book.save_many([self._draft(item, number, position)])
        except Refused:
            # A history needs every item, so this one is kept without the secret.
            saved = book.save_many([self._draft(_without_credentials(item), number, position)])
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

    def _learn(self) -> SessionEnded:
        said = [
            Turn(one.speaker or "tool", _message_text(cast("PlainItem", _item(one))))
            for one in self._history()
        ]
        return self._turns.book.session(f"openai-{plain_id(self.session_id)}").end(said)

    def _draft(self, item: PlainItem, number: int, position: int) -> Draft:
        """A turn with the text of the item, from which the exact item can be read back."""
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
        said = without_echo(plain_text(_message_text(item))).strip()
        return draft.but(
            content=said or f"({item.get('type') or 'no text'})",
            key=f"item-{uuid.uuid4().hex}",
            value=whole,
        )


def _item(turn: Memory) -> TResponseInputItem:
    """The item of a turn; if a person edited the turn, a message with its text."""
    whole = turn.content if VERBATIM in turn.tags else turn.value
    try:
        kept: Any = None if whole is None else json.loads(whole)
    except ValueError:
        kept = None  # A person has edited it since.
    if not isinstance(kept, dict):
        # The text of a tool must not become a message of the user.
        role = turn.speaker if turn.speaker in ROLES else "assistant"
        kept = {"role": role, "content": turn.content}
    return cast("TResponseInputItem", kept)


def _message_text(item: PlainItem) -> str:
    """The text of a message; empty for tool calls and results."""
    if item.get("role") not in SPEAKERS:
        return ""
    content: Any = item.get("content")
    if isinstance(content, str):
        return content
    parts = cast("list[PlainItem]", content) if isinstance(content, list) else []
    texts: list[Any] = [part.get("text") for part in parts]
    return "\n\n".join(text for text in texts if isinstance(text, str))


def _without_credentials(item: PlainItem) -> PlainItem:
    """The item without credentials in any of its texts."""

    def clean(value: Any) -> Any:
        if isinstance(value, str):
            return credentials_removed(value)
        if isinstance(value, list):
            return [clean(one) for one in cast("list[Any]", value)]
        if isinstance(value, dict):
            return {key: clean(one) for key, one in cast("PlainItem", value).items()}
        return value

    return clean(item)
