"""The data export of claude.ai: conversations as lists of messages."""

from __future__ import annotations

from .fields import listed, mapping, time, words
from .streaming import elements
from .turns import SPEAKERS, Said, drafts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..model import Draft
    from ..results import LeftOut
    from .parcel import Parcel


def fits(first: Any) -> bool:
    """Whether a file that begins so is from claude.ai."""
    return "chat_messages" in mapping(first)


def read(parcel: Parcel, name: str) -> Iterator[Draft | LeftOut]:
    """The turns of every conversation; attached files are not part of what was said."""
    for number, one in enumerate(elements(parcel, name)):
        said = mapping(one)
        called = words(said.get("uuid")) or f"{name}:{number}"
        messages = (mapping(message) for message in listed(said.get("chat_messages")))
        turns = (_turn(message) for message in messages if message.get("sender") in SPEAKERS)
        yield from drafts(called, turns, tag="claude")


def _turn(message: dict[str, Any]) -> Said:
    blocks = (mapping(block) for block in listed(message.get("content")))
    parts = (block.get("text") for block in blocks if block.get("type", "text") == "text")
    text = "\n".join(part for one in parts if (part := words(one))) or words(message.get("text"))
    return Said(
        words(message.get("sender")), text, time(message.get("created_at")),
        words(message.get("uuid")),
    )  # fmt: skip
