"""How a server ends: it asks callers to move on, finishes what has begun, and says nothing."""

from __future__ import annotations

import asyncio
import signal
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import uvicorn

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from socket import socket
    from types import FrameType

    from .readiness import Readiness

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

    async def startup(self, sockets: list[socket] | None = None) -> None:
        """Begin to answer."""
        await super().startup(sockets=sockets)
        self._say_started()

    async def shutdown(self, sockets: list[socket] | None = None) -> None:
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
