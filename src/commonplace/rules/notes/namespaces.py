"""Facts that share a key and differ in their namespace, told apart wherever they are read."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...model import Memory

SEPARATOR = "/"


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
