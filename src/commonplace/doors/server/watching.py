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

    def look() -> None:
        while not stop.wait(_looked(book)):
            pass

    thread = threading.Thread(target=look, name="watching", daemon=True)
    thread.start()
    try:
        yield book.watched()
    finally:
        stop.set()
        thread.join()


def _looked(book: Commonplace) -> float:
    """Look once, and say how long to rest."""
    began = time.monotonic()
    try:
        book.look()
    except CommonplaceError as error:
        # The vault may be unmounted for a while; requests say so themselves.
        log.warning("Looking for edited notes failed: %s", error)
    return max(PAUSE_S, (time.monotonic() - began) * SHARE)
