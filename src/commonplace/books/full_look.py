"""Looks at every file of a large book in a process of its own, after an answer left that."""

from __future__ import annotations

import os

from ..model.errors import CommonplaceError
from .open import get_engine, open_book

LOW_PRIORITY = 10


def look_if_left() -> int:
    """Look at every file of the book that the environment names, unless that was done meanwhile."""
    if hasattr(os, "nice"):
        os.nice(LOW_PRIORITY)
    try:
        with open_book(create=False, background=False) as book:
            if get_engine(book).store.look_in_part() is not None:
                return 0
            book.look()
    except CommonplaceError:
        return 1  # The next answer finds out why, and says so.
    return 0


if __name__ == "__main__":
    raise SystemExit(look_if_left())
