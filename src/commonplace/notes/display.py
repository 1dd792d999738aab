"""Obsidian's `[[links]]` in a text: finding them, and renaming what they point to."""

from __future__ import annotations

import re

from .wikilinks import SEPARATOR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..model.memory import Draft, Memory


def named(memory: Memory, text: str | None = None) -> str:
    """What a memory says, or this part of it; a fact's key with the namespace that it is of.

    `production/db.host: db-1.internal`, where the note has `db.host` under `## production`.
    """
    text = memory.content if text is None else text
    if memory.namespace and memory.kind == "fact" and text.startswith(f"{memory.key}:"):
        return f"{memory.namespace}{SEPARATOR}{text}"
    return text


def readings(name: str) -> Iterator[tuple[str | None, str]]:
    """What a name may stand for, as namespace and key: first of all a key as it is."""
    yield None, name
    for at, character in enumerate(name):
        if character == SEPARATOR and 0 < at < len(name) - 1:
            yield name[:at], name[at + 1 :]


# How a sealed text looks: one line that names the key it was made with and says nothing else.


TITLE = "Sealed memory"
"""What a sealed memory without a title or key is called."""

_SEALED = r"sealed:v1:([0-9a-f]{8}):([A-Za-z0-9_-]{40,}={0,2})"


def line(key_id: str, token: str) -> str:
    """A sealed text as it is stored."""
    return f"sealed:v1:{key_id}:{token}"


def parts(text: str) -> tuple[str, str] | None:
    """The key's id and the token of a sealed text; None for any other text."""
    found = re.fullmatch(_SEALED, text.strip())
    return (found[1], found[2]) if found else None


def shown(text: str) -> str:
    """A text for reading: what is sealed in it says nothing, and takes no room."""
    return re.sub(_SEALED, "(sealed)", text) if "sealed:v1:" in text else text


def sealed_text(memory: Memory | Draft) -> str | None:
    """What of a memory is sealed: the value of a fact, or else the whole text."""
    text = (memory.content if memory.value is None else memory.value).strip()
    return text if text.startswith("sealed:") and parts(text) else None


def is_sealed(memory: Memory | Draft) -> bool:
    """Whether a memory is unreadable without a key; it is neither embedded nor searched."""
    return sealed_text(memory) is not None


def searchable(memory: Memory) -> str:
    """What search may know of a memory's text; of a sealed one only how it is called."""
    if not is_sealed(memory):
        return memory.content
    return " ".join(filter(None, (memory.title, memory.key, *memory.tags)))
