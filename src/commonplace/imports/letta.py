"""Letta's agent files: memory blocks, and the messages that an agent had.

Tools, their code and their environment are never looked at.
"""

from __future__ import annotations

import json

from ..model import Draft
from ..results import LeftOut
from .fields import listed, mapping, one_line, time, words
from .parcel import damaged
from .turns import SPEAKERS, Said, drafts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .parcel import Parcel


def fits(first: Any) -> bool:
    """Whether a file that begins so is Letta's."""
    return isinstance(first, set) and first <= {"agents", "groups", "blocks"}


def read(parcel: Parcel, name: str) -> Iterator[Draft | LeftOut]:
    """The blocks, then each agent's conversation."""
    try:
        whole = mapping(json.loads(parcel.text(name)))
    except (ValueError, RecursionError) as error:
        raise damaged(parcel, name, "its JSON is broken off or garbled") from error
    if not {"agents", "blocks"} & whole.keys():
        raise damaged(parcel, name, "it has neither agents nor blocks")
    for one in listed(whole.get("blocks")):
        yield _block(mapping(one))
    for number, one in enumerate(listed(whole.get("agents"))):
        agent = mapping(one)
        called = words(agent.get("id")) or f"agent-{number}"
        messages = (mapping(message) for message in listed(agent.get("messages")))
        turns = [_turn(message) for message in messages if message.get("role") in SPEAKERS]
        yield from drafts(called, turns, tag="letta")


def _block(block: dict[str, Any]) -> Draft | LeftOut:
    text = words(block.get("value"))
    if not text:
        return LeftOut("A block without text.")
    label = one_line(block.get("label"))
    return Draft(
        text, title=label or "", tags=("letta",), imported_id=one_line(block.get("id")) or label
    )


def _turn(message: dict[str, Any]) -> Said:
    content = message.get("content")
    if not isinstance(content, str):
        blocks = (mapping(block) for block in listed(content))
        parts = (words(block.get("text")) for block in blocks if block.get("type") == "text")
        content = "\n".join(part for part in parts if part)
    return Said(
        words(message.get("role")), content, time(message.get("created_at")),
        words(message.get("id")),
    )  # fmt: skip
