"""Memories as files to take away, and files as memories to take in."""

from __future__ import annotations

import io
import json
import zipfile
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from ...errors import BadInput
from ...model import LIVE, Draft, Memory
from ...ports import Where
from ...rules import notes
from ...rules.codec import from_fields, to_fields
from ...rules.places import Place

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...book import Commonplace

BATCH = 500
MOST_BYTES = 64 * 1024 * 1024
"""The largest file that is taken in, packed or unpacked."""


def every(book: Commonplace, ids: Sequence[str] = (), *, old: bool = False) -> Iterator[Memory]:
    """The memories that are meant: those with these ids, or all; with `old`, retired ones too."""
    where = Where(ids=tuple(ids) or None, statuses=None if old or ids else LIVE)
    offset = 0
    while batch := book.browse(where=where, order="oldest", limit=BATCH, offset=offset):
        yield from (hit.memory for hit in batch)
        offset += len(batch)


def as_json(memories: Iterator[Memory]) -> Iterator[bytes]:
    """One JSON document, a piece at a time."""
    yield b'{"format": "commonplace", "version": 1, "memories": [\n'
    for number, memory in enumerate(memories):
        line = json.dumps(to_fields(memory), ensure_ascii=False)
        yield (",\n" if number else "").encode() + line.encode("utf-8", "replace")
    yield b"\n]}\n"


def as_markdown(memories: Iterator[Memory]) -> bytes:
    """A packed folder of notes, each with its frontmatter, a folder for each scope."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as folder:
        for memory in memories:
            path = f"{str(memory.scope).strip('/') or 'system'}/{memory.slug or memory.id}.md"
            folder.writestr(path, notes.render(memory))
    return packed.getvalue()


def drafts(name: str, data: bytes) -> list[Draft]:
    """What a file asks to be remembered: JSON as exported, a note, or a packed folder of notes."""
    if len(data) > MOST_BYTES:
        raise BadInput("The file is too large.", hint="Split it.")
    ending = name.rpartition(".")[2].lower()
    if ending == "json":
        return _from_json(data)
    if ending == "zip":
        return _from_folder(data)
    if ending in ("md", "markdown", "txt"):
        return [_from_note(name, data)]
    raise BadInput(f"{name[:80]!r} is no file that can be read.", hint="Use .json, .md or .zip.")


def _from_json(data: bytes) -> list[Draft]:
    try:
        read: dict[str, list[Any]] | list[Any] = json.loads(data)
        listed = read["memories"] if isinstance(read, dict) else read
        return [_draft(from_fields(_completed(one))) for one in listed]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BadInput(
            "The file is no list of memories.", hint="Use one that Export made."
        ) from error


def _completed(given: Any) -> dict[str, Any]:
    """A text alone is a memory too; what it does not say is as for a new one."""
    now = datetime.now(UTC).isoformat()
    fields = {"content": given} if isinstance(given, str) else dict(given)
    return {"id": "", "created": now, "updated": now, **fields}


def _from_folder(data: bytes) -> list[Draft]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as folder:
            files = [one for one in folder.infolist() if one.filename.endswith(".md")]
            if sum(one.file_size for one in files) > MOST_BYTES:
                raise BadInput("The folder is too large unpacked.", hint="Split it.")
            return [_from_note(one.filename, folder.read(one)) for one in files]
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise BadInput("The file is no packed folder.", hint="Use one that Export made.") from error


def _from_note(path: str, data: bytes) -> Draft:
    from ...scope import Scope

    inside = path.rpartition("/")[0]
    try:
        scope = Scope.parse("/" if inside in ("", "system") else inside)
    except BadInput:
        scope = Scope()  # Somebody else's folders say nothing about scopes.
    text = data.decode("utf-8", "replace")
    place = Place(scope=scope, owner="agent", kind="insight")
    return _draft(notes.read(text, path=path, place=place, modified=datetime.now(UTC)).memory)


def _draft(memory: Memory) -> Draft:
    """A memory as something to be remembered anew; who is trusted, the engine decides itself."""
    kept = {name: getattr(memory, name) for name in _KEPT}
    return Draft(**kept, imported_id=memory.imported_id or memory.id or None)


_KEPT = (
    "content", "scope", "kind", "tier", "owner", "sensitivity", "title", "aliases", "tags",
    "topic", "always_load", "confidence", "key", "value", "namespace", "episode", "position",
    "speaker", "created", "valid_from", "valid_until", "review_after", "expires",
)  # fmt: skip
