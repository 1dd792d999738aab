"""A process that runs maintenance and kills itself at one write."""

from __future__ import annotations

import os
import signal
import sys
from datetime import UTC, datetime, timedelta

from commonplace import Commonplace
from commonplace.books.open import open_book
from commonplace.settings import Settings

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
TONIGHT = BEGIN + timedelta(days=100)


def open_at(url: str, state: str, begin: datetime) -> Commonplace:
    """The book, with a clock that starts at a moment and advances a millisecond per reading."""
    looks = 0

    def now() -> datetime:
        nonlocal looks
        looks += 1
        return begin + timedelta(milliseconds=looks)

    return open_book(url, settings=Settings(state=state, embedder="none"), now=now)


def main(url: str, state: str, boundary: int) -> None:
    """Run maintenance and die at a write, counted from 0; print the number of writes if it ends."""
    seen = 0

    def die(step: str, done: int, of: int) -> None:
        nonlocal seen
        if seen == boundary:
            os.kill(os.getpid(), signal.SIGKILL)
        seen += 1

    with open_at(url, state, TONIGHT) as book:
        book.maintain(progress=die)
    sys.stdout.write(f"{seen}\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
