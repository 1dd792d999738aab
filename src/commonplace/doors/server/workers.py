"""Several processes that answer at one port, and the one that looks after them.

Each opens the book for itself; nothing is shared but the port. One that dies is replaced. SIGHUP
replaces them all, one after the other, each new one before an old one goes, so that the port is
never without an answer. When the process that looks after them dies, they end.
"""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import secrets
import signal
import socket
import sys
import threading
import time
from contextlib import contextmanager, suppress
from multiprocessing import connection

import uvicorn

from ...model.errors import CommonplaceError, Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from multiprocessing.context import SpawnProcess
    from types import FrameType

    from .app import Readiness

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


# How a server ends: it asks callers to move on, finishes what has begun, and says nothing.


FINISH_S = 10
"""How long requests that have begun may take to end once the port is closed."""

LAST_ONES_S = 0.25
"""How long a caller that got through may take to say what it wants."""


class Server(uvicorn.Server):
    """Ends quietly: being told to stop is how every server ends, not a failure."""

    def __init__(
        self,
        config: uvicorn.Config,
        *,
        readiness: Readiness,
        linger_s: float = 0.0,
        started: Callable[[], object] = lambda: None,
    ) -> None:
        super().__init__(config)
        self._readiness = readiness
        self._linger_s = linger_s
        self._leave_at: float | None = None
        self._say_started = started

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Stop on a signal, without raising it again once stopped."""
        before = {
            one: signal.signal(one, self.handle_exit) for one in (signal.SIGINT, signal.SIGTERM)
        }
        try:
            yield
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop after lingering, so that proxies notice first; told twice, stop at once."""
        again = self._readiness.ending
        self._readiness.ending = True
        if again or not self._linger_s:
            super().handle_exit(sig, frame)
        else:
            self._leave_at = time.monotonic() + self._linger_s

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer."""
        await super().startup(sockets=sockets)
        self._say_started()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take in nobody else, answer those who were let in a moment ago, and end."""
        for one in (*self.servers, *(sockets or ())):
            one.close()
        # Else a connection whose request has not arrived yet would be closed without an answer.
        await asyncio.sleep(LAST_ONES_S)
        await super().shutdown(sockets)

    async def on_tick(self, counter: int) -> bool:
        """Whether it is time to leave; asked ten times a second."""
        if self._leave_at is not None and time.monotonic() >= self._leave_at:
            self.should_exit = True
        return await super().on_tick(counter)


# A socket in the state folder, by which only the person that it belongs to can ask.


LONGEST = 103
"""Bytes that the path of a socket may have on every system."""
BEGINS, ENDS = "server-", ".sock"


@contextmanager
def listening_in(root: str) -> Generator[socket.socket | None]:
    """A socket of our own in the root of state; None on systems and in folders without any."""
    if not hasattr(socket, "AF_UNIX"):
        yield None
        return
    os.makedirs(root, mode=0o700, exist_ok=True)
    _remove_stale(root)
    path = os.path.join(root, f"{BEGINS}{secrets.token_hex(3)}{ENDS}")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as own:
        try:
            yield own if _bound(own, path) else None
        finally:
            _remove(path)


def _bound(own: socket.socket, path: str) -> bool:
    if len(os.fsencode(path)) > LONGEST:
        return False
    try:
        own.bind(path)
        os.chmod(path, 0o600)
        own.listen()  # Not before: until now nobody could connect.
    except OSError:
        return False  # Some file systems have no sockets.
    return True


def _remove_stale(root: str) -> None:
    """Remove what servers left behind that were killed."""
    for name in os.listdir(root):
        if not (name.startswith(BEGINS) and name.endswith(ENDS)):
            continue
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.setblocking(False)
            try:
                line.connect(os.path.join(root, name))
            except ConnectionRefusedError:
                _remove(os.path.join(root, name))
            except OSError:
                continue  # Somebody listens, and has no time.


def _remove(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)
