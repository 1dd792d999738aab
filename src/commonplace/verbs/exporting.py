"""Take memories away: all that is visible or a selection, oldest first, the same every time."""

from __future__ import annotations

import json
import zipfile

from ..rules.notes import note as notes
from ..rules.notes.exchange import FORMAT, VERSION, head, line, note_path
from .catch_up import catch_up

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import IO

    from ..model import Memory
    from ..ports.searching import Where
    from .engine import Engine

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
