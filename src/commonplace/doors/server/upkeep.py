"""Background work of a server: periodic jobs, and a thread that notices edited notes."""

from __future__ import annotations

import logging
import threading
import time
from contextlib import contextmanager, suppress

from ...model.errors import CommonplaceError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from ...book import Commonplace


EVERY_S = 60.0
MAINTAIN_JOB = "tidied"
"""The job's name in the server state; for a vault also the file that records its last run."""
MIN_PAUSE_S = 0.5
PAUSE_FACTOR = 20
"""The pause after a check for edits, as a multiple of the time that the check took."""
log = logging.getLogger("commonplace.server")


@contextmanager
def run_jobs(jobs: Sequence[Callable[[], object]], *, every_s: float = EVERY_S) -> Generator[None]:
    """Run each job periodically while the block lasts; one that fails is tried again."""
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
        # Maintenance may take minutes; the next run finishes what this one leaves.
        thread.join(timeout=1.0)


def _attempt(job: Callable[[], object]) -> None:
    try:
        job()
    except CommonplaceError as error:
        log.warning("A background job failed: %s", error)
    except Exception:  # Such as a full disk: one error must not end all background work.
        log.exception("A background job failed unexpectedly.")


def periodic_job(
    book: Commonplace, name: str, *, hours: float, work: Callable[[], object], at_once: bool = False
) -> Callable[[], object]:
    """A job that one of a book's servers does every `hours` hours; never if that is 0.

    Without `at_once`, the first run comes after the first period.
    """

    def attempt() -> None:
        if hours > 0:
            with book.server_state.turn(name, every_s=hours * 3600, at_once=at_once) as mine:
                if mine:
                    work()

    return attempt


def maintain_job(book: Commonplace, *, hours: float) -> Callable[[], object]:
    """Maintain the book when due; for a new book, after the first period."""
    return periodic_job(book, MAINTAIN_JOB, hours=hours, work=book.maintain)


def give_back_memory() -> None:
    """Give memory that nothing uses back to the system, where the C library has a way.

    glibc keeps what each thread freed, in pieces: in a server for the most that its threads ever
    used at once, and more with every hour.
    """
    # Imported here, because only a server needs it.
    import ctypes

    with suppress(AttributeError, OSError, TypeError):  # Other systems and libraries have no such.
        ctypes.CDLL(None).malloc_trim(0)


@contextmanager
def watch_notes(book: Commonplace) -> Generator[Commonplace]:
    """The book for requests, while a thread checks for edited notes instead of each request."""
    stop = threading.Event()
    watcher = NoteWatcher(book)

    def watch() -> None:
        while not stop.wait(watcher.check_once()):
            pass

    thread = threading.Thread(target=watch, name="watch-notes", daemon=True)
    thread.start()
    try:
        yield book.watched()
    finally:
        stop.set()
        thread.join()


class NoteWatcher:
    """Checks for edited notes; a lasting failure is logged once."""

    def __init__(self, book: Commonplace) -> None:
        self._book = book
        self._failure = ""

    def check_once(self) -> float:
        """Check once; returns the seconds to wait before the next check."""
        began = time.monotonic()
        failure = ""
        try:
            self._book.look()
        except CommonplaceError as error:
            # The vault may be unmounted for a while; requests report that themselves.
            failure = str(error)
        except Exception as error:  # One error must not end the thread.
            failure = f"{type(error).__name__}: {error}"
        if failure and failure != self._failure:
            log.warning("Checking for edited notes failed: %s", failure)
        self._failure = failure
        return max(MIN_PAUSE_S, (time.monotonic() - began) * PAUSE_FACTOR)
