"""Several processes that answer at one port, and the one that looks after them.

Each opens the book for itself; nothing is shared but the port. One that dies is replaced. SIGHUP
replaces them all, one after the other, each new one before an old one goes, so that the port is
never without an answer. When the process that looks after them dies, they end.
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
from typing import TYPE_CHECKING

from ...errors import CommonplaceError, Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from multiprocessing.context import SpawnProcess

    Work = Callable[[Callable[[], object]], object]
    """What a process does; it is handed what to call once it answers."""

START_S = 60.0
PAUSE_S = 1.0
"""Before one is replaced that died without ever having answered."""
log = logging.getLogger("commonplace.server")
_spawning = multiprocessing.get_context("spawn")


class Worker:
    """One process that answers."""

    def __init__(self, work: Work) -> None:
        self._ready = _spawning.Event()
        self._process: SpawnProcess = _spawning.Process(target=_run, args=(work, self._ready.set))
        self._process.start()

    @property
    def sentinel(self) -> int:
        """Becomes readable when the process ends."""
        return self._process.sentinel

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self._process.is_alive()

    @property
    def ready(self) -> bool:
        """Whether it has ever answered."""
        return self._ready.is_set()

    def wait_until_ready(self, *, unless: Callable[[], bool]) -> bool:
        """Wait until it answers; False when it does not get there."""
        deadline = time.monotonic() + START_S
        while self.alive and time.monotonic() < deadline and not unless():
            if self._ready.wait(0.1):
                return True
        return False

    def stop(self) -> None:
        """Tell it to finish what it has begun and end."""
        if self.alive:
            self._process.terminate()

    def join(self) -> None:
        """Wait for its end."""
        self._process.join()


class Workers:
    """So many processes, kept at work until a signal says otherwise."""

    def __init__(self, work: Work, count: int) -> None:
        self._work = work
        self._stopping = self._renewing = False
        self._workers = [Worker(work) for _ in range(count)]

    def look_after(self, started: Callable[[], object] = lambda: None) -> None:
        """Replace whoever dies, until told to stop; `started` is called once somebody answers."""
        answered = False
        with self._signals():
            while not self._stopping:
                connection.wait([one.sentinel for one in self._workers], timeout=0.2)
                if not answered and any(one.ready for one in self._workers):
                    answered = True
                    started()
                if self._renewing:
                    self._renewing = False
                    self._renew()
                self._replace_dead()

    def stop(self) -> None:
        """Tell all of them to end."""
        for one in self._workers:
            one.stop()

    def join(self) -> None:
        """Wait until all have ended."""
        for one in self._workers:
            one.join()

    def _replace_dead(self) -> None:
        for place, one in enumerate(self._workers):
            if one.alive or self._stopping:
                continue
            if not any(worker.ready for worker in self._workers):
                raise Unavailable(
                    "The server's processes end before they answer.",
                    hint="What they wrote to standard error says why.",
                )
            if not one.ready:
                time.sleep(PAUSE_S)
            log.warning("A process of the server died and is replaced.")
            self._workers[place] = Worker(self._work)

    def _renew(self) -> None:
        for place, old in enumerate(self._workers):
            new = Worker(self._work)
            if not new.wait_until_ready(unless=lambda: self._stopping):
                log.error("A new process does not begin to answer; the others go on.")
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

        def renew(*_: object) -> None:
            self._renewing = True

        handlers = {signal.SIGINT: stop, signal.SIGTERM: stop}
        if hasattr(signal, "SIGHUP"):
            handlers[signal.SIGHUP] = renew
        before = {one: signal.signal(one, handler) for one, handler in handlers.items()}
        try:
            yield
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)


def _run(work: Work, ready: Callable[[], object]) -> None:
    """Be one of the processes."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if hasattr(signal, "SIGHUP"):
        # A terminal that closes tells all of its processes; ours are told by the one above.
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
