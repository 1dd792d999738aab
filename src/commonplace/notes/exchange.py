"""Memories on their way out of a book and into another: as lines, as notes, as drafts."""

from __future__ import annotations

import json

from ..model.codec import from_fields, to_fields
from ..model.errors import BadInput
from ..model.memory import LIVE, Draft, Memory
from ..model.scope import DIMENSIONS, Scope
from . import note as notes
from .places import Place, file_name, folder_name, folder_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from datetime import datetime
    from typing import Any

FORMAT, VERSION = "commonplace", 1
HEAD = {"format": FORMAT, "version": VERSION}
"""How an export begins, so that it is recognized whatever the file is called."""
WHOLE_BOOK = "system"
"""The folder of what belongs to no narrower scope."""
_KEPT = (
    "content", "scope", "kind", "tier", "owner", "sensitivity", "title", "aliases", "tags",
    "topic", "always_load", "confidence", "key", "value", "namespace", "episode", "position",
    "speaker", "created", "valid_from", "valid_until", "review_after", "expires",
)  # fmt: skip
"""What a memory may bring along; who is trusted, and how, the book decides itself."""


def line(memory: Memory, *, without: Collection[str] = ()) -> str:
    """One line of JSON, the same for equal memories wherever they were kept."""
    fields = to_fields(memory)
    named = [name for name in Memory.__fields__ if name in fields and name not in without]
    ordered = {name: fields[name] for name in named}
    return json.dumps(ordered, ensure_ascii=False, separators=(",", ":"))


def head() -> str:
    """The first line of an export."""
    return json.dumps(HEAD, separators=(",", ":"))


def note_path(memory: Memory) -> str:
    """Where a memory's note goes in an exported folder: a folder for each scope."""
    inside = "/".join(f"{d}/{folder_name(v)}" for d, v in memory.scope.pairs)
    return f"{inside or WHOLE_BOOK}/{file_name(memory.slug or memory.id)}"


def scope_at(path: str) -> Scope | None:
    """The scope that an exported note's folder stands for; None for folders of somebody else."""
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


def of_fields(given: Mapping[str, Any] | str, *, now: datetime) -> Memory:
    """The memory that some JSON stands for; what it leaves out is as for a new one.

    Raises what Python raises for a shape that is none: ValueError, TypeError, KeyError, BadInput.
    """
    said: Mapping[str, Any] = {"content": given} if isinstance(given, str) else given
    if not isinstance(said["content"], str) or not isinstance(said.get("id", ""), str):
        raise TypeError("content")
    moment = now.isoformat()
    return from_fields({"id": "", "created": moment, "updated": moment, **said})


def of_note(path: str, text: str, *, now: datetime) -> Memory:
    """The memory in a note that was exported, or that anybody wrote."""
    place = Place(scope=scope_at(path) or Scope(), owner="agent", kind="insight")
    return notes.read(text, path=path, place=place, modified=now).memory


def is_history(memory: Memory) -> bool:
    """Whether a memory was retired, or waits: nothing to be remembered anew."""
    return memory.status not in LIVE


def as_draft(memory: Memory) -> Draft:
    """A memory as something to be remembered anew."""
    kept: dict[str, Any] = {name: getattr(memory, name) for name in _KEPT}
    if memory.owner == "personal":
        kept["owner"] = None
    return Draft(**kept, imported_id=memory.imported_id or memory.id or None)
