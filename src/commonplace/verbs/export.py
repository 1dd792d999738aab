"""Take memories away: all that is visible or a selection, oldest first, the same every time."""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from contextlib import contextmanager

from ..engine.catch_up import catch_up
from ..model.errors import BadInput, Conflict
from ..model.results import Exported
from ..notes import note as notes
from ..notes.exchange import FORMAT, VERSION, head, line, note_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator
    from typing import IO

    from ..engine.engine import Engine
    from ..model.memory import Memory
    from ..ports.search_index import Where


BATCH = 500
_LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The time of every file in a packed folder, so that equal memories make equal bytes."""


def exported(engine: Engine, where: Where) -> Iterator[Memory]:
    """Every memory that meets the conditions, oldest first, a piece at a time."""
    catch_up(engine, look=not engine.watched)
    since, passed = where.created_from, 0
    while batch := engine.index.select(
        where.but(created_from=since),
        visible=engine.visible,
        order="oldest",
        limit=BATCH,
        offset=passed,
    ):
        yield from batch
        last = batch[-1].created
        of_that_moment = sum(one.created == last for one in batch)
        # The next piece begins with this moment, of which so many were seen: a book of any size
        # is read in one go, and not each piece from the beginning.
        passed = of_that_moment + (passed if batch[0].created == last == since else 0)
        since = last


def as_lines(memories: Iterable[Memory]) -> Iterator[bytes]:
    """One line of JSON for each, behind a line that says what this is."""
    yield f"{head()}\n".encode()
    for memory in memories:
        yield f"{line(memory)}\n".encode("utf-8", "replace")


def as_document(memories: Iterable[Memory]) -> Iterator[bytes]:
    """One JSON document, a piece at a time."""
    begin = json.dumps({"format": FORMAT, "version": VERSION, "memories": []})
    yield f"{begin.removesuffix(']}')}\n".encode()
    for number, memory in enumerate(memories):
        yield f"{',' if number else ' '}{line(memory)}\n".encode("utf-8", "replace")
    yield b"]}\n"


def as_notes(memories: Iterable[Memory]) -> Iterator[tuple[str, str]]:
    """A note for each, and where it goes: a folder for each scope."""
    taken: set[str] = set()
    for memory in memories:
        path = note_path(memory)
        if path.casefold() in taken:
            # Two of one name: both keep it, and the second its id as well.
            path = f"{path.removesuffix('.md')}-{memory.id}.md"
        taken.add(path.casefold())
        yield path, notes.render(memory)


def pack(memories: Iterable[Memory], file: IO[bytes]) -> None:
    """Write a packed folder of notes."""
    with zipfile.ZipFile(file, "w") as folder:
        for path, text in as_notes(memories):
            entry = zipfile.ZipInfo(path, _LONG_AGO)
            entry.external_attr = 0o644 << 16
            folder.writestr(entry, text, zipfile.ZIP_DEFLATED)


# An export as a file or folder: there whole, or not at all.


FORMATS = {"jsonl": ".jsonl", "json": ".json", "zip": ".zip", "markdown": ""}
"""How a file's name ends in each; a folder of notes has no ending."""


class CountedExport:
    """Memories on their way out, counted as they go by."""

    def __init__(self, memories: Iterable[Memory]) -> None:
        self._memories = memories
        self.count = 0

    def __iter__(self) -> Iterator[Memory]:
        for memory in self._memories:
            self.count += 1
            yield memory


def export_to(
    memories: Iterable[Memory], path: str, *, format: str | None = None, replace: bool = False
) -> Exported:
    """Write memories, by default in the format that the path's ending names."""
    path = os.path.abspath(os.path.expanduser(path))
    format = format or _format_of(path)
    if format not in FORMATS:
        raise BadInput(f"{format!r} is no format of exports.", hint=f"Use {', '.join(FORMATS)}.")
    _require_free(path, replace=replace)
    counted = CountedExport(memories)
    with _at_once(path) as draft:
        _write(counted, draft, format)
    return Exported(path, format, counted.count)


def _write(memories: Iterable[Memory], path: str, format: str) -> None:
    if format == "markdown":
        os.mkdir(path, 0o700)
        for name, text in as_notes(memories):
            note = os.path.join(path, *name.split("/"))
            os.makedirs(os.path.dirname(note), exist_ok=True)
            with open(note, "w", encoding="utf-8", newline="") as file:
                file.write(text)
        return
    with open(path, "xb", opener=_private) as file:
        if format == "zip":
            pack(memories, file)
        else:
            file.writelines((as_lines if format == "jsonl" else as_document)(memories))
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def _at_once(path: str) -> Generator[str]:
    """A place beside the wanted one, which takes the wanted one's name when all is written."""
    draft = f"{path}.{os.getpid()}.part"
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
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
    # Memories are somebody's own; whoever exports them decides who else reads the file.
    return os.open(path, flags, 0o600)


def _format_of(path: str) -> str:
    ending = os.path.splitext(path)[1].lower()
    return next((name for name, one in FORMATS.items() if one and one == ending), "markdown")


def _require_free(path: str, *, replace: bool) -> None:
    if os.path.isdir(path):
        # Never replaced: a folder may hold somebody's notes.
        if os.path.islink(path) or os.listdir(path):
            raise Conflict(f"The folder {path} is not empty.", hint="Name a new or an empty one.")
    elif os.path.lexists(path) and not replace:
        raise Conflict(f"{path} is there already.", hint="Choose another name, or use --replace.")
