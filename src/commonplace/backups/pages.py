"""Cutting long lists into pages at places that stay the same while most of the list does."""

from __future__ import annotations

import json
import zlib

from ..errors import Damaged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

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
