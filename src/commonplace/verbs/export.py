"""Export visible memories to a file or a folder of notes, in a stable order."""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from contextlib import contextmanager

from ..engine.branch_view import as_standing, with_standing
from ..engine.catch_up import catch_up_or_rebuild, find_purged
from ..model.errors import BadInput, Conflict
from ..model.memory import STATUSES
from ..model.results import Exported
from ..notes import note as notes
from ..notes.exchange import FORMAT, VERSION, export_head, export_line, note_path
from .find import is_listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator
    from datetime import datetime
    from typing import IO

    from ..engine.engine import Engine
    from ..model.memory import Memory
    from ..ports.search_index import Where


BATCH = 500
_FIXED_TIME = (1980, 1, 1, 0, 0, 0)
"""Time of every file in a zip, so that equal memories make equal bytes."""


def read_export(engine: Engine, where: Where) -> Iterator[Memory]:
    """Every memory that meets the conditions, oldest first, read in batches."""
    catch_up_or_rebuild(engine, look=not engine.edits_watched)
    if "superseded" not in (where.statuses or STATUSES):
        where = with_standing(engine, where)
    since, passed = where.created_from, 0
    while batch := engine.index.select(
        where.but(created_from=since),
        visible=engine.visible,
        order="oldest",
        limit=BATCH,
        offset=passed,
    ):
        # An index that could not be written during a purge, or an older copy of it, has them.
        purged = find_purged(engine, batch)
        yield from (one for one in as_standing(batch, where) if one.id not in purged)
        last = batch[-1].created
        of_that_moment = sum(one.created == last for one in batch)
        # The next batch starts at this moment and skips the memories of it that were read: an
        # offset from the beginning would read a large book again for each batch.
        passed = of_that_moment + (passed if batch[0].created == last == since else 0)
        since = last


def as_json_lines(memories: Iterable[Memory]) -> Iterator[bytes]:
    """A header line, then one line of JSON for each memory."""
    yield f"{export_head()}\n".encode()
    for memory in memories:
        yield f"{export_line(memory)}\n".encode("utf-8", "replace")


def as_json_document(memories: Iterable[Memory]) -> Iterator[bytes]:
    """One JSON document, in parts."""
    begin = json.dumps({"format": FORMAT, "version": VERSION, "memories": []})
    yield f"{begin.removesuffix(']}')}\n".encode()
    for number, memory in enumerate(memories):
        yield f"{',' if number else ' '}{export_line(memory)}\n".encode("utf-8", "replace")
    yield b"]}\n"


def as_notes(memories: Iterable[Memory]) -> Iterator[tuple[str, str]]:
    """Path and text of a note for each memory; each scope is a folder."""
    taken: set[str] = set()
    for memory in memories:
        path = note_path(memory)
        if path.casefold() in taken:
            # The second of two equal names gets its id added.
            path = f"{path.removesuffix('.md')}-{memory.id}.md"
        taken.add(path.casefold())
        yield path, notes.render_note(memory)


def pack(memories: Iterable[Memory], file: IO[bytes]) -> None:
    """Write a zip of notes."""
    with zipfile.ZipFile(file, "w") as folder:
        for path, text in as_notes(memories):
            entry = zipfile.ZipInfo(path, _FIXED_TIME)
            entry.external_attr = 0o644 << 16
            folder.writestr(entry, text, zipfile.ZIP_DEFLATED)


FORMATS = {
    "jsonl": ".jsonl", "portable-ai-memory": ".pam.json", "json": ".json", "zip": ".zip",
    "portable-memory": ".mem", "markdown": "",
}  # fmt: skip
"""File name suffix of each format; a folder of notes has none."""


class CountedExport:
    """Iterates over memories and counts those that a list shows, and the others."""

    def __init__(self, memories: Iterable[Memory]) -> None:
        self._memories = memories
        self.count = 0
        self.others = 0

    def __iter__(self) -> Iterator[Memory]:
        for memory in self._memories:
            self.count += 1
            self.others += not is_listed(memory)
            yield memory


def export_to(
    memories: Iterable[Memory],
    path: str,
    *,
    now: datetime,
    owner: str | None = None,
    format: str | None = None,
    replace: bool = False,
) -> Exported:
    """Write memories, by default in the format of the path's suffix.

    The open formats name the time of the export and the owner of the memories.
    """
    if not path.strip():
        raise BadInput("This names no file.", hint="Name a new file or folder to write.")
    path = os.path.abspath(os.path.expanduser(path))
    format = format or _format_for(path)
    if format not in FORMATS:
        raise BadInput(f"Unknown export format: {format!r}.", hint=f"Use {', '.join(FORMATS)}.")
    _require_free(path, replace=replace)
    above = os.path.dirname(path)
    if not os.path.isdir(above):
        raise BadInput(f"There is no folder {above}.", hint="Check the path, or make it first.")
    counted = CountedExport(memories)
    with _written_atomically(path) as draft:
        if format in ("portable-ai-memory", "portable-memory"):
            _write_open_format(counted, draft, format, now=now, owner=owner or "local")
        else:
            _write(counted, draft, format)
    return Exported(path, format, counted.count, counted.others)


def _write(memories: Iterable[Memory], path: str, format: str) -> None:
    if format == "markdown":
        _write_files(path, ((name, text.encode()) for name, text in as_notes(memories)))
        return
    with _private_file(path) as file:
        if format == "zip":
            pack(memories, file)
        else:
            file.writelines((as_json_lines if format == "jsonl" else as_json_document)(memories))


def _write_open_format(
    memories: Iterable[Memory], path: str, format: str, *, now: datetime, owner: str
) -> None:
    from ..distribution import release
    from ..notes.portable_ai_memory import write_document
    from ..notes.portable_memory import write_bundle

    if format == "portable-memory":
        _write_files(path, write_bundle(memories, now=now, version=release()))
        return
    with _private_file(path) as file:
        file.writelines(write_document(memories, now=now, owner=owner, version=release()))


def _write_files(folder: str, files: Iterable[tuple[str, bytes]]) -> None:
    """Write a folder that only the exporting user may read."""
    os.mkdir(folder, 0o700)
    for name, data in files:
        path = os.path.join(folder, *name.split("/"))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)


@contextmanager
def _private_file(path: str) -> Generator[IO[bytes]]:
    """A new file that only the exporting user may read, flushed to the disk."""
    with open(path, "xb", opener=_private) as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def _written_atomically(path: str) -> Generator[str]:
    """A temporary path, renamed to the final one when everything is written."""
    draft = f"{path}.{os.getpid()}.part"
    try:
        yield draft
        if os.path.isdir(path):
            os.rmdir(path)
        os.replace(draft, path)
    except OSError as error:
        raise BadInput(
            f"{path} cannot be written: {error.strerror}.", hint="Choose another place."
        ) from error
    finally:
        if os.path.isdir(draft):
            shutil.rmtree(draft, ignore_errors=True)
        elif os.path.lexists(draft):
            os.unlink(draft)


def _private(path: str, flags: int) -> int:
    # Only the exporting user may read the file.
    return os.open(path, flags, 0o600)


def _format_for(path: str) -> str:
    return next(name for name, ending in FORMATS.items() if path.lower().endswith(ending))


def _require_free(path: str, *, replace: bool) -> None:
    if os.path.isdir(path):
        # Never replaced: a folder may hold somebody's notes.
        if os.path.islink(path) or os.listdir(path):
            raise Conflict(f"The folder {path} is not empty.", hint="Name a new or an empty one.")
    elif os.path.lexists(path) and not replace:
        raise Conflict(f"{path} already exists.", hint="Choose another name, or use --replace.")
