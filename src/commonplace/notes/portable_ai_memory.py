"""The interchange format `portable-ai-memory` 1.0: one JSON document of memories.

Specification: https://portable-ai-memory.org/spec/v1.0
"""

from __future__ import annotations

import hashlib
import unicodedata
from datetime import UTC

from .canonical_json import canonical
from .foreign_record import (
    OWN,
    memory_of,
    one_line,
    optional_flag,
    optional_mapping,
    optional_share,
    optional_text,
    optional_time,
    own_part,
    text_of,
    texts_of,
    time_of,
    well_formed,
)
from .places import is_kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from datetime import datetime
    from typing import Any

    from ..model.memory import Memory

SCHEMA, MAJOR, VERSION = "portable-ai-memory", "1", "1.0"
CONVERSATION, EMBEDDINGS = f"{SCHEMA}-conversation", f"{SCHEMA}-embeddings"
_SPECIFICATION = "https://portable-ai-memory.org/spec/v1.0"
_TYPES = frozenset({
    "fact", "preference", "skill", "context", "relationship", "goal", "instruction", "identity",
    "environment", "project",
})  # fmt: skip
"""The types of the format, apart from `custom`; each is a kind of the same name."""
_STATUSES = {
    "active": "active", "review": "active", "stale": "deprecated", "superseded": "superseded",
    "archived": "archived", "staged": "archived", "deleted": "retracted",
}  # fmt: skip
_READ_STATUSES = {
    "deprecated": "stale", "superseded": "superseded", "archived": "archived",
    "retracted": "deleted",
}  # fmt: skip
_METHODS = {
    "user": "explicit_user_input", "agent": "llm_inference", "external": "api_export",
}  # fmt: skip


def write_document(
    memories: Iterable[Memory], *, now: datetime, owner: str, version: str
) -> Iterator[bytes]:
    """One document, in parts; its checksum needs all memories at once."""
    found = list(memories)
    ids = {one.id for one in found}
    lines = [(one.id, canonical(_record(one, ids))) for one in found]
    head = {
        "schema": SCHEMA, "schema_version": VERSION, "spec_uri": _SPECIFICATION,
        "exported_by": f"commonplace/{version}", "export_date": _stamp(now), "export_type": "full",
        "owner": {"id": owner},
    }  # fmt: skip
    # The schema comes first, because readers tell the format by it.
    said = ",".join(f"{canonical(name)}:{canonical(value)}" for name, value in head.items())
    yield f'{{{said},"memories":[\n'.encode()
    for number, (_, line) in enumerate(lines):
        yield f"{',' if number else ''}{line}\n".encode()
    integrity = {
        "canonicalization": "RFC8785",
        "checksum": checksum_of(lines),
        "total_memories": len(lines),
    }
    relations = canonical(list(_relations(found, ids)))
    yield f'],"relations":{relations},"integrity":{canonical(integrity)}}}\n'.encode()


def checksum_of(memories: list[tuple[str, str]]) -> str:
    """The checksum of memories, given by id and canonical JSON."""
    hashed = hashlib.sha256(b"[")
    for number, (_, line) in enumerate(sorted(memories, key=lambda one: one[0])):
        hashed.update(f"{',' if number else ''}{line}".encode("utf-8", "surrogatepass"))
    hashed.update(b"]")
    return f"sha256:{hashed.hexdigest()}"


def read_record(record: dict[str, Any], *, now: datetime) -> Memory:
    """The memory of one record. Raises WrongField."""
    own = optional_mapping(record, "metadata").get(OWN)
    return memory_of(_fields(record), own, now=now)


def may_be_kept(record: dict[str, Any]) -> bool:
    """Whether its owner allows exports of it; a book could not remember that it is forbidden."""
    return optional_flag(optional_mapping(record, "access"), "exportable", default=True)


def _record(memory: Memory, ids: Collection[str]) -> dict[str, Any]:
    """A memory as a record of the format, among others with these ids."""
    known = memory.kind in _TYPES
    content = well_formed(memory.content)
    record: dict[str, Any] = {
        "id": memory.id,
        "type": memory.kind if known else "custom",
        "status": _STATUSES[memory.status],
        "content": content,
        "content_hash": _content_hash(content),
        "tags": _tags(memory.tags),
        "confidence": {"current": memory.confidence},
        "temporal": _times(memory),
        "provenance": {"platform": "commonplace"},
        "access": {
            "visibility": "public" if memory.sensitivity == "public" else "private",
            "exportable": True,
            "shared_with": [],
        },
    }
    if not known:
        record["custom_type"] = memory.kind
    if memory.title:
        record["summary"] = well_formed(memory.title)
    if memory.superseded_by in ids and memory.status == "superseded":
        record["temporal"]["superseded_by"] = memory.superseded_by
    if memory.trust in _METHODS:
        record["provenance"]["extraction_method"] = _METHODS[memory.trust]
    record["metadata"] = {OWN: own_part(memory, _fields(record))}
    return record


def _times(memory: Memory) -> dict[str, str]:
    times = {"created_at": memory.created}
    if memory.updated >= memory.created:
        times["updated_at"] = memory.updated
    begin, end = memory.valid_from, memory.valid_until
    # The format refuses an end before the beginning; our own part has such times.
    if begin is None or end is None or begin <= end:
        times |= {n: t for n, t in (("valid_from", begin), ("valid_until", end)) if t is not None}
    return {name: _stamp(time) for name, time in times.items()}


def _fields(record: dict[str, Any]) -> dict[str, Any]:
    """The fields of a memory that a record says."""
    times = optional_mapping(record, "temporal")
    status = optional_text(record, "status")
    visibility = optional_text(optional_mapping(record, "access"), "visibility")
    fields = {
        "id": text_of(record, "id"),
        "content": text_of(record, "content"),
        "kind": _kind(record),
        "status": _READ_STATUSES.get(status),
        "title": one_line(optional_text(record, "summary")),
        "tags": texts_of(record, "tags") or None,
        "confidence": optional_share(optional_mapping(record, "confidence"), "current"),
        "sensitivity": "public" if visibility == "public" else None,
        "created": time_of(times, "created_at"),
        "valid_from": optional_time(times, "valid_from"),
        "valid_until": optional_time(times, "valid_until"),
    }
    return {name: value for name, value in fields.items() if value is not None}


def _kind(record: dict[str, Any]) -> str | None:
    """The kind of a record's type; a name that cannot be a kind is written as one."""
    named = text_of(record, "type")
    if named == "custom":
        named = text_of(record, "custom_type")
    kind = "-".join("".join(c if c.isalnum() else " " for c in named.lower()).split())
    return next((one for one in (named, kind) if is_kind(one)), None)


def _tags(tags: Iterable[str]) -> list[str]:
    """Tags with the letters that the format allows; our own part has the others."""
    plain = (unicodedata.normalize("NFKD", tag).lower() for tag in tags)
    kept = (
        "".join(
            c if c in "_-" or (c.isascii() and c.isalnum()) else " " for c in one if c.isascii()
        )
        for one in plain
    )
    tidy = ("-".join(one.split()).lstrip("_-") for one in kept)
    return list(dict.fromkeys(one for one in tidy if one))


def _content_hash(content: str) -> str:
    plain = unicodedata.normalize("NFC", content.strip().lower())
    return f"sha256:{hashlib.sha256(' '.join(plain.split()).encode()).hexdigest()}"


def _relations(memories: Iterable[Memory], ids: Collection[str]) -> Iterator[dict[str, str]]:
    for one in memories:
        named = [("supersedes", one.supersedes), *(("derived_from", id) for id in one.derived_from)]
        for kind, other in dict.fromkeys(named):
            if other is not None and other in ids and other != one.id:
                yield {
                    "id": f"{one.id}:{kind}:{other}",
                    "from": one.id,
                    "to": other,
                    "type": kind,
                    "created_at": _stamp(one.created),
                }


def _stamp(moment: datetime) -> str:
    """UTC, with a fraction only if there is one; the format's own library writes it alike."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
