"""JSON read piece by piece, so that a file may be larger than what fits into memory."""

from __future__ import annotations

import io
import json

from .archive_file import damaged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import IO, Any

    from .archive_file import ArchiveFile

CHUNK = 1 << 16
MOST_CHARACTERS = 1 << 28
"""No single value is longer than this."""
_decode = json.JSONDecoder().raw_decode
_BROKEN = (ValueError, RecursionError, UnicodeDecodeError)


class Pieces:
    """The values of one JSON text, in order, each decoded when it is asked for."""

    def __init__(self, file: IO[bytes]) -> None:
        self._text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
        self._buffer = ""
        self._at = 0

    def next(self) -> str:
        """The next character that is not space, without taking it; empty at the end."""
        while True:
            while self._at < len(self._buffer) and self._buffer[self._at] in " \t\r\n":
                self._at += 1
            if self._at < len(self._buffer) or not self._more(CHUNK):
                return self._buffer[self._at : self._at + 1]

    def take(self, *allowed: str) -> str:
        """Take the next character, which must be one of these."""
        if (found := self.next()) not in allowed or not found:
            raise ValueError(f"{found!r} where {' or '.join(allowed)} is expected")
        self._at += 1
        return found

    def value(self) -> Any:
        """The next whole value."""
        size = CHUNK
        while True:
            self.next()
            try:
                found, end = _decode(self._buffer, self._at)
            except ValueError:
                if len(self._buffer) > MOST_CHARACTERS or not self._more(size):
                    raise
            else:
                # A number at the very end may go on in the next chunk.
                if end < len(self._buffer) or not self._more(CHUNK):
                    self._at = end
                    return found
            size *= 2

    def elements(self) -> Iterator[Any]:
        """The elements of the list that comes next."""
        self.take("[")
        if self.next() == "]":
            self.take("]")
            return
        while True:
            yield self.value()
            if self.take(",", "]") == "]":
                return

    def members(self) -> Iterator[str]:
        """The names in the object that comes next; whoever asks takes each value."""
        self.take("{")
        if self.next() == "}":
            self.take("}")
            return
        while True:
            name = self.value()
            self.take(":")
            yield str(name)
            if self.take(",", "}") == "}":
                return

    def release(self) -> None:
        """Let go of the file without closing it; whoever opened it does that."""
        self._text.detach()

    def _more(self, size: int) -> bool:
        self._buffer, self._at = self._buffer[self._at :], 0
        read = self._text.read(size)
        self._buffer += read
        return bool(read)


def elements(parcel: ArchiveFile, name: str, *, under: Collection[str] = ()) -> Iterator[Any]:
    """The elements of a list that is the whole file, or a member of its object called so."""
    with parcel.open(name) as file:
        pieces = Pieces(file)
        try:
            if pieces.next() == "[":
                yield from pieces.elements()
            else:
                yield from _inside(pieces, under)
            if pieces.next():
                raise ValueError("something follows the end")
        except _BROKEN as error:
            raise damaged(parcel, name, "its JSON is broken off or garbled") from error
        finally:
            pieces.release()


def _inside(pieces: Pieces, under: Collection[str]) -> Iterator[Any]:
    there = False
    for name in pieces.members():
        if name in under and pieces.next() == "[":
            there = True
            yield from pieces.elements()
        else:
            pieces.value()
    if not there:
        raise ValueError("the list is missing")


def first(parcel: ArchiveFile, name: str) -> Any:
    """What a JSON file begins with: its first element, or the name of its first member in a set.

    None when it is no JSON.
    """
    with parcel.open(name) as file:
        pieces = Pieces(file)
        try:
            if pieces.next() == "[":
                return next(pieces.elements(), None)
            for member in pieces.members():
                return {member}
        except _BROKEN:
            return None
        finally:
            pieces.release()
    return None


def lines(parcel: ArchiveFile, name: str) -> Iterator[Any]:
    """The values of a file with one on each line; None for a line that does not read."""
    with parcel.open(name) as file:
        for number, line in enumerate(file):
            if not line.strip():
                continue
            try:
                yield json.loads(line.decode("utf-8" if number else "utf-8-sig"))
            except (ValueError, RecursionError):
                yield None
