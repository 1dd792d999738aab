"""Pages of a backup: lists cut into pages, stored in files named by the hash of their content."""

from __future__ import annotations

import json
import os
import time
import zlib
from contextlib import contextmanager, suppress

from ...model.errors import Damaged, StoreUnavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Iterable, Iterator
    from typing import Any


NAME_CHARACTERS = 32
GRACE_S = 6 * 3600
"""A page touched this recently may belong to a backup that is still being written."""


class PageFiles:
    """The files of the pages; equal pages are stored once."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def put(self, data: bytes) -> tuple[str, int]:
        """Store a page; returns its name and the number of bytes written."""
        name = content_name(data)
        path = self._path(name)
        try:
            os.utime(path)
        except FileNotFoundError:
            pass
        else:
            return name, 0
        packed = zlib.compress(data, 6)
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        write_file(path, packed)
        return name, len(packed)

    def get(self, name: str) -> bytes:
        """The page with that name; raises Damaged if it has changed."""
        try:
            with open(self._path(name), "rb") as file:
                data = zlib.decompress(file.read())
        except FileNotFoundError as error:
            raise _damaged(name, "is missing") from error
        except zlib.error as error:
            raise _damaged(name, "cannot be read") from error
        if content_name(data) != name:
            raise _damaged(name, "has changed")
        return data

    def drop_all_but(self, needed: Collection[str]) -> int:
        """Remove all other pages; returns the number of bytes freed."""
        freed, now = 0, time.time()
        for folder, _, names in os.walk(self._folder):
            for name in names:
                if name not in needed:
                    path = os.path.join(folder, name)
                    with suppress(FileNotFoundError):
                        found = os.stat(path)
                        if now - found.st_mtime > GRACE_S:
                            os.unlink(path)
                            freed += found.st_size
        return freed

    def _path(self, name: str) -> str:
        return os.path.join(self._folder, name[:2], name)


def content_name(data: bytes) -> str:
    """The name of a page: the hash of its content."""
    import hashlib

    return hashlib.blake2b(data, digest_size=NAME_CHARACTERS // 2).hexdigest()


def write_file(path: str, data: bytes) -> None:
    """Write a private file atomically and durably."""
    draft = f"{path}.{os.getpid()}.tmp"
    with suppress(FileNotFoundError):
        os.unlink(draft)
    file = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with open(file, "wb") as opened:
        opened.write(data)
        opened.flush()
        os.fsync(opened.fileno())
    os.replace(draft, path)
    _sync_folder(os.path.dirname(path))


@contextmanager
def storage_errors(where: str) -> Generator[None]:
    """Raise StoreUnavailable for errors of the file system."""
    try:
        yield
    except OSError as error:
        raise StoreUnavailable(
            f"The backups in {where} cannot be used: {error.strerror or error}.",
            hint="Check that the folder exists, is writable and has free space.",
        ) from error


def _sync_folder(folder: str) -> None:
    if os.name == "nt":
        return  # Windows cannot open folders.
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _damaged(name: str, what: str) -> Damaged:
    return Damaged(
        f"The page {name} of the backup {what}.",
        hint="Choose another backup, or restore the folder from a copy.",
    )


RECORDS, EVENTS, USES = "records", "events", "uses"
PARTS = (RECORDS, EVENTS, USES)
ENTRIES_PER_PAGE = {RECORDS: 64, EVENTS: 256, USES: 256}
"""Average number of entries per page; a change rewrites its page only."""
MAX_PAGE_BYTES = 1_000_000


def pages(part: str, entries: Iterable[tuple[int, str]]) -> Iterator[tuple[bytes, int]]:
    """Pages of entries, given as cut number and line; yields each page and its number of entries.

    The number of an entry alone decides whether its page ends there, so that a change elsewhere
    leaves the page as it is.
    """
    every, lines, size = ENTRIES_PER_PAGE[part], list[str](), 0
    for number, line in entries:
        lines.append(line)
        size += len(line)
        if number % every == 0 or size > MAX_PAGE_BYTES:
            yield _page(lines), len(lines)
            lines, size = [], 0
    if lines:
        yield _page(lines), len(lines)


def page_number(id: str) -> int:
    """The cut number of a record or counter."""
    return zlib.crc32(id.encode("utf-8", "surrogatepass"))


def parse_page(page: bytes) -> list[Any]:
    """The entries of a page."""
    try:
        return [json.loads(line) for line in page.decode().splitlines()]
    except ValueError as error:
        raise Damaged(
            "A page of the backup is malformed.", hint="Choose another backup."
        ) from error


def json_line(value: object) -> str:
    """A value as one line of JSON."""
    # ASCII, because some texts hold characters that splitlines takes for a line break.
    return json.dumps(value, separators=(",", ":"))


def _page(lines: list[str]) -> bytes:
    return ("\n".join(lines) + "\n").encode()
