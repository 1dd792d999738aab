"""Worker processes that answer at one port, and their supervisor.

Each worker opens the book itself; workers share only the sockets. The supervisor replaces a worker
that dies. On SIGHUP it replaces all of them one by one, each new worker answering before an old one
stops. Workers end when the supervisor dies.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import sys
import threading
import time
from contextlib import contextmanager
from multiprocessing import connection

from ...model.errors import CommonplaceError, Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from multiprocessing.context import SpawnProcess

    Work = Callable[[Callable[[], object]], object]
    """The body of a worker; its argument is called once the worker answers."""


START_TIMEOUT_S = 60.0
RESTART_DELAY_S = 1.0
"""Delay before a worker is replaced that died without ever answering."""
log = logging.getLogger("commonplace.server")
_spawn = multiprocessing.get_context("spawn")


class Worker:
    """One worker process."""

    def __init__(self, work: Work) -> None:
        self._ready = _spawn.Event()
        self._process: SpawnProcess = _spawn.Process(target=_run, args=(work, self._ready.set))
        self._process.start()

    @property
    def sentinel(self) -> int:
        """File descriptor that becomes readable when the process ends."""
        return self._process.sentinel

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process.is_alive()

    @property
    def ready(self) -> bool:
        """Whether the worker has ever answered."""
        return self._ready.is_set()

    def wait_until_ready(self, *, unless: Callable[[], bool]) -> bool:
        """Wait until the worker answers; False when it fails, takes too long or `unless` holds."""
        deadline = time.monotonic() + START_TIMEOUT_S
        while self.alive and time.monotonic() < deadline and not unless():
            if self._ready.wait(0.1):
                return True
        return False

    def stop(self) -> None:
        """Tell the worker to finish its requests and end."""
        if self.alive:
            self._process.terminate()

    def join(self) -> None:
        """Wait until the process has ended."""
        self._process.join()


class Workers:
    """A fixed number of workers, supervised until SIGTERM or SIGINT."""

    def __init__(self, work: Work, count: int) -> None:
        self._work = work
        self._stopping = self._roll_requested = False
        self._workers = [Worker(work) for _ in range(count)]

    def supervise(self, on_started: Callable[[], object] = lambda: None) -> None:
        """Replace dead workers until a signal says stop; `on_started` runs at the first answer."""
        answered = False
        with self._signals():
            while not self._stopping:
                connection.wait([one.sentinel for one in self._workers], timeout=0.2)
                if not answered and any(one.ready for one in self._workers):
                    answered = True
                    on_started()
                if self._roll_requested:
                    self._roll_requested = False
                    self._roll()
                self._replace_dead()

    def stop(self) -> None:
        """Tell all workers to end."""
        for one in self._workers:
            one.stop()

    def join(self) -> None:
        """Wait until all workers have ended."""
        for one in self._workers:
            one.join()

    def _replace_dead(self) -> None:
        for place, one in enumerate(self._workers):
            if one.alive or self._stopping:
                continue
            if not any(worker.ready for worker in self._workers):
                raise Unavailable(
                    "The server's workers end before they answer.",
                    hint="Their standard error says why.",
                )
            if not one.ready:
                time.sleep(RESTART_DELAY_S)
            log.warning("A worker died and is replaced.")
            self._workers[place] = Worker(self._work)

    def _roll(self) -> None:
        for place, old in enumerate(self._workers):
            new = Worker(self._work)
            if not new.wait_until_ready(unless=lambda: self._stopping):
                log.error("A new worker does not start to answer; the old ones go on.")
                new.stop()
                new.join()
                return
            self._workers[place] = new
            old.stop()
            old.join()

    @contextmanager
    def _signals(self) -> Generator[None]:
        def stop(*_: object) -> None:
            self._stopping = True

        def roll(*_: object) -> None:
            self._roll_requested = True

        handlers = {signal.SIGINT: stop, signal.SIGTERM: stop}
        if hasattr(signal, "SIGHUP"):
            handlers[signal.SIGHUP] = roll
        before = {one: signal.signal(one, handler) for one, handler in handlers.items()}
        try:
            yield
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)


def _run(work: Work, ready: Callable[[], object]) -> None:
    """Run in the worker process."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if hasattr(signal, "SIGHUP"):
        # A closing terminal signals the whole process group; only the supervisor acts on it.
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        work(ready)
    except CommonplaceError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(error.exit_code)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)
