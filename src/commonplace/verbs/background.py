"""Work that goes on beside everything else, while a book stays open."""

from __future__ import annotations

import time
from _thread import allocate_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from threading import Thread

PAUSE_S = 30.0
"""How long to wait after work that got nowhere: an endpoint that is down is not asked at once."""


class Background:
    """At most one thread; it ends with its work, or between two steps when the book is closed."""

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._thread: Thread | None = None
        self._not_before = 0.0
        self._closed = False

    def begin(self, work: Callable[[Callable[[], bool]], int]) -> None:
        """Start some work, unless there is some going on.

        It is handed a function that says when to stop, and returns how much it got done.
        """
        with self._lock:
            busy = self._thread is not None and self._thread.is_alive()
            if busy or self._closed or time.monotonic() < self._not_before:
                return
            # Imported here: a command that only answers has no threads.
            from threading import Thread

            self._thread = Thread(target=self._run, args=(work,), daemon=True)
            self._thread.start()

    def wait(self) -> None:
        """Until what is going on is done."""
        if self._thread is not None:
            self._thread.join()

    def close(self) -> None:
        """Let the step that is going on end, and begin no other."""
        self._closed = True
        self.wait()

    def _run(self, work: Callable[[Callable[[], bool]], int]) -> None:
        if not work(lambda: self._closed):
            self._not_before = time.monotonic() + PAUSE_S
