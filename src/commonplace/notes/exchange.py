"""Memories as they leave a book and enter another: export lines, exported notes, drafts.

Also compares a record in one place with the same record in another.
"""

from __future__ import annotations

import json

from ..model.codec import from_fields, to_fields
from ..model.errors import BadInput
from ..model.memory import LIVE, Draft, Memory
from ..model.scope import DIMENSIONS, Scope
from . import facts
from . import note as notes
from .places import Place, file_name, folder_name, folder_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from datetime import datetime
    from typing import Any


FORMAT, VERSION = "commonplace", 1
HEAD = {"format": FORMAT, "version": VERSION}
"""The first line of an export, which tells its format whatever the file is called."""
WHOLE_BOOK = "system"
"""The folder of memories in the scope of the whole book."""
KEPT = (
    "content", "scope", "kind", "tier", "owner", "sensitivity", "title", "aliases", "tags",
    "topic", "always_load", "confidence", "importance", "key", "value", "namespace", "episode",
    "position", "speaker", "created", "valid_from", "valid_until", "review_after", "expires",
)  # fmt: skip
"""The fields that an import takes over; trust, source and status are set by the book."""


def export_line(memory: Memory, *, without: Collection[str] = ()) -> str:
    """One line of JSON, the same for equal memories wherever they were kept."""
    fields = to_fields(memory)
    named = [name for name in Memory.__fields__ if name in fields and name not in without]
    ordered = {name: fields[name] for name in named}
    return json.dumps(ordered, ensure_ascii=False, separators=(",", ":"))


def export_head() -> str:
    """The first line of an export."""
    return json.dumps(HEAD, separators=(",", ":"))


def note_path(memory: Memory) -> str:
    """Where a memory's note goes in an exported folder: a folder for each scope."""
    inside = "/".join(f"{d}/{folder_name(v)}" for d, v in memory.scope.pairs)
    return f"{inside or WHOLE_BOOK}/{file_name(memory.slug or memory.id)}"


def scope_at(path: str) -> Scope | None:
    """The scope of an exported note's folder; None for other folders."""
    parts = path.split("/")[:-1]
    if parts == [WHOLE_BOOK]:
        return Scope()
    if not parts or len(parts) % 2 or any(part not in DIMENSIONS for part in parts[::2]):
        return None
    named = zip(parts[::2], parts[1::2], strict=True)
    try:
        return Scope(tuple((dimension, folder_value(value)) for dimension, value in named))
    except BadInput:
        return None


def memory_from_fields(given: Mapping[str, Any] | str, *, now: datetime) -> Memory:
    """Build a memory from JSON; missing fields get the defaults of a new memory.

    Raises ValueError, TypeError, KeyError or BadInput for other shapes.
    """
    said: Mapping[str, Any] = {"content": given} if isinstance(given, str) else given
    if not isinstance(said["content"], str) or not isinstance(said.get("id", ""), str):
        raise TypeError("content")
    moment = now.isoformat()
    return from_fields({"id": "", "created": moment, "updated": moment, **said})


def memory_from_note(path: str, text: str, *, now: datetime) -> Memory:
    """Read the memory in an exported or hand-written note."""
    place = Place(scope=scope_at(path) or Scope(), owner="agent", kind="insight")
    return notes.read_note(text, path=path, place=place, modified=now).memory


def is_history(memory: Memory) -> bool:
    """Whether a memory is retired or staged, and so not imported as a live one."""
    return memory.status not in LIVE


def to_draft(memory: Memory) -> Draft:
    """Turn a memory into a draft to save again."""
    kept: dict[str, Any] = {name: getattr(memory, name) for name in KEPT}
    if memory.owner == "personal":
        kept["owner"] = None
    return Draft(**kept, imported_id=memory.imported_id or memory.id or None)


_VAULT_FIELDS = frozenset({"title", "slug", "aliases", "tags", "tier", "always_load"})
"""Fields that a vault may store as a heading, a folder or a file name."""
_FILE_FIELDS = frozenset({"created", "updated", "source", "version", "supersedes"})
"""Fields that `facts.md` has once for all of its lines."""


def record_fingerprint(memory: Memory, *, loosely: bool = False) -> str:
    """A hash that is equal for records that are equal in every field.

    `loosely` ignores the fields that a vault stores in its own way.
    """
    import hashlib

    text = export_line(memory, without=_ignored_fields(memory) if loosely else ())
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def differing_fields(here: Memory, there: Memory) -> list[str]:
    """The names of the fields in which two copies of a record differ."""
    said = there.__dict__
    return [name for name, value in here.__dict__.items() if said[name] != value]


def lost_fields(here: Memory, there: Memory) -> list[str]:
    """The differing fields that a vault cannot store in its own way."""
    excused = _ignored_fields(here)
    return [name for name in differing_fields(here, there) if name not in excused]


def _ignored_fields(memory: Memory) -> frozenset[str]:
    return _VAULT_FIELDS | _FILE_FIELDS if facts.has_line_id(memory) else _VAULT_FIELDS
