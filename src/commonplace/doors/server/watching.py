"""Noticing what people edit in their notes, beside the requests instead of before each of them.

Looking through a large vault takes longer than answering a question. A command must look before it
answers; a server looks all the time, and a hand-made edit is known a moment later.
"""

from __future__ import annotations

import logging
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ...errors import CommonplaceError

if TYPE_CHECKING:
    from collections.abc import Generator

    from ...book import Commonplace

PAUSE_S = 0.5
SHARE = 10
"""Looking may take up to one part in so many of the time."""
log = logging.getLogger("commonplace.server")


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
