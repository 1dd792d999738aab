"""The text of a memory for readers: facts with their namespace, and sealed texts."""

from __future__ import annotations

from ..model.lazy_pattern import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from ..model.memory import Draft, Memory


NAMESPACE_SEPARATOR = "/"


def qualified_text(memory: Memory, text: str | None = None) -> str:
    """The content of a memory, or this part of it, with the namespace before a fact's key.

    `production/db.host: db-1.internal`, where the note has `db.host` under `## production`.
    """
    text = memory.content if text is None else text
    if memory.namespace and memory.kind == "fact" and text.startswith(f"{memory.key}:"):
        return f"{memory.namespace}{NAMESPACE_SEPARATOR}{text}"
    return text


def is_imported(memory: Memory) -> bool:
    """Whether a memory is as an import brought it."""
    return memory.source.startswith("import:")


def own_time(memory: Memory) -> datetime:
    """When a memory was last changed; of an imported one and of a turn, when it was said."""
    return memory.created if memory.episode or is_imported(memory) else memory.updated


def key_readings(name: str) -> Iterator[tuple[str | None, str]]:
    """Every reading of a name as namespace and key; first as a key alone."""
    yield None, name
    for at, character in enumerate(name):
        if character == NAMESPACE_SEPARATOR and 0 < at < len(name) - 1:
            yield name[:at], name[at + 1 :]


# Sealed texts: one line with the id of the key and the encrypted token

TITLE = "Sealed memory"
"""The title of a sealed memory without a title or key."""

_SEALED = lazy(r"sealed:v1:([0-9a-f]{8}):([A-Za-z0-9_-]{40,}={0,2})")


def sealed_line(key_id: str, token: str) -> str:
    """A sealed text as it is stored."""
    return f"sealed:v1:{key_id}:{token}"


def sealed_parts(text: str) -> tuple[str, str] | None:
    """The key's id and the token of a sealed text; None for any other text."""
    found = _SEALED.fullmatch(text.strip())
    return (found[1], found[2]) if found else None


def without_sealed(text: str) -> str:
    """The text with `(sealed)` in place of sealed parts."""
    return _SEALED.sub("(sealed)", text) if "sealed:v1:" in text else text


def sealed_text(memory: Memory | Draft) -> str | None:
    """The sealed text of a memory: the value of a fact, or the whole content."""
    text = (memory.content if memory.value is None else memory.value).strip()
    return text if text.startswith("sealed:") and sealed_parts(text) else None


def is_sealed(memory: Memory | Draft) -> bool:
    """Whether a memory is unreadable without a key; it is neither embedded nor searched."""
    return sealed_text(memory) is not None


def searchable_text(memory: Memory) -> str:
    """The text of a memory for search; for a sealed one its title, key and tags."""
    if not is_sealed(memory):
        return memory.content
    return " ".join(filter(None, (memory.title, memory.key, *memory.tags)))
