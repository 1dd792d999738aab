"""What a server does beside its answers: it looks through finished sessions, and tidies daily."""

from __future__ import annotations

import logging
import threading
import time
from contextlib import contextmanager

from ...model.errors import CommonplaceError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from ...book import Commonplace


EVERY_S = 60.0
MARK = "tidied"
"""The name of tidying among the jobs; on one machine a file whose time says when it was done."""
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


def once(
    book: Commonplace, name: str, *, hours: float, work: Callable[[], object], at_once: bool = False
) -> Callable[[], object]:
    """A job that is done every so many hours by one of all servers of a book; never for 0.

    One that was never done is done `at_once`, or else after its first such time.
    """

    def attempt() -> None:
        if hours > 0:
            with book.server_state.turn(name, every_s=hours * 3600, at_once=at_once) as mine:
                if mine:
                    work()

    return attempt


def tidying(book: Commonplace, *, hours: float) -> Callable[[], object]:
    """Tidy the book when it is due; a book that was never tidied is given its first day."""
    return once(book, MARK, hours=hours, work=book.maintain)


def backing_up(book: Commonplace) -> Callable[[], object]:
    """Back the book up when the newest backup is old enough, by whichever server comes first."""
    return book.backup_if_due


# Noticing what people edit in their notes, beside the requests instead of before each of them.


PAUSE_S = 0.5
SHARE = 10
"""Looking may take up to one part in so many of the time."""


@contextmanager
def watching(book: Commonplace) -> Generator[Commonplace]:
    """The book for requests, for as long as a thread looks for edits in their place."""
    stop = threading.Event()
    looking = Looking(book)

    def look() -> None:
        while not stop.wait(looking.once()):
            pass

    thread = threading.Thread(target=look, name="watching", daemon=True)
    thread.start()
    try:
        yield book.watched()
    finally:
        stop.set()
        thread.join()


class Looking:
    """Looks, and complains of one thing once, however long it lasts."""

    def __init__(self, book: Commonplace) -> None:
        self._book = book
        self._complaint = ""

    def once(self) -> float:
        """Look once, and say how long to rest."""
        began = time.monotonic()
        complaint = ""
        try:
            self._book.look()
        except CommonplaceError as error:
            # The vault may be unmounted for a while; requests say so themselves.
            complaint = str(error)
        except Exception as error:  # Else one surprise would end all looking, without a word.
            complaint = f"{type(error).__name__}: {error}"
        if complaint and complaint != self._complaint:
            log.warning("Looking for edited notes failed: %s", complaint)
        self._complaint = complaint
        return max(PAUSE_S, (time.monotonic() - began) * SHARE)
