"""ChatGPT's data export: conversations as trees, of which the branch last shown is kept."""

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
    """Whether a file that begins so is ChatGPT's."""
    return "mapping" in mapping(first)


def read(parcel: Parcel, name: str) -> Iterator[Draft | LeftOut]:
    """The turns of every conversation."""
    for number, one in enumerate(elements(parcel, name)):
        said = mapping(one)
        called = words(said.get("conversation_id") or said.get("id")) or f"{name}:{number}"
        yield from drafts(called, _branch(said), tag="chatgpt")


def _branch(said: dict[str, Any]) -> list[Said]:
    """From the newest message up to the first, the other way round."""
    nodes = mapping(said.get("mapping"))
    at: Any = said.get("current_node") or _leaf(nodes)
    path: list[Said] = []
    seen: set[str] = set()
    while isinstance(at, str) and at not in seen and at in nodes:
        seen.add(at)
        node = mapping(nodes[at])
        if turn := _turn(at, mapping(node.get("message"))):
            path.append(turn)
        at = node.get("parent")
    return path[::-1]


def _leaf(nodes: dict[str, Any]) -> str | None:
    """The last node without children, for exports that do not say which was shown."""
    leaves = [id for id, node in nodes.items() if not listed(mapping(node).get("children"))]
    return leaves[-1] if leaves else None


def _turn(id: str, message: dict[str, Any]) -> Said | None:
    speaker = words(mapping(message.get("author")).get("role"))
    hidden = mapping(message.get("metadata")).get("is_visually_hidden_from_conversation")
    if speaker not in SPEAKERS or message.get("weight") == 0 or hidden:
        return None
    content = mapping(message.get("content"))
    if content.get("content_type") not in ("text", "multimodal_text"):
        return None
    parts = (one if isinstance(one, str) else mapping(one).get("text") for one in
             listed(content.get("parts")))  # fmt: skip
    text = "\n".join(part for one in parts if (part := words(one)))
    return Said(speaker, text, time(message.get("create_time")), words(message.get("id")) or id)
