"""The right to write, taken by one holder at a time among the threads and processes of a device.

A lease is a row with a token that grows at every change of hands. A holder that died is taken
over at once, one that stopped renewing after its time to live. A holder that was merely slow
keeps its old token, which `guard` no longer accepts: it learns that it is too late from inside
the very transaction that would have committed its write.
"""

from __future__ import annotations

import os
import time
from _thread import RLock, allocate_lock, get_ident
from contextlib import contextmanager

from ...model.errors import Busy, StoreUnavailable, Unavailable
from ...model.value import Value
from .sqlite import called, connect, mapped, transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _thread import LockType
    from collections.abc import Callable, Generator

    from ...ports.record_store import Lease
    from .sqlite import SqliteConnection


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


class ThreadQueue:
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


# The right to write, taken by one holder at a time among the threads and processes of a device.


TIME_TO_LIVE_S = 15.0
PATIENCE_S = 0.2
"""How long to wait before queueing. Strict turns would make every write wait for a process to
wake up, so the lease goes to whoever comes first, unless somebody has waited for this long."""
COURTESY_S = 0.05
"""How long a free lease is left to those in the queue, in case the first of them is frozen."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS leases(
  name TEXT PRIMARY KEY, token INTEGER NOT NULL, holder TEXT, expires REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS lease_waiters(
  ticket INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, holder TEXT NOT NULL
);
"""
_TAKE = """
INSERT INTO leases VALUES(?1, 1, ?2, ?3)
ON CONFLICT(name) DO UPDATE SET token=token+1, holder=?2, expires=?3
WHERE holder IS NULL OR token=?4
RETURNING token
"""


class Leases:
    """The leases kept in one SQLite file, and that file's connection for what they protect.

    Threads share the connection: use it inside `guard`, or while holding `lock`.
    """

    def __init__(
        self,
        path: str,
        *,
        clock: Callable[[], float] = time.monotonic,
        time_to_live_s: float = TIME_TO_LIVE_S,
        failure: type[Unavailable] = StoreUnavailable,
    ) -> None:
        self.path = path
        self.clock = clock
        self.time_to_live_s = time_to_live_s
        self.lock = RLock()
        self.connection: SqliteConnection = connect(path, durable=False, failure=failure)
        self._failure = failure
        self._what = called(path)
        self._held: dict[tuple[str, int, int], HeldLease] = {}
        self._turns = ThreadQueue()
        with mapped(failure, self._what):
            self.connection.execute(_SCHEMA)

    @contextmanager
    def hold(
        self, name: str = "write", wait_s: float = 10.0, *, heartbeat: bool = False
    ) -> Generator[HeldLease]:
        """Take the named lease, waiting for another holder; nested in one thread it is the same.

        With `heartbeat` a thread keeps it alive during jobs that do not call `check` themselves.
        """
        key = (name, os.getpid(), get_ident())
        if (outer := self._held.get(key)) is not None:
            outer.check()
            yield outer
            return
        with self._turns.take(name, wait_s):
            waiter = Waiter(name)
            lease = HeldLease(self, name, self._wait(waiter, wait_s), taken_over=waiter.takes_over)
            self._held[key] = lease
            stop = _beat(lease) if heartbeat else None
            try:
                yield lease
            finally:
                if stop is not None:
                    stop()
                del self._held[key]
                self._release(lease)

    @contextmanager
    def guard(self, lease: Lease, *, durable: bool = False) -> Generator[None]:
        """One transaction that begins only while the lease is still held, and commits whole.

        With `durable` the commit has reached the disk.
        """
        if not isinstance(lease, HeldLease) or lease.leases is not self:
            raise Busy("The lease does not belong to this store.", hint="Take one from the store.")
        with self.lock, mapped(self._failure, self._what):
            outermost = durable and not self.connection.in_transaction
            if outermost:
                self.connection.execute("PRAGMA synchronous=FULL")
            try:
                with transaction(self.connection):
                    lease.check()
                    yield
            finally:
                if outermost:
                    # Taking and returning leases need not wait for the disk.
                    self.connection.execute("PRAGMA synchronous=NORMAL")

    def renew(self, lease: HeldLease) -> None:
        """Raise Busy when another holder has the lease; put its expiry off when that is due."""
        with self.lock, mapped(self._failure, self._what):
            expires: float | None = self.connection.execute(
                "SELECT expires FROM leases WHERE name=? AND token=? AND holder IS NOT NULL",
                (lease.name, lease.token),
            ).get
            if expires is None:
                raise Busy(
                    f"The {lease.name} lease was taken over by another process: this one was"
                    " too slow, and nothing of its write was kept.",
                    hint="Try again.",
                )
            now = self.clock()
            if expires - now < self.time_to_live_s * 2 / 3:
                self.connection.execute(
                    "UPDATE leases SET expires=? WHERE name=? AND token=?",
                    (now + self.time_to_live_s, lease.name, lease.token),
                )

    def close(self) -> None:
        """Close the connection; leases still held run out by themselves."""
        with self.lock:
            self.connection.close()

    def _wait(self, waiter: Waiter, wait_s: float) -> int:
        try:
            while True:
                with self.lock, mapped(self._failure, self._what):
                    token = self._try(waiter)
                if token is not None:
                    return token
                if waiter.waited_s() >= wait_s:
                    raise Busy(
                        f"{waiter.behind} is writing to this book and did not finish within"
                        f" {wait_s:g} s.",
                        hint="Try again, or see what that process is doing.",
                    )
                time.sleep(waiter.pause_s())
        finally:
            if waiter.ticket:
                self._leave_queue(waiter)

    def _try(self, waiter: Waiter) -> int | None:
        """A new token when the lease is free, or stale, and nobody has waited too long.

        Waiting mostly reads, so that it slows no holder down.
        """
        row: tuple[int, str | None, float] | None = self.connection.execute(
            "SELECT token, holder, expires FROM leases WHERE name=?", (waiter.name,)
        ).get
        stale, now = -1, self.clock()
        if row is not None and row[1] is not None:
            holder = Holder.parse(row[1])
            if not self._stale(holder, row[2], now):
                waiter.behind, waiter.free_since = f"The process {holder.pid}", None
                self._queue(waiter)
                return None
            stale = row[0]
        if not self._first(waiter):
            return None
        waiter.takes_over = stale >= 0
        values = (waiter.name, str(Holder.this()), now + self.time_to_live_s, stale)
        return self.connection.execute(_TAKE, values).get

    def _stale(self, holder: Holder, expires: float, now: float) -> bool:
        # An expiry beyond any time to live was written before a reboot restarted the clock.
        longest = max(self.time_to_live_s, TIME_TO_LIVE_S)
        return not now < expires <= now + longest or holder.gone()

    def _queue(self, waiter: Waiter) -> None:
        """Draw a ticket, once it is time to."""
        if not waiter.ticket and waiter.waited_s() > PATIENCE_S:
            waiter.ticket = self.connection.execute(
                "INSERT INTO lease_waiters(name, holder) VALUES(?, ?) RETURNING ticket",
                (waiter.name, str(Holder.this())),
            ).get

    def _first(self, waiter: Waiter) -> bool:
        """Whether it is this waiter's turn at a lease that is free."""
        while first := self.connection.execute(
            "SELECT ticket, holder FROM lease_waiters WHERE name=? ORDER BY ticket LIMIT 1",
            (waiter.name,),
        ).fetchone():
            ticket, holder = first
            if waiter.ticket and ticket >= waiter.ticket:
                return True
            if not Holder.parse(holder).gone() and not waiter.tired():
                self._queue(waiter)
                return False
            self.connection.execute("DELETE FROM lease_waiters WHERE ticket=?", (ticket,))
        return True

    def _leave_queue(self, waiter: Waiter) -> None:
        with self.lock, mapped(self._failure, self._what):
            self.connection.execute("DELETE FROM lease_waiters WHERE ticket=?", (waiter.ticket,))

    def _release(self, lease: HeldLease) -> None:
        try:
            with self.lock, mapped(self._failure, self._what):
                self.connection.execute(
                    "UPDATE leases SET holder=NULL WHERE name=? AND token=?",
                    (lease.name, lease.token),
                )
        except (Unavailable, Busy):
            # What was done under the lease is done; a lease nobody could release runs out.
            return


class HeldLease:
    """A lease while it is held."""

    def __init__(self, leases: Leases, name: str, token: int, *, taken_over: bool = False) -> None:
        self.leases = leases
        self.name = name
        self.token = token
        self.taken_over = taken_over
        """Whether the holder before did not give it back, and may have left something half done."""

    def check(self) -> None:
        """Raise Busy when the lease was taken over; extend it otherwise."""
        self.leases.renew(self)


class Waiter:
    """Somebody who wants a lease."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.behind = "Another process"
        self.ticket = 0
        self.takes_over = False
        self.free_since: float | None = None
        self._since = time.monotonic()

    def waited_s(self) -> float:
        """How long it has been waiting."""
        return time.monotonic() - self._since

    def tired(self) -> bool:
        """Whether the lease has been free for so long that those before seem to be frozen."""
        now = time.monotonic()
        if self.free_since is None:
            self.free_since = now
        return now - self.free_since > COURTESY_S

    def pause_s(self) -> float:
        """How long to sleep: half a millisecond to five, by chance, so that none keep in step."""
        chance = time.perf_counter_ns() // 100 % 1000 / 1000
        return 0.0005 + (0.0005 if self.ticket else 0.0045) * chance


def _beat(lease: HeldLease) -> Callable[[], None]:
    """Keep a lease alive from a thread of its own, until the returned function is called."""
    import threading

    stopped = threading.Event()

    def renew() -> None:
        while not stopped.wait(lease.leases.time_to_live_s / 3):
            try:
                lease.check()
            except (Busy, Unavailable):
                # The holder hears of it at its own next check or guard.
                return

    thread = threading.Thread(target=renew, name=f"lease-{lease.name}", daemon=True)
    thread.start()

    def stop() -> None:
        stopped.set()
        thread.join()

    return stop
