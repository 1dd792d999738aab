"""Values as the tables of an index store and compare them."""

from __future__ import annotations

from ....model import codec
from ....model.quick_decorators import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from ....model.memory import Memory


SHORT_BYTES = 4_000
"""Longer memories are too large to remember."""


def encoded(memory: Memory) -> bytes:
    """The whole memory as bytes; unpaired surrogates survive."""
    return codec.to_json(memory).encode("utf-8", "surrogatepass")


def decoded(json: bytes) -> Memory:
    """The memory in stored bytes."""
    return _decoded_again(json) if len(json) <= SHORT_BYTES else _decoded(json)


def _decoded(json: bytes) -> Memory:
    return codec.from_json(json.decode("utf-8", "surrogatepass"))


# In a repository every recall reads what branches replaced, which is seldom another thing.
_decoded_again = lru_cache(maxsize=1024)(_decoded)


def epoch(moment: datetime | None) -> float | None:
    """A moment in seconds, as the tables compare it."""
    return None if moment is None else moment.timestamp()


def folded(text: str | None) -> str | None:
    """A topic or tag as the tables compare it."""
    return None if text is None else valid_unicode(text.strip().lstrip("#").casefold())


def valid_unicode(text: str | None) -> str | None:
    """Text with unpaired surrogates replaced by question marks."""
    if text is None or text.isascii():
        return text
    return text.encode("utf-8", "replace").decode()
