"""The right to write, among all processes and machines of a book: of the whole book, or of tenants.

A lease is a transaction of its own that holds advisory locks until the holder ends it. A lease of
tenants has the *turn* of each of them, and shares that of the book; a lease of the whole book has
that one alone. So tenants never wait for each other, and the whole book waits for all of them and
keeps all of them out. The server lets waiters sleep, wakes them in the order in which they came,
and frees the locks of a holder that ends, is killed or loses its connection.

A frozen holder keeps its connection. A waiter that finds it silent for longer than the time to live
ends that connection. What keeps a holder that was only slow from writing then:

- Each lease also locks a *token*, a number of its own. A write first looks whether the token is
  still locked, in the transaction that will commit it.
- Before that look the write locks the *writing* of its tenants or of the book, in the same way as
  the turn, until it has committed. Who takes a lease waits for these locks once it has the turn. So
  a write of the holder before has either ended before the lease begins, or finds its token gone.

Nothing is stored: a server that crashed has forgotten all leases, and no token of before is locked.
"""

from __future__ import annotations

import os
import time
from _thread import get_ident
from contextlib import contextmanager

from ....model.errors import Busy, Unavailable
from ...common.lease import NamedLocks
from .database import FAILURES, PATIENCE_S, WHAT, lost, postgres_error, undone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Iterable

    from ....model.scope import Scope
    from ....ports.record_store import Lease
    from .database import LentConnection, PostgresConnection, PostgresDatabase

TIME_TO_LIVE_S = 15.0
LOOK_AFTER_S = 0.02
"""How long to wait before looking whether the holder is frozen, and then waiting in earnest."""
FREED_BY_SERVER_S = 600.0
"""After so long the server itself ends a silent holder, whose role a waiter may not end."""
_BOOK = ""
"""Stands for the whole book among the names of tenants."""

_HOLDERS = """
SELECT one.pid, one.application_name,
  one.state = 'idle in transaction'
    AND one.state_change < clock_timestamp() - %(seconds)s * interval '1 second'
FROM pg_locks AS held JOIN pg_stat_activity AS one USING (pid)
WHERE held.locktype = 'advisory' AND held.granted AND held.objsubid = 1
  AND held.database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND (held.classid::bigint << 32) | held.objid::bigint = ANY(%(keys)s)
  AND (held.mode = 'ExclusiveLock' OR %(whole)s)
"""


class PostgresLeases:
    """The leases of one book's schema."""

    def __init__(
        self, database: PostgresDatabase, *, time_to_live_s: float = TIME_TO_LIVE_S
    ) -> None:
        self._database = database
        self.time_to_live_s = time_to_live_s
        self._held: dict[tuple[str, int, int], PostgresLease] = {}
        self._locks = NamedLocks()

    @contextmanager
    def hold(
        self, name: str, wait_s: float, scopes: Collection[Scope] | None = None
    ) -> Generator[PostgresLease]:
        """Take the named lease, of the tenants of these scopes or of the whole book.

        Nested in one thread it is the same lease; one that has less than what is asked for cannot
        grow, since whoever waits for the rest may wait for this thread.
        """
        wanted = None if scopes is None else frozenset(map(tenant_of, scopes))
        key = (name, os.getpid(), get_ident())
        if (outer := self._held.get(key)) is not None:
            if not outer.has(wanted):
                raise Busy(
                    "The work in progress has the lease of a part of the book only.",
                    hint="Try again once it is done.",
                )
            outer.check()
            yield outer
            return
        with self._locks.take(f"{name} {sorted(wanted or ())}", wait_s):
            lease = PostgresLease(self, name, wanted)
            lease.session = session = self._wait(lease, wait_s)
            self._held[key] = lease
            try:
                yield lease
            finally:
                del self._held[key]
                lease.session = None
                session.end()

    def renew(self, connection: PostgresConnection, lease: Lease) -> None:
        """Raise Busy when another has the lease; nobody can take it until this transaction ends."""
        lease = self._ours(lease)
        lease.extend()
        locks = _locks(lease.keys("writing"))
        query = f"SELECT {locks}, pg_try_advisory_xact_lock_shared({lease.token})"
        row = connection.execute(query).fetchone()
        if row is None or row[-1]:
            raise _lost_lease(lease)

    def require(self, lease: Lease, scopes: Iterable[Scope]) -> None:
        """Raise Busy unless the lease covers these scopes."""
        if not self._ours(lease).covers(scopes):
            raise Busy(
                "The lease is of other tenants than what is to be written.",
                hint="Take one of the whole book.",
            )

    def ask(self, lease: PostgresLease) -> None:
        """Raise Busy when the lease is lost; its holder counts as alive otherwise."""
        if lease.session is None:
            raise _lost_lease(lease)
        try:
            lease.session.execute("SELECT")
        except FAILURES as error:
            raise _lost_lease(lease) from error

    def _ours(self, lease: Lease) -> PostgresLease:
        if not isinstance(lease, PostgresLease) or lease.leases is not self:
            raise Busy("The lease does not belong to this store.", hint="Take one from the store.")
        return lease

    def key(self, *names: str) -> int:
        """The number of an advisory lock of this book."""
        return self._database.address.lock_key(*names)

    def _wait(self, lease: PostgresLease, wait_s: float) -> LentConnection:
        began, patient_s = time.monotonic(), LOOK_AFTER_S
        while True:
            waited_s = time.monotonic() - began
            try:
                session = self._take(lease, min(patient_s, wait_s - waited_s))
            except FAILURES as error:
                again = lost(error) or undone(error)
                if not again or waited_s > PATIENCE_S:
                    raise postgres_error(error, self._database.failure, WHAT) from error
                time.sleep(0.05)
                continue
            if session is not None:
                return session
            holder, ended = self._end_frozen(lease)
            if time.monotonic() - began >= wait_s and not ended:
                raise Busy(
                    f"{holder} is writing to this book and did not finish within {wait_s:g} s.",
                    hint="Try again, or see what that process is doing.",
                )
            patient_s = self.time_to_live_s

    def _take(self, lease: PostgresLease, wait_s: float) -> LentConnection | None:
        """A connection that holds the lease; None if others kept it for so long."""
        session = self._database.session("leases", PATIENCE_S)
        try:
            # All in one trip to the server. What a savepoint locked is free again at once.
            session.execute(
                f"BEGIN; SET LOCAL lock_timeout = {max(1, int(1000 * wait_s))};"
                f" SET LOCAL idle_in_transaction_session_timeout = '{FREED_BY_SERVER_S:g}s';"
                f" SET LOCAL application_name = 'commonplace {os.getpid()}';"
                f" SELECT {_locks(lease.keys('turn'))}, pg_advisory_xact_lock({lease.token});"
                f" SAVEPOINT writing; SELECT {_locks(lease.keys('writing'))};"
                " ROLLBACK TO writing"
            )
        except FAILURES as error:
            session.end()
            if getattr(error, "sqlstate", None) == "55P03":
                return None
            raise
        except BaseException:
            session.end()
            raise
        return session

    def _end_frozen(self, lease: PostgresLease) -> tuple[str, bool]:
        """Who has what the lease waits for, and whether a frozen one was ended."""
        keys = [key for key, _ in lease.keys("turn")]
        whole = lease.tenants is None
        values = {"keys": keys, "whole": whole, "seconds": self.time_to_live_s}
        rows = self._database.run(lambda db: db.execute(_HOLDERS, values).fetchall())
        ended = False
        for pid, _, frozen in rows:
            if frozen:
                ended |= self._end(pid)
        names = [name.partition(" ")[2] for _, name, _ in rows]
        return f"The process {names[0]}" if names else "Another process", ended

    def _end(self, pid: int) -> bool:
        try:
            return self._database.run(
                lambda db: db.execute("SELECT pg_terminate_backend(%s, 1000)", (pid,)).fetchall()
            )[0][0]
        except (Unavailable, Busy):
            return False  # A connection of another role, which the server ends in time.


class PostgresLease:
    """A lease that its holder has not released."""

    def __init__(self, leases: PostgresLeases, name: str, tenants: frozenset[str] | None) -> None:
        self.leases = leases
        self.name = name
        self.tenants = tenants
        """None if it is of the whole book."""
        self.session: LentConnection | None = None
        self.token = int.from_bytes(os.urandom(8), signed=True)
        self._asked = time.monotonic()

    def check(self) -> None:
        """Raise Busy when another holder has the lease; extend it otherwise."""
        self.leases.ask(self)
        self._asked = time.monotonic()

    def extend(self) -> None:
        """Check the lease when that is due; a write looks for its token anyway."""
        if time.monotonic() - self._asked > self.leases.time_to_live_s / 3:
            self.check()

    def covers(self, scopes: Iterable[Scope]) -> bool:
        """Whether records of these scopes may be written with it."""
        return self.has(frozenset(map(tenant_of, scopes)))

    def has(self, tenants: frozenset[str] | None) -> bool:
        """Whether the lease covers these tenants; None for the whole book."""
        return self.tenants is None or (tenants is not None and tenants <= self.tenants)

    def keys(self, what: str) -> list[tuple[int, bool]]:
        """The locks of the turn or of a write, in the order of taking, and whether each is shared.

        Everybody takes them in the same order, so that nobody waits in a circle.
        """
        if self.tenants is None:
            return [(self.leases.key(self.name, what, _BOOK), False)]
        own = sorted(self.leases.key(self.name, what, one) for one in self.tenants)
        book = self.leases.key(self.name, what, _BOOK)
        return [(book, True), *((key, False) for key in own)]


def _lost_lease(lease: PostgresLease) -> Busy:
    return Busy(
        f"The {lease.name} lease was lost, to another process or because the server started anew,"
        " and nothing of this write was kept.",
        hint="Try again.",
    )


def tenant_of(scope: Scope) -> str:
    """The tenant whose lease covers a scope: an org, a user without one, or nobody."""
    for dimension in ("org", "user"):
        if (value := scope.value(dimension)) is not None:
            return f"/{dimension}/{value}"
    return "/"


def _locks(keys: list[tuple[int, bool]]) -> str:
    return ", ".join(
        f"pg_advisory_xact_lock{'_shared' if shared else ''}({key})" for key, shared in keys
    )
