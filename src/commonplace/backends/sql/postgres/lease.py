"""The right to write, taken by one holder at a time among all processes and machines of a book.

A lease is a row with a random token, new at every change of holder. A writer names its token
inside the transaction that commits its write, and learns there if another process has the lease.
The table is lost in a crash of the server: every process then asks for its lease again.
"""

# ruff: noqa: S608 - every piece of SQL here is our own; values are always bound.

from __future__ import annotations

import os
import time
from _thread import get_ident
from contextlib import contextmanager

from ....model.errors import Busy, Unavailable
from ...common.lease import LeaseHolder, NamedLocks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator

    from ....ports.record_store import Lease
    from .database import PostgresConnection, PostgresDatabase

TIME_TO_LIVE_S = 15.0

_LATER = "clock_timestamp() + %(seconds)s * interval '1 second'"
_TAKE = f"""
INSERT INTO leases AS held VALUES (%(name)s, %(token)s, %(holder)s, {_LATER})
ON CONFLICT (name) DO UPDATE
SET token = excluded.token, holder = excluded.holder, expires = excluded.expires
WHERE held.expires < clock_timestamp() OR held.token = %(stale)s
RETURNING token
"""
_RENEW = f"""
UPDATE leases SET expires = {_LATER}
WHERE name = %(name)s AND token = %(token)s RETURNING token
"""
_RELEASE = """
UPDATE leases SET token = '', expires = '-infinity' WHERE name = %(name)s AND token = %(token)s
"""


class PostgresLeases:
    """The leases in one book's schema."""

    def __init__(
        self, database: PostgresDatabase, *, time_to_live_s: float = TIME_TO_LIVE_S
    ) -> None:
        self._database = database
        self._time_to_live_s = time_to_live_s
        self._held: dict[tuple[str, int, int], PostgresLease] = {}
        self._locks = NamedLocks()

    @contextmanager
    def hold(self, name: str, wait_s: float) -> Generator[PostgresLease]:
        """Take the named lease, waiting for another holder; nested in one thread it is the same."""
        key = (name, os.getpid(), get_ident())
        if (outer := self._held.get(key)) is not None:
            outer.check()
            yield outer
            return
        with self._locks.take(name, wait_s):
            lease = PostgresLease(self, name, self._wait(name, wait_s))
            self._held[key] = lease
            try:
                yield lease
            finally:
                del self._held[key]
                self._release(lease)

    def renew(self, connection: PostgresConnection, lease: Lease) -> None:
        """Put a lease's expiry off; no other process can take it until this transaction ends.

        Raises Busy when another holder has it.
        """
        if not isinstance(lease, PostgresLease) or lease.leases is not self:
            raise Busy("The lease does not belong to this store.", hint="Take one from the store.")
        if not connection.execute(_RENEW, self._values(lease.name, lease.token)).fetchone():
            raise Busy(
                f"The {lease.name} lease was lost, to another process or because the server"
                " started anew, and nothing of this write was kept.",
                hint="Try again.",
            )

    def check(self, lease: PostgresLease) -> None:
        """Raise Busy when another holder has the lease; extend it otherwise."""
        self._database.run(lambda connection: self.renew(connection, lease))

    def _wait(self, name: str, wait_s: float) -> str:
        began, stale, token = time.monotonic(), "", os.urandom(12).hex()
        values = self._values(name, token) | {"holder": str(LeaseHolder.this())}
        while True:
            holder, stale = self._database.run(
                lambda connection, stale=stale: _take(connection, values | {"stale": stale})
            )
            if holder is None:
                return token
            if stale:
                continue
            if time.monotonic() - began >= wait_s:
                raise Busy(
                    f"The process {holder.pid} is writing to this book and did not finish within"
                    f" {wait_s:g} s.",
                    hint="Try again, or see what that process is doing.",
                )
            # At random, so that waiters do not keep in step.
            time.sleep(0.001 + 0.009 * (time.perf_counter_ns() // 100 % 1000 / 1000))

    def _release(self, lease: PostgresLease) -> None:
        values = self._values(lease.name, lease.token)
        try:
            self._database.run(lambda connection: connection.execute(_RELEASE, values))
        except (Unavailable, Busy):
            # The work under the lease is done; a lease that could not be released expires.
            return

    def _values(self, name: str, token: str) -> dict[str, object]:
        return {"name": name, "token": token, "seconds": self._time_to_live_s}


class PostgresLease:
    """A lease that its holder has not released."""

    def __init__(self, leases: PostgresLeases, name: str, token: str) -> None:
        self.leases = leases
        self.name = name
        self.token = token

    def check(self) -> None:
        """Raise Busy when another holder has the lease; extend it otherwise."""
        self.leases.check(self)


def _take(
    connection: PostgresConnection, values: dict[str, object]
) -> tuple[LeaseHolder | None, str]:
    """None once this process has the lease; else its holder, and its token if that one is gone."""
    if connection.execute(_TAKE, values).fetchone():
        return None, ""
    row = connection.execute(
        "SELECT holder, token FROM leases WHERE name = %(name)s", values
    ).fetchone()
    if row is None or row[1] == values["token"]:
        # Another's that ended this moment, or ours whose commit was not confirmed.
        return (LeaseHolder.this(), "") if row is None else (None, "")
    holder = LeaseHolder.parse(row[0])
    return holder, row[1] if _certainly_gone(holder) else ""


def _certainly_gone(holder: LeaseHolder) -> bool:
    """Whether the holder was a process of this machine that has ended."""
    here, _, _ = LeaseHolder.this().machine.partition(":")
    return bool(here) and holder.machine.startswith(here) and holder.gone()
