"""Processes as holders of leases: who this one is, and whether another one still runs."""

from __future__ import annotations

import os
from _thread import allocate_lock
from contextlib import contextmanager

from ..value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _thread import LockType
    from collections.abc import Generator


class Holder(Value):
    """A process, told apart from a later one that happens to get the same number."""

    pid: int
    started: str = ""
    """When, in the units of this boot; empty where the platform does not say."""
    machine: str = ""
    """Which boot, and which process namespace of it, the number belongs to."""

    @classmethod
    def this(cls) -> Holder:
        """The process that asks."""
        pid = os.getpid()
        if not _this or _this[0].pid != pid:
            _this[:] = [cls(pid, _started(pid) or "", _machine())]
        return _this[0]

    @classmethod
    def parse(cls, text: str) -> Holder:
        """Read what `str` wrote."""
        pid, started, machine = text.split(" ", 2)
        return cls(int(pid), started, machine)

    def gone(self) -> bool:
        """Whether that process certainly runs no more; one elsewhere gets the benefit of doubt."""
        mine = Holder.this()
        if self.machine != mine.machine:
            # Another boot ended everything it ran; another namespace we cannot look into.
            return self.machine.partition(":")[0] != mine.machine.partition(":")[0]
        if self == mine or os.name != "posix":
            return False
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return True
        except OSError:
            # It runs, as somebody else.
            return False
        return _started(self.pid) not in (None, self.started)

    def __str__(self) -> str:
        return f"{self.pid} {self.started} {self.machine}"


class Turns:
    """Lets the threads of a process come one after the other, asleep until it is their turn.

    Many that look again and again would slow down the one that writes. Only a courtesy: who has
    waited in vain goes on to ask for the lease, which a frozen thread loses in time.
    """

    def __init__(self) -> None:
        self._turns: dict[tuple[str, int], LockType] = {}

    @contextmanager
    def take(self, name: str, wait_s: float) -> Generator[None]:
        """Wait for those before, but not for longer than that."""
        turn = self._turns.setdefault((name, os.getpid()), allocate_lock())
        mine = turn.acquire(timeout=wait_s)
        try:
            yield
        finally:
            if mine:
                turn.release()


_this: list[Holder] = []
"""This process, looked up once; a forked child finds its parent here and looks again."""


def _started(pid: int) -> str | None:
    """When a process started, in clock ticks since boot; empty for one that has ended.

    None where /proc does not tell.
    """
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            # The second field is the program's name in brackets and may itself contain any.
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return None
    # A killed process stays in the list until its parent has asked after it.
    return "" if fields[0] in "ZX" else fields[19]


def _machine() -> str:
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            boot = file.read().strip()
        return f"{boot}:{os.stat('/proc/self/ns/pid').st_ino}"
    except OSError:
        return ""
