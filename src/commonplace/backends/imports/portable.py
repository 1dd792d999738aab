"""The open interchange formats `portable-ai-memory` and `portable-memory`."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime

from ...model.errors import BadInput
from ...model.results import LeftOut
from ...notes import portable_ai_memory as pam
from ...notes import portable_memory as bundle
from ...notes.canonical_json import canonical
from ...notes.exchange import is_history, to_draft
from ...notes.foreign_record import WrongField
from .archive_file import damaged_error
from .conversations import SPEAKERS, ImportedTurn, turn_drafts
from .json_reader import (
    CHUNK,
    JSON_ERRORS,
    JsonReader,
    as_list,
    as_mapping,
    as_text,
    as_time,
    json_lines,
)
from .memories import HISTORY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ...model.memory import Draft, Memory
    from .archive_file import ArchiveFile

AI_MEMORY, BUNDLE = pam.SCHEMA, "portable-memory"
CHECKED_BYTES = 1 << 28
"""Size of the largest document whose checksum is compared, which takes all of it in memory."""
_MALFORMED = "its JSON is truncated or malformed"
_SCHEMAS = (pam.SCHEMA, pam.CONVERSATION, pam.EMBEDDINGS)
_FOLDERS = ("items/", "audit/", "embeddings/")
"""Folders of a bundle whose files the manifest must list."""


# portable-ai-memory: a document of memories, and one for each conversation.


def ai_memory_files(archive: ArchiveFile) -> list[str]:
    """The files that say that they are in the format; embeddings are not imported."""
    named = {name: _schema_of(archive, name) for name in archive.ending(".json")}
    return [name for name, schema in named.items() if schema in (pam.SCHEMA, pam.CONVERSATION)]


def _schema_of(archive: ArchiveFile, name: str) -> Any:
    """The schema that a document names before its first list."""
    with archive.open(name) as file:
        reader = JsonReader(file)
        try:
            if reader.next() == "{":
                for member in reader.members():
                    if reader.next() == "[":
                        return None
                    value = reader.value()
                    if member == "schema":
                        return value
        except JSON_ERRORS:
            return None
        finally:
            reader.release()
    return None


def read_ai_memory(archive: ArchiveFile, name: str) -> Iterator[Draft | LeftOut]:
    """The memories of a document, or the turns of a conversation."""
    head: dict[str, Any] = {}
    checked: list[tuple[str, str]] = []
    keep = archive.size(name) <= CHECKED_BYTES
    now = datetime.now(UTC)
    with archive.open(name) as file:
        reader = JsonReader(file)
        try:
            for member in reader.members():
                if member != "memories":
                    head[member] = reader.value()
                    continue
                if "schema" in head:
                    _require_schema(archive, name, head)
                head["memories"] = 0
                for number, record in enumerate(reader.elements(), 1):
                    yield _ai_memory_draft(archive, name, number, record, now=now)
                    head["memories"] = number
                    if keep:
                        checked.append((record["id"], canonical(record)))
            if reader.next():
                raise ValueError("text after the end")
        except JSON_ERRORS as error:
            raise damaged_error(archive, name, _MALFORMED) from error
        finally:
            reader.release()
    _require_schema(archive, name, head)
    if head["schema"] == pam.CONVERSATION:
        yield from _conversation(head)
    elif head["schema"] == pam.SCHEMA:
        _require_whole(archive, name, head, checked if keep else None)


def _ai_memory_draft(
    archive: ArchiveFile, name: str, number: int, record: Any, *, now: datetime
) -> Draft | LeftOut:
    if not isinstance(record, dict):
        raise damaged_error(archive, name, f"entry {number} is not a memory")
    said = as_mapping(record)
    try:
        if not pam.may_be_kept(said):
            return LeftOut("A memory that its owner does not let be exported.")
        return _draft(pam.read_record(said, now=now), scoped=_has_scope(said.get("metadata")))
    except WrongField as error:
        raise damaged_error(archive, name, f"entry {number} {error}") from error


def _require_schema(archive: ArchiveFile, name: str, head: dict[str, Any]) -> None:
    if head.get("schema") not in _SCHEMAS:
        raise damaged_error(archive, name, f"it does not say that it is {AI_MEMORY}")
    _require_version(archive, AI_MEMORY, head.get("schema_version"), pam.MAJOR)


def _require_version(archive: ArchiveFile, format: str, version: Any, major: str) -> None:
    if not isinstance(version, str) or version.partition(".")[0] != major:
        raise BadInput(
            f"{archive.name} has version {str(version)[:20]!r} of {format}, and only {major}.x"
            " can be read.",
            hint=f"Nothing was changed. Export it as {format} {major}.x, or upgrade Commonplace.",
        )


def _require_whole(
    archive: ArchiveFile, name: str, head: dict[str, Any], checked: list[tuple[str, str]] | None
) -> None:
    """Compare the memories with the document's own count and checksum, where it has them."""
    if "memories" not in head:
        raise damaged_error(archive, name, "it has no list of memories")
    integrity = as_mapping(head.get("integrity"))
    total, checksum = integrity.get("total_memories"), integrity.get("checksum")
    if total is not None and total != head["memories"]:
        raise damaged_error(archive, name, f"it says that it has {str(total)[:20]} memories")
    if checksum is not None and checked is not None and checksum != pam.checksum_of(checked):
        raise damaged_error(archive, name, "its memories do not match its checksum")


def _conversation(head: dict[str, Any]) -> Iterator[Draft | LeftOut]:
    """The turns from the first message to the last one; a list without branches is one branch."""
    messages = [as_mapping(one) for one in as_list(head.get("messages"))]
    if any(one.get("parent_id") for one in messages):
        messages = _last_branch(messages)
    turns = [
        ImportedTurn(
            as_text(one.get("role")), _message_text(one), as_time(one.get("created_at")),
            as_text(one.get("id")),
        )
        for one in messages
        if one.get("role") in SPEAKERS and one.get("is_thought") is not True
    ]  # fmt: skip
    yield from turn_drafts(as_text(head.get("id")) or "conversation", turns, tag=AI_MEMORY)


def _last_branch(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    known = {as_text(one.get("id")): one for one in messages}
    branch: list[dict[str, Any]] = []
    at = as_text(messages[-1].get("id"))
    while at in known:
        branch.append(known.pop(at))
        at = as_text(branch[-1].get("parent_id"))
    return branch[::-1]


def _message_text(message: dict[str, Any]) -> str:
    content = as_mapping(message.get("content"))
    parts = [content, *(as_mapping(one) for one in as_list(content.get("parts")))]
    return "\n".join(text for one in parts if (text := as_text(one.get("text"))))


# portable-memory: a folder with a manifest, JSON lines and checksums.


def bundle_manifest(archive: ArchiveFile, *, named: bool = False) -> str | None:
    """The manifest of a bundle; `named` takes any file of that name."""
    for name in archive.ending(bundle.MANIFEST):
        if name.rpartition("/")[2] == bundle.MANIFEST and (
            named or archive.name.lower().endswith(".mem") or _is_manifest(archive, name)
        ):
            return name
    return None


def _is_manifest(archive: ArchiveFile, name: str) -> bool:
    try:
        return "conformanceLevel" in as_mapping(json.loads(archive.text(name)))
    except (ValueError, RecursionError, BadInput):
        return False


def read_bundle(archive: ArchiveFile, name: str) -> Iterator[Draft | LeftOut]:
    """Every record with a text, after all files were compared with their checksums."""
    root = name.removesuffix(bundle.MANIFEST)
    listed = _verified_files(archive, name)
    gone = {
        as_text(one.get("targetID"))
        for path in listed
        if path == bundle.TOMBSTONES
        for one in _lines(archive, f"{root}{path}")
    }
    now = datetime.now(UTC)
    for path in listed:
        if not path.startswith(bundle.ITEMS) or not path.endswith(bundle.ENDING):
            continue
        kind = path.removeprefix(bundle.ITEMS).removesuffix(bundle.ENDING)
        for number, record in enumerate(_lines(archive, f"{root}{path}"), 1):
            yield _bundle_draft(archive, f"{root}{path}", number, kind, record, gone, now=now)


def _bundle_draft(
    archive: ArchiveFile,
    name: str,
    number: int,
    kind: str,
    record: dict[str, Any],
    gone: set[str],
    *,
    now: datetime,
) -> Draft | LeftOut:
    if kind not in bundle.READ_KINDS:
        return LeftOut(f"A record of the kind {kind[:40]}, which is no text to remember.")
    if record.get("id") in gone or record.get("episodeID") in gone:
        return LeftOut("A record that its bundle declares deleted.")
    try:
        memory = bundle.read_record(kind, record, now=now)
    except WrongField as error:
        raise damaged_error(archive, name, f"line {number} {error}") from error
    return _draft(memory, scoped=_has_scope(record) or bool(memory.scope.pairs))


def _verified_files(archive: ArchiveFile, name: str) -> list[str]:
    """The paths that a manifest lists, once every file is there and as it was written."""
    try:
        manifest = as_mapping(json.loads(archive.text(name)))
    except (ValueError, RecursionError) as error:
        raise damaged_error(archive, name, _MALFORMED) from error
    _require_version(archive, BUNDLE, manifest.get("format"), bundle.MAJOR)
    root = name.removesuffix(bundle.MANIFEST)
    entries = [as_mapping(one) for one in as_list(manifest.get("files"))]
    listed = [as_text(one.get("path")) for one in entries]
    for path, entry in zip(listed, entries, strict=True):
        # Only names of the archive itself are opened, so that no path leads out of it.
        if f"{root}{path}" not in archive.names:
            raise damaged_error(archive, name, f"it lists {path[:100]!r}, which is not there")
        if _sha256(archive, f"{root}{path}") != entry.get("sha256"):
            raise damaged_error(archive, f"{root}{path}", "it does not match its checksum")
    inside = {one.removeprefix(root) for one in archive.names if one.startswith(root)}
    if more := sorted(one for one in inside - set(listed) if one.startswith(_FOLDERS)):
        raise damaged_error(archive, name, f"it does not list {more[0][:100]!r}, which is there")
    return sorted(listed)


def _lines(archive: ArchiveFile, name: str) -> Iterator[dict[str, Any]]:
    for number, one in enumerate(json_lines(archive, name), 1):
        if not isinstance(one, dict):
            raise damaged_error(archive, name, f"line {number} is truncated or malformed")
        yield as_mapping(one)


def _sha256(archive: ArchiveFile, name: str) -> str:
    hashed = hashlib.sha256()
    with archive.open(name) as file:
        while piece := file.read(CHUNK):
            hashed.update(piece)
    return hashed.hexdigest()


def _has_scope(holder: Any) -> bool:
    return "scope" in as_mapping(as_mapping(holder).get("commonplace"))


def _draft(memory: Memory, *, scoped: bool) -> Draft | LeftOut:
    """The draft of a live memory; without a scope it goes to the importing caller's own."""
    if is_history(memory):
        return LeftOut(HISTORY)
    draft = to_draft(memory)
    return draft if scoped else draft.but(scope=None)
