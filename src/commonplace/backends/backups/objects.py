"""Files that are named by the hash of what they hold, so that the same is never written twice."""

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


CHARACTERS = 32
GRACE_S = 6 * 3600
"""Pages that were written or found so lately may belong to a moment that is still being written."""


class Objects:
    """The pages of a backup."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def put(self, data: bytes) -> tuple[str, int]:
        """Keep some bytes: their name, and how many bytes of the disk that newly took."""
        name = digest(data)
        path = self._path(name)
        try:
            os.utime(path)
        except FileNotFoundError:
            pass
        else:
            return name, 0
        packed = zlib.compress(data, 6)
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        write(path, packed)
        return name, len(packed)

    def get(self, name: str) -> bytes:
        """What was kept under that name; raises Damaged when it is no longer that."""
        try:
            with open(self._path(name), "rb") as file:
                data = zlib.decompress(file.read())
        except FileNotFoundError as error:
            raise _damaged(name, "is missing") from error
        except zlib.error as error:
            raise _damaged(name, "cannot be read") from error
        if digest(data) != name:
            raise _damaged(name, "does not hold what was written")
        return data

    def drop_all_but(self, needed: Collection[str]) -> int:
        """Remove what nothing needs any more; says how many bytes that were."""
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


def digest(data: bytes) -> str:
    """The name of some bytes."""
    import hashlib

    return hashlib.blake2b(data, digest_size=CHARACTERS // 2).hexdigest()


def write(path: str, data: bytes) -> None:
    """Put a private file in place, whole and on the disk; a crash leaves none."""
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
def storage_error(where: str) -> Generator[None]:
    """Turn what the file system raises into one sentence with a hint."""
    try:
        yield
    except OSError as error:
        raise StoreUnavailable(
            f"The backups in {where} cannot be used: {error.strerror or error}.",
            hint="Check that the folder is there, may be written and has room.",
        ) from error


def _sync_folder(folder: str) -> None:
    if os.name == "nt":
        return  # Windows cannot open folders, and needs no such thing.
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _damaged(name: str, what: str) -> Damaged:
    return Damaged(
        f"The page {name} of the backup {what}.",
        hint="Choose another moment, or take the folder from a copy.",
    )


# Cutting long lists into pages at places that stay the same while most of the list does.


RECORDS, EVENTS, USES = "records", "events", "uses"
PARTS = (RECORDS, EVENTS, USES)
ON_A_PAGE = {RECORDS: 64, EVENTS: 256, USES: 256}
"""How many there are on a page, about: a change writes its page again, and a book has many."""
MOST_BYTES = 1_000_000


def pages(part: str, entries: Iterable[tuple[int, str]]) -> Iterator[tuple[bytes, int]]:
    """The pages of some entries, each a number to cut by and a line, and how many each holds.

    A page ends where an entry's own number says so. Whatever is added or removed elsewhere, the
    same entries share a page again.
    """
    every, lines, size = ON_A_PAGE[part], list[str](), 0
    for number, line in entries:
        lines.append(line)
        size += len(line)
        if number % every == 0 or size > MOST_BYTES:
            yield _page(lines), len(lines)
            lines, size = [], 0
    if lines:
        yield _page(lines), len(lines)


def by_name(id: str) -> int:
    """The number that a record or counter is cut by."""
    return zlib.crc32(id.encode("utf-8", "surrogatepass"))


def lines_of(page: bytes) -> list[Any]:
    """What is on a page."""
    try:
        return [json.loads(line) for line in page.decode().splitlines()]
    except ValueError as error:
        raise Damaged(
            "A page of the backup does not read as one.", hint="Choose another moment."
        ) from error


def line(value: object) -> str:
    """A value as one line."""
    # Escaped to ASCII: some texts hold what a reader would take for the end of a line.
    return json.dumps(value, separators=(",", ":"))


def _page(lines: list[str]) -> bytes:
    return ("\n".join(lines) + "\n").encode()
