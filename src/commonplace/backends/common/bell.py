"""Wakes one process of this machine that waits for something another process lets go.

A bell is a named pipe in the user's runtime folder. Waiters sleep until there is a byte in it, and
one of them takes it; to ring is to write one, if anybody listens. Whoever listens before he looks
whether he has to wait at all misses no ring. Nobody depends on a bell: a waiter also wakes up now
and then, because a holder that was killed rings none, and not every platform has named pipes.
"""

from __future__ import annotations

import os
import stat
import time

from ...model.quick_decorators import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Bell:
    """The bell of a name."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._found: str | None = None

    def ring(self) -> None:
        """Wake one of those who listen."""
        try:
            pipe = os.open(self._path(), os.O_WRONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
        except (OSError, AttributeError):
            return  # Nobody listens.
        try:
            os.write(pipe, b"!")
        except OSError:
            return  # It is full of rings that nobody has heard yet.
        finally:
            os.close(pipe)

    def listen(self) -> Listener | None:
        """Hear every ring from now on; None where that is not possible."""
        try:
            path = self._path()
            _make_own_folder(os.path.dirname(path))
            with suppress(FileExistsError):
                os.mkfifo(path, 0o600)
            # For both directions, or it would seem to end whenever nobody has it open to ring.
            pipe = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_NOFOLLOW)
        except (OSError, AttributeError):
            return None
        return Listener(pipe)

    def _path(self) -> str:
        if self._found is None:
            from hashlib import blake2b

            room = os.environ.get("XDG_RUNTIME_DIR") or os.environ.get("TMPDIR") or "/tmp"  # noqa: S108 (a folder of the user's own in it)
            name = blake2b(os.fsencode(self._name), digest_size=12).hexdigest()
            self._found = os.path.join(room, f"commonplace-{os.getuid()}", name)
        return self._found


class Listener:
    """An open ear for one bell."""

    def __init__(self, pipe: int) -> None:
        import select

        self._pipe = pipe
        self._select = select.select
        self._epoll: Any = None
        if hasattr(select, "EPOLLEXCLUSIVE"):
            # A ring then wakes one of those who listen, not all.
            self._epoll = select.epoll()
            self._epoll.register(pipe, select.EPOLLIN | select.EPOLLEXCLUSIVE)

    def wait(self, seconds: float) -> bool:
        """Sleep until a ring is heard that nobody else has heard; False after so long."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if self._rings(left):
                with suppress(BlockingIOError):
                    return bool(os.read(self._pipe, 1))
        return False

    def _rings(self, seconds: float) -> bool:
        if self._epoll is not None:
            return bool(self._epoll.poll(seconds))
        return bool(self._select([self._pipe], [], [], seconds)[0])

    def close(self) -> None:
        """Listen no longer."""
        if self._epoll is not None:
            self._epoll.close()
        os.close(self._pipe)


def _make_own_folder(path: str) -> None:
    """Make a folder that is this user's alone; raises OSError if another one has made it."""
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        found = os.lstat(path)
        mine = found.st_uid == os.getuid() and not stat.S_IMODE(found.st_mode) & 0o077
        if not stat.S_ISDIR(found.st_mode) or not mine:
            raise
