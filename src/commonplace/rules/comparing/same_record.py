"""Whether two places hold the same record, and what a place may say of it in its own way."""

from __future__ import annotations

from ..notes import facts
from ..notes.exchange import line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model import Memory

_OWN_WAY = frozenset({"title", "slug", "aliases", "tags", "tier", "always_load"})
"""What a vault may say by a heading, a folder or a file's name."""
_OF_LINES = frozenset({"created", "updated", "source", "version", "supersedes"})
"""What a line of `facts.md` has no room for, and its file says for all of them."""


def fingerprint(memory: Memory, *, loosely: bool = False) -> str:
    """Equal for records that are equal in every field.

    `loosely` leaves out what a vault may say in its own way: equal then for records of which
    neither lost anything that the other says.
    """
    import hashlib

    text = line(memory, without=_excused(memory) if loosely else ())
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def differing(here: Memory, there: Memory) -> list[str]:
    """The fields that two places do not say alike."""
    said = there.__dict__
    return [name for name, value in here.__dict__.items() if said[name] != value]


def lost(here: Memory, there: Memory) -> list[str]:
    """What a place says otherwise that it has no way of its own to say."""
    excused = _excused(here)
    return [name for name in differing(here, there) if name not in excused]


def _excused(memory: Memory) -> frozenset[str]:
    return _OWN_WAY | _OF_LINES if facts.has_line_id(memory) else _OWN_WAY
