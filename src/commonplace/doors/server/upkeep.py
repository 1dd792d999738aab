"""What a server does beside its answers: it looks through finished sessions, and tidies daily."""

from __future__ import annotations

import logging
import os
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ...errors import CommonplaceError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from ...book import Commonplace

EVERY_S = 60.0
MARK = "tidied"
"""The file in the state folder whose time says when the book was last tidied."""
log = logging.getLogger("commonplace.server")


@contextmanager
def upkeep(jobs: Sequence[Callable[[], object]], *, every_s: float = EVERY_S) -> Generator[None]:
    """Do each job now and then for as long as the block lasts; one that fails is tried again."""
    stop = threading.Event()

    def work() -> None:
        while not stop.wait(every_s):
            for job in jobs:
                _attempt(job)

    thread = threading.Thread(target=work, name="upkeep", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        # Not waited for: tidying may take minutes, and whatever it leaves the next run finishes.
        thread.join(timeout=1.0)


def _attempt(job: Callable[[], object]) -> None:
    try:
        job()
    except CommonplaceError as error:
        log.warning("Upkeep failed: %s", error)
    except Exception:  # A full disk, say: else one surprise would end all upkeep, without a word.
        log.exception("Upkeep failed in a way that nobody foresaw.")


def tidying(book: Commonplace, *, hours: float) -> Callable[[], object]:
    """Tidy the book when it is due; a book that was never tidied is given its first day."""
    mark = os.path.join(book.state, MARK)

    def tidy() -> None:
        if hours <= 0 or not _due(mark, hours):
            return
        # Noted first: another server on this device need not think of it as well.
        _touch(mark)
        book.maintain()

    return tidy


def _due(mark: str, hours: float) -> bool:
    try:
        return time.time() - os.stat(mark).st_mtime >= hours * 3600
    except FileNotFoundError:
        _touch(mark)
        return False


def _touch(mark: str) -> None:
    with open(mark, "a", encoding="utf-8"):
        os.utime(mark)
