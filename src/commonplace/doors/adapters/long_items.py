"""Items of a conversation that are too long for one memory: what is too long gets a stand-in.

Mostly that is an image or a file inside a message. Without it the conversation can still go on;
without the message it could not.
"""

from __future__ import annotations

import logging
from typing import Any, cast

from ...rules.drafts import MAX_CHARACTERS
from ..hooks.answering import middle_cut
from .store_items import dumped

Plain = dict[str, Any]

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


def fitting(item: Plain) -> Plain:
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


def _stand_in(what: str, value: Plain) -> str:
    named = value.get("filename")
    called = f" called {named[:SHORTEST]}" if isinstance(named, str) else ""
    return f"({what}{called} was here, too long to keep.)"


def _longer(value: Plain, longest: int) -> bool:
    return len(dumped(value)) > longest
