"""The right to write, taken by one holder at a time among the threads and processes of a device.

A lease is a row with a token that grows at every change of holder. The next process takes the
lease of a killed holder at once, and that of a frozen one after its time to live. A holder that
was only slow keeps its old token, which `guard` refuses inside the transaction that would have
committed its write. After a crash the new holder finds `after_crash` set and repairs what the old
one left half done.

Waiters sleep until the holder rings a bell (`bell.py`), and look now and then themselves, because
a killed holder rings none. Who is woken takes the lease if it is still free: strict turns would let
it lie idle until a process has woken up. Who waited for long draws a ticket, and comes before those
who did not.
"""

from __future__ import annotations

import os
import time
from _thread import RLock, allocate_lock, get_ident

from ...model.errors import Busy, Damaged, StoreUnavailable, Unavailable
from ...model.quick_decorators import contextmanager
from ...model.value import Value
from .sqlite import transaction
from .sqlite_file import SqliteFile, retried

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _thread import LockType
    from collections.abc import Callable, Generator, Iterable

    from ...model.scope import Scope
    from ...ports.record_store import Lease
    from .bell import Bell, Listener
    from .sqlite import SqliteConnection


class LeaseHolder(Value):
    """A process; a later one with the same number is another holder."""

    pid: int
    started: str = ""
    """Clock ticks since boot; empty where the platform does not say."""
    machine: str = ""
    """The boot and the process namespace that the number belongs to."""

    @classmethod
    def this(cls) -> LeaseHolder:
        """The calling process."""
        pid = os.getpid()
        if not _this or _this[0].pid != pid:
            _this[:] = [cls(pid, _started(pid) or "", _machine())]
        return _this[0]

    @classmethod
    def parse(cls, text: str) -> LeaseHolder:
        """Read the text that `str` made."""
        try:
            pid, started, machine = text.split(" ", 2)
            return cls(int(pid), started, machine)
        except ValueError:
            # A text that no process wrote: its holder is nowhere.
            return cls(0)

    def gone(self) -> bool:
        """Whether the process has certainly ended; one in another namespace counts as running."""
        mine = LeaseHolder.this()
        if self.machine != mine.machine:
            # A reboot ends every process; another namespace cannot be looked into.
            return self.machine.partition(":")[0] != mine.machine.partition(":")[0]
        if self == mine or os.name != "posix":
            return False
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return True
        except OSError:
            # It runs, as another user.
            return False
        return _started(self.pid) not in (None, self.started)

    def __str__(self) -> str:
        return f"{self.pid} {self.started} {self.machine}"


class NamedLocks:
    """Lets the threads of a process wait asleep for a lease, instead of each polling the file.

    A thread that waited in vain goes on to ask for the lease itself, which a frozen thread loses
    after its time to live.
    """

    def __init__(self) -> None:
        self._locks: dict[tuple[str, int], LockType] = {}

    @contextmanager
    def take(self, name: str, wait_s: float) -> Generator[None]:
        """Hold the lock of that name, or go on without it after `wait_s`."""
        turn = self._locks.setdefault((name, os.getpid()), allocate_lock())
        mine = turn.acquire(timeout=wait_s)
        try:
            yield
        finally:
            if mine:
                turn.release()


_this: list[LeaseHolder] = []
"""This process, looked up once; a forked child finds its parent here and looks again."""


def _started(pid: int) -> str | None:
    """When a process started, in clock ticks since boot; empty for one that has ended.

    None without /proc.
    """
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            # The second field is the program's name in brackets, which may contain brackets.
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return None
    # A killed process stays in the list until its parent has waited for it.
    return "" if fields[0] in "ZX" else fields[19]


def _machine() -> str:
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            boot = file.read().strip()
        return f"{boot}:{os.stat('/proc/self/ns/pid').st_ino}"
    except OSError:
        return ""


TIME_TO_LIVE_S = 15.0
PATIENCE_S = 0.2
"""How long to wait before queueing. Strict turns would make every write wait for a process to
wake up; a process therefore goes first come, first served until another has waited this long."""
COURTESY_S = 0.05
"""How long a free lease is left to the queue before a newcomer takes it."""
LOOK_EVERY_S = 0.05
"""How often a waiter looks without having been woken: a holder that was killed wakes nobody."""

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


class SqliteLeases:
    """The leases in one SQLite file, and the connection to that file.

    Threads share the connection: use it inside `guard`, or inside `reading`. `prepare` makes the
    other tables of the file; a damaged file that is only `derived` is replaced.
    """

    def __init__(
        self,
        path: str,
        *,
        clock: Callable[[], float] | None = None,
        time_to_live_s: float = TIME_TO_LIVE_S,
        failure: type[Unavailable] = StoreUnavailable,
        prepare: Callable[[SqliteConnection], object] = lambda _: None,
        derived: bool = False,
    ) -> None:
        self.path = path
        self.clock = clock or time.monotonic
        self.time_to_live_s = time_to_live_s
        self.lock = RLock()
        self._held: dict[tuple[str, int, int], SqliteLease] = {}
        self._unreleased: dict[str, int] = {}
        """Tokens of leases that this process could not release, because the disk was full."""
        self._locks = NamedLocks()
        self._bells: dict[str, Bell] = {}
        self._prepare = prepare
        self.connection = SqliteFile(
            path,
            prepare=self._make_tables,
            if_damaged="remove" if derived else "raise",
            failure=failure,
        )

    def _make_tables(self, db: SqliteConnection) -> None:
        db.execute(_SCHEMA)
        self._prepare(db)
        # In a file that took the place of a damaged one, this process keeps its leases.
        db.executemany(
            "INSERT OR IGNORE INTO leases VALUES(?, ?, ?, ?)",
            [
                (one.name, one.token, str(LeaseHolder.this()), self.clock() + self.time_to_live_s)
                for one in self._held.values()
            ],
        )

    @contextmanager
    def reading(self) -> Generator[None]:
        """Use the connection while no other thread does."""
        with self.lock, self.connection.guard():
            yield

    @contextmanager
    def hold(self, name: str = "write", wait_s: float = 10.0) -> Generator[SqliteLease]:
        """Take the named lease, waiting for another holder; nested in one thread it is the same."""
        key = (name, os.getpid(), get_ident())
        if (outer := self._held.get(key)) is not None:
            outer.check()
            yield outer
            return
        with self._locks.take(name, wait_s):
            waiter = LeaseWaiter(name)
            lease = SqliteLease(
                self, name, self._wait(waiter, wait_s), after_crash=waiter.after_crash
            )
            self._held[key] = lease
            try:
                yield lease
            finally:
                del self._held[key]
                self._release(lease)

    @contextmanager
    def guard(self, lease: Lease, *, durable: bool = False) -> Generator[None]:
        """One transaction that begins only while the lease is still held, and commits whole.

        With `durable` the commit has reached the disk.
        """
        if not isinstance(lease, SqliteLease) or lease.leases is not self:
            raise Busy("The lease does not belong to this store.", hint="Take one from the store.")
        self._require_file()
        with self.reading():
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

    def renew(self, lease: SqliteLease) -> None:
        """Raise Busy when another holder has the lease; put its expiry off when that is due."""
        with self.reading():
            expires: float | None = self.connection.execute(
                "SELECT expires FROM leases WHERE name=? AND token=? AND holder IS NOT NULL",
                (lease.name, lease.token),
            ).get
            if expires is None:
                raise Busy(
                    f"The {lease.name} lease went to another process: this one was too slow, and"
                    " nothing of its write was kept.",
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

    def _wait(self, waiter: LeaseWaiter, wait_s: float) -> int:
        bell = self._bell(waiter.name)
        try:
            while True:
                token = retried(lambda: self._try_once(waiter))
                if token is not None:
                    return token
                if waiter.waited_s() >= wait_s:
                    raise Busy(
                        f"{waiter.behind} is writing to this book and did not finish within"
                        f" {wait_s:g} s.",
                        hint="Try again, or see what that process is doing.",
                    )
                waiter.sleep(bell, wait_s)
        finally:
            waiter.end()
            if waiter.ticket:
                self._leave_queue(waiter)

    def _bell(self, name: str) -> Bell:
        """Rings when the lease of that name is let go."""
        if name not in self._bells:
            # Imported here, because a process that only reads takes no lease.
            from .bell import Bell

            self._bells[name] = Bell(f"{os.path.realpath(self.path)} {name}")
        return self._bells[name]

    def _try_once(self, waiter: LeaseWaiter) -> int | None:
        self._require_file()
        with self.reading():
            return self._try(waiter)

    def _require_file(self) -> None:
        """Raise if the file still cannot be written, while no other thread uses the connection."""
        with self.lock:
            self.connection.require_file()

    def _try(self, waiter: LeaseWaiter) -> int | None:
        """A new token when the lease is free or stale and no other waiter comes first.

        Waiting mostly reads, so that it does not slow the holder down.
        """
        row: tuple[int, str | None, float] | None = self.connection.execute(
            "SELECT token, holder, expires FROM leases WHERE name=?", (waiter.name,)
        ).get
        stale, now = -1, self.clock()
        if row is not None and row[1] is not None:
            holder = LeaseHolder.parse(row[1])
            if self._unreleased.get(waiter.name) != row[0] and not self._stale(holder, row[2], now):
                waiter.behind, waiter.free_since = f"The process {holder.pid}", None
                self._queue(waiter)
                return None
            stale = row[0]
        if not self._first(waiter):
            return None
        waiter.after_crash = stale >= 0
        values = (waiter.name, str(LeaseHolder.this()), now + self.time_to_live_s, stale)
        return self.connection.execute(_TAKE, values).get

    def _stale(self, holder: LeaseHolder, expires: float, now: float) -> bool:
        # An expiry beyond any time to live was written before a reboot restarted the clock.
        longest = max(self.time_to_live_s, TIME_TO_LIVE_S)
        return not now < expires <= now + longest or holder.gone()

    def _queue(self, waiter: LeaseWaiter) -> None:
        """Draw a ticket after `PATIENCE_S`."""
        if not waiter.ticket and waiter.waited_s() > PATIENCE_S:
            waiter.ticket = self.connection.execute(
                "INSERT INTO lease_waiters(name, holder) VALUES(?, ?) RETURNING ticket",
                (waiter.name, str(LeaseHolder.this())),
            ).get

    def _first(self, waiter: LeaseWaiter) -> bool:
        """Whether a free lease goes to this waiter."""
        while first := self.connection.execute(
            "SELECT ticket, holder FROM lease_waiters WHERE name=? ORDER BY ticket LIMIT 1",
            (waiter.name,),
        ).fetchone():
            ticket, holder = first
            if waiter.ticket and ticket >= waiter.ticket:
                return True
            if not LeaseHolder.parse(holder).gone() and not waiter.may_overtake():
                self._queue(waiter)
                return False
            self.connection.execute("DELETE FROM lease_waiters WHERE ticket=?", (ticket,))
        return True

    def _leave_queue(self, waiter: LeaseWaiter) -> None:
        with self.reading():
            self.connection.execute("DELETE FROM lease_waiters WHERE ticket=?", (waiter.ticket,))

    def _release(self, lease: SqliteLease) -> None:
        try:
            with self.reading():
                self.connection.execute(
                    "UPDATE leases SET holder=NULL WHERE name=? AND token=?",
                    (lease.name, lease.token),
                )
                released = self.connection.unwritable is None
            self._bell(lease.name).ring()
        except (Unavailable, Busy, Damaged):
            released = False
        if not released:
            # The work under the lease is done. This process may take it again, others once it ends
            # or expires.
            self._unreleased[lease.name] = lease.token


class SqliteLease:
    """A lease that its holder has not released."""

    def __init__(
        self, leases: SqliteLeases, name: str, token: int, *, after_crash: bool = False
    ) -> None:
        self.leases = leases
        self.name = name
        self.token = token
        self.after_crash = after_crash
        """Whether the previous holder never released it and may have left a write half done."""

    def check(self) -> None:
        """Raise Busy when another holder has the lease; extend it otherwise."""
        self.leases.renew(self)

    def covers(self, scopes: Iterable[Scope]) -> bool:
        """True: the lease is of the whole book."""
        return True


class LeaseWaiter:
    """A caller that waits for a lease."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.behind = "Another process"
        self.ticket = 0
        self.after_crash = False
        self.free_since: float | None = None
        self._ear: Listener | None = None
        self._since = time.monotonic()

    def waited_s(self) -> float:
        """Seconds since the caller began to wait."""
        return time.monotonic() - self._since

    def may_overtake(self) -> bool:
        """Whether the lease was free for so long that the waiters before seem to be frozen."""
        now = time.monotonic()
        if self.free_since is None:
            self.free_since = now
        return now - self.free_since > COURTESY_S

    def sleep(self, bell: Bell, wait_s: float) -> None:
        """Sleep until somebody lets the lease go, or there may be another reason to look."""
        if self.free_since is not None:
            # It is free, and another one's turn: let that one hear the bell.
            bell.ring()
            time.sleep(self._pause_s())
        elif self._ear is None:
            # Look once more before sleeping: it may have been let go before there was an ear.
            self._ear = bell.listen()
            if self._ear is None:
                time.sleep(self._pause_s())
        else:
            self._ear.wait(min(LOOK_EVERY_S, wait_s - self.waited_s()))

    def end(self) -> None:
        """Stop listening."""
        if self._ear is not None:
            self._ear.close()

    def _pause_s(self) -> float:
        """0.5 to 5 ms at random, so that waiters do not keep in step."""
        chance = time.perf_counter_ns() // 100 % 1000 / 1000
        return 0.0005 + (0.0005 if self.ticket else 0.0045) * chance
