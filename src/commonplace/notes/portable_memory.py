"""The interchange format `portable-memory` 1.1: a folder `*.mem` of JSON lines with checksums.

Specification: https://github.com/MacPaw/portable-memory/blob/main/Spec/portable-memory-spec.md
"""

from __future__ import annotations

import hashlib
from datetime import UTC

from ..model.errors import BadScope
from ..model.memory import LIVE
from ..model.scope import Scope
from .canonical_json import canonical
from .foreign_record import (
    OWN,
    memory_of,
    one_line,
    optional_flag,
    optional_share,
    optional_text,
    optional_time,
    own_part,
    text_of,
    texts_of,
    time_of,
    well_formed,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import datetime
    from typing import Any

    from ..model.memory import Memory

MAJOR, VERSION = "1", "1.1.0"
MANIFEST, CHECKSUMS, TOMBSTONES = "manifest.json", "CHECKSUMS", "audit/tombstones.jsonl"
ITEMS, ENDING = "items/", ".jsonl"
_SPECIFICATION = "https://github.com/MacPaw/portable-memory/blob/main/Spec/portable-memory-spec.md"
_SUMMARY_CHARACTERS = 120
_NEUTRAL = 0.5
"""The importance of a memory whose writer gave it none."""
_SENSITIVITIES = {"public": "low", "private": "medium", "sensitive": "high"}


def write_bundle(
    memories: Iterable[Memory], *, now: datetime, version: str
) -> Iterator[tuple[str, bytes]]:
    """Path and bytes of each file of a bundle, the manifest last."""
    episodes = [_episode(one) for one in sorted(memories, key=lambda one: one.id)]
    streams = {"context": _contexts(episodes), "episode": episodes}
    files: list[dict[str, Any]] = []
    for kind, records in streams.items():
        if not records:
            continue
        path, data = f"{ITEMS}{kind}{ENDING}", "".join(f"{canonical(one)}\n" for one in records)
        files.append({"path": path, "bytes": len(data.encode()), "sha256": _sha256(data.encode())})
        yield path, data.encode()
    sums = "".join(f"{one['sha256']}  {one['path']}\n" for one in files).encode()
    yield CHECKSUMS, sums
    manifest: dict[str, Any] = {
        "format": VERSION, "specURL": _SPECIFICATION, "generator": f"commonplace/{version}",
        # Level 0 is a valid export; a higher one would promise to carry deletions.
        "conformanceLevel": "L0", "createdAt": _stamp(now), "exportMode": "full",
        "schemaVersion": 1, "embeddingModel": "", "embeddingDim": 0, "embeddingsIncluded": False,
        "capabilities": ["ext"], "files": files, "bundleDigest": _sha256(sums),
        "counts": {kind: len(records) for kind, records in streams.items() if records},
    }  # fmt: skip
    if episodes:
        times = sorted(one["eventTime"] for one in episodes)
        manifest["coverage"] = {"from": times[0], "to": times[-1]}
    if streams["context"]:
        manifest["scopes"] = [one["id"] for one in streams["context"]]
    yield MANIFEST, canonical(manifest).encode()


def read_record(kind: str, record: dict[str, Any], *, now: datetime) -> Memory:
    """The memory of one record. Raises WrongField."""
    own = record.get(OWN) if kind == "episode" else None
    fields = {name: value for name, value in READ_KINDS[kind](record).items() if value is not None}
    return memory_of(fields, own, now=now)


def _episode(memory: Memory) -> dict[str, Any]:
    content = well_formed(memory.content)
    scope = str(memory.scope)
    record: dict[str, Any] = {
        "id": memory.id,
        "eventTime": _stamp(memory.created),
        "mentionTime": _stamp(memory.created),
        "ingestionTime": _stamp(memory.updated),
        "sourceType": "chat" if memory.episode else "text",
        "actors": [memory.speaker] if memory.speaker else [],
        "summary": well_formed(memory.title) or content[:_SUMMARY_CHARACTERS],
        "details": content,
        "sensitivity": _SENSITIVITIES[memory.sensitivity],
        "metadata": {},
        "categories": list(memory.tags),
        "importance": _NEUTRAL if memory.importance is None else memory.importance,
        "confidence": memory.confidence,
        "lifecycleState": "HOT" if memory.status in LIVE else "ARCHIVED",
        "extractionState": "done",
        "accessCount": 0,
        "pinned": memory.always_load,
        "vaultRefs": [],
    }
    optional = {
        "contextID": scope if memory.scope.pairs else None,
        "speaker": memory.speaker,
        "expirationDate": memory.expires and _stamp(memory.expires),
        "deletedAt": memory.deleted_at and _stamp(memory.deleted_at),
    }
    record |= {name: value for name, value in optional.items() if value}
    said = {name: value for name, value in _episode_fields(record).items() if value is not None}
    return {**record, OWN: own_part(memory, said)}


def _contexts(episodes: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """A record for each scope, with the time of its first memory."""
    first: dict[str, str] = {}
    for one in episodes:
        if path := one.get("contextID"):
            first[path] = min(first.get(path, one["eventTime"]), one["eventTime"])
    return [
        {"id": path, "label": path, "archived": False, "createdAt": first[path]}
        for path in sorted(first)
    ]


def _episode_fields(record: dict[str, Any]) -> dict[str, Any]:
    summary, details = optional_text(record, "summary"), optional_text(record, "details")
    content = details if details.strip() else text_of(record, "summary")
    importance = optional_share(record, "importance")
    place = optional_text(record, "contextID")
    scope = _scope(place)
    return {
        "id": text_of(record, "id"),
        "content": content,
        "created": time_of(record, "eventTime"),
        # Most writers repeat the beginning of the text as its summary.
        "title": None if content.startswith(summary) else one_line(summary),
        "tags": texts_of(record, "categories") or None,
        "importance": None if importance == _NEUTRAL else importance,
        "confidence": optional_share(record, "confidence"),
        "sensitivity": "sensitive" if optional_text(record, "sensitivity") == "high" else None,
        "always_load": optional_flag(record, "pinned", default=False),
        "scope": scope,
        "topic": one_line(place) or None if scope is None else None,
        "speaker": one_line(optional_text(record, "speaker")) or None,
        "expires": optional_time(record, "expirationDate"),
        "status": "deleted" if optional_time(record, "deletedAt") else None,
    }


def _fact_fields(record: dict[str, Any]) -> dict[str, Any]:
    retired = optional_text(record, "supersededBy") or optional_time(record, "prunedAt")
    return {
        "id": text_of(record, "id"),
        "content": text_of(record, "text"),
        "kind": "fact",
        "created": time_of(record, "createdAt"),
        "valid_from": optional_time(record, "tValidFrom"),
        "valid_until": optional_time(record, "tValidTo"),
        "confidence": optional_share(record, "confidence"),
        "importance": optional_share(record, "importance"),
        "status": "superseded" if retired else None,
    }


def _core_fields(record: dict[str, Any]) -> dict[str, Any]:
    id = text_of(record, "id")
    return {"id": id, "title": one_line(id), "content": text_of(record, "content")}


def _preference_fields(record: dict[str, Any]) -> dict[str, Any]:
    name, value = text_of(record, "key"), text_of(record, "value")
    return {"id": f"preference:{name}", "kind": "preference", "content": f"{name}: {value}"}


def _procedure_fields(record: dict[str, Any]) -> dict[str, Any]:
    name = text_of(record, "name")
    steps = [f"{number}. {step}" for number, step in enumerate(texts_of(record, "steps"), 1)]
    when = optional_text(record, "triggerPattern")
    return {
        "id": text_of(record, "id"),
        "kind": "procedural",
        "title": one_line(name),
        "content": "\n".join([f"{name} (when: {when})" if when else name, *steps]),
    }


READ_KINDS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "episode": _episode_fields,
    "fact": _fact_fields,
    "core": _core_fields,
    "preference": _preference_fields,
    "procedure": _procedure_fields,
}
"""The kinds of records that have a text to remember."""


def _scope(path: str) -> str | None:
    """The path, if it is one of our scopes; other programs name contexts by ids of their own."""
    try:
        return str(Scope.parse(path)) if path.startswith("/") else None
    except BadScope:
        return None


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _stamp(moment: datetime) -> str:
    """UTC in whole seconds, as the format wants; our own part has the milliseconds."""
    utc = moment.astimezone(UTC).replace(microsecond=0)
    return utc.isoformat().replace("+00:00", "Z")
