"""JSON of foreign files: read value by value, so that a file may exceed memory, and with care."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime

from ...model.codec import moment
from .archive_file import damaged_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import IO, Any, TypeGuard

    from ...model.errors import BadInput
    from .archive_file import ArchiveFile


CHUNK = 1 << 16
MAX_VALUE_CHARACTERS = 1 << 28
_decode = json.JSONDecoder().raw_decode
JSON_ERRORS = (ValueError, RecursionError, UnicodeDecodeError)


class JsonReader:
    """Decodes the values of one JSON text one by one."""

    def __init__(self, file: IO[bytes]) -> None:
        self._text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
        self._buffer = ""
        self._at = 0
        self._lines_before = 0

    def line_of(self, error: Exception) -> int:
        """The line at which an error of this reader arose."""
        at = error.pos if isinstance(error, json.JSONDecodeError) else self._at
        return self._lines_before + self._buffer.count("\n", 0, at) + 1

    def next(self) -> str:
        """The next character after white space, without consuming it; empty at the end."""
        while True:
            while self._at < len(self._buffer) and self._buffer[self._at] in " \t\r\n":
                self._at += 1
            if self._at < len(self._buffer) or not self._more(CHUNK):
                return self._buffer[self._at : self._at + 1]

    def take(self, *allowed: str) -> str:
        """Consume the next character, which must be one of these."""
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
                if len(self._buffer) > MAX_VALUE_CHARACTERS or not self._more(size):
                    raise
            else:
                # A number at the very end may go on in the next chunk.
                if end < len(self._buffer) or not self._more(CHUNK):
                    self._at = end
                    return found
            size *= 2

    def elements(self) -> Iterator[Any]:
        """The elements of the next list."""
        self.take("[")
        if self.next() == "]":
            self.take("]")
            return
        while True:
            yield self.value()
            if self.take(",", "]") == "]":
                return

    def members(self) -> Iterator[str]:
        """The keys of the next object; the caller reads each value."""
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
        """Detach from the file without closing it."""
        self._text.detach()

    def _more(self, size: int) -> bool:
        read = self._text.read(size)
        if read:
            self._lines_before += self._buffer.count("\n", 0, self._at)
            self._buffer, self._at = self._buffer[self._at :] + read, 0
        return bool(read)


def list_elements(archive: ArchiveFile, name: str, *, under: Collection[str] = ()) -> Iterator[Any]:
    """The elements of the list that is the whole file, or is a member of its object named so."""
    with archive.open(name) as file:
        reader = JsonReader(file)
        try:
            if reader.next() == "[":
                yield from reader.elements()
            else:
                yield from _member_elements(reader, under)
            if reader.next():
                raise ValueError("text after the end")
        except JSON_ERRORS as error:
            raise _damaged_json(archive, name, reader.line_of(error)) from error
        finally:
            reader.release()


def _damaged_json(archive: ArchiveFile, name: str, line: int) -> BadInput:
    return damaged_error(archive, name, f"its JSON is truncated or malformed at line {line:,}")


def _member_elements(reader: JsonReader, under: Collection[str]) -> Iterator[Any]:
    found = False
    for name in reader.members():
        if name in under and reader.next() == "[":
            found = True
            yield from reader.elements()
        else:
            reader.value()
    if not found:
        raise ValueError("the list is missing")


def first_entry(archive: ArchiveFile, name: str) -> Any:
    """The first element of a JSON list, or the first key of an object in a set; else None.

    BadInput if the JSON breaks off before.
    """
    with archive.open(name) as file:
        reader = JsonReader(file)
        try:
            if reader.next() == "[":
                return next(reader.elements(), None)
            if reader.next() == "{":
                return next(({member} for member in reader.members()), None)
        except JSON_ERRORS as error:
            raise _damaged_json(archive, name, reader.line_of(error)) from error
        finally:
            reader.release()
    return None


def json_lines(archive: ArchiveFile, name: str) -> Iterator[Any]:
    """The values of a JSON Lines file; None for a malformed line."""
    with archive.open(name) as file:
        for number, line in enumerate(file):
            if not line.strip():
                continue
            try:
                yield json.loads(line.decode("utf-8" if number else "utf-8-sig"))
            except (ValueError, RecursionError):
                yield None


MAX_LINE_CHARACTERS = 200
_MILLISECONDS = 1e11
"""A larger number is in milliseconds, because as seconds it is past the year 5138."""


def as_mapping(value: Any) -> dict[str, Any]:
    """The object, or an empty one for anything else."""
    return value if _is_mapping(value) else {}


def as_list(value: Any) -> list[Any]:
    """The list, or an empty one for anything else."""
    return value if _is_list(value) else []


def as_text(value: Any) -> str:
    """The stripped text, or an empty one for anything else."""
    return value.strip() if isinstance(value, str) else ""


def as_line(value: Any) -> str | None:
    """The text as one short line; None if it is empty."""
    return " ".join(as_text(value).split())[:MAX_LINE_CHARACTERS].strip() or None


def as_labels(value: Any) -> tuple[str, ...]:
    """A list of short texts, or a single one, without duplicates."""
    found = (as_line(one) for one in (as_list(value) or [value]))
    return tuple(dict.fromkeys(one.lstrip("#") for one in found if one and one.strip("#")))


def as_time(value: Any) -> datetime | None:
    """A time given as ISO text or seconds since 1970; None for anything else."""
    try:
        if isinstance(value, str) and value:
            return moment(value.strip())
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            seconds = value / 1000 if value > _MILLISECONDS else value
            return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None


def _is_mapping(value: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)


def _is_list(value: object) -> TypeGuard[list[Any]]:
    return isinstance(value, list)
