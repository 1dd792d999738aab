"""The right to write, taken by one holder at a time among all processes and machines of a book.

A lease is a row with a token drawn by chance at every change of hands. Whoever writes names its
token inside the very transaction that commits, and finds out there that it was too slow. The
table does not survive a crash of the server: then nobody holds anything, and everybody asks anew.
"""

# ruff: noqa: S608 - every piece of SQL here is our own; values are always bound.

from __future__ import annotations

import os
import time
from _thread import get_ident
from contextlib import contextmanager

from ....model.errors import Busy, Unavailable
from ...common.lease import Holder, ThreadQueue

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
    """The leases kept in one book's schema."""

    def __init__(
        self, database: PostgresDatabase, *, time_to_live_s: float = TIME_TO_LIVE_S
    ) -> None:
        self._database = database
        self._time_to_live_s = time_to_live_s
        self._held: dict[tuple[str, int, int], HeldPostgresLease] = {}
        self._turns = ThreadQueue()

    @contextmanager
    def hold(self, name: str, wait_s: float) -> Generator[HeldPostgresLease]:
        """Take the named lease, waiting for another holder; nested in one thread it is the same."""
        key = (name, os.getpid(), get_ident())
        if (outer := self._held.get(key)) is not None:
            outer.check()
            yield outer
            return
        with self._turns.take(name, wait_s):
            lease = HeldPostgresLease(self, name, self._wait(name, wait_s))
            self._held[key] = lease
            try:
                yield lease
            finally:
                del self._held[key]
                self._release(lease)

    def renew(self, connection: PostgresConnection, lease: Lease) -> None:
        """Put its expiry off; nobody else can take it until this transaction ends.

        Raises Busy when another holder has it.
        """
        if not isinstance(lease, HeldPostgresLease) or lease.leases is not self:
            raise Busy("The lease does not belong to this store.", hint="Take one from the store.")
        if not connection.execute(_RENEW, self._values(lease.name, lease.token)).fetchone():
            raise Busy(
                f"The {lease.name} lease was lost, to another process or because the server"
                " started anew, and nothing of this write was kept.",
                hint="Try again.",
            )

    def check(self, lease: HeldPostgresLease) -> None:
        """Raise Busy when the lease was taken over; extend it otherwise."""
        self._database.run(lambda connection: self.renew(connection, lease))

    def _wait(self, name: str, wait_s: float) -> str:
        began, stale, token = time.monotonic(), "", os.urandom(12).hex()
        values = self._values(name, token) | {"holder": str(Holder.this())}
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
            # By chance, so that none keep in step.
            time.sleep(0.001 + 0.009 * (time.perf_counter_ns() // 100 % 1000 / 1000))

    def _release(self, lease: HeldPostgresLease) -> None:
        values = self._values(lease.name, lease.token)
        try:
            self._database.run(lambda connection: connection.execute(_RELEASE, values))
        except (Unavailable, Busy):
            # What was done under the lease is done; a lease nobody could release runs out.
            return

    def _values(self, name: str, token: str) -> dict[str, object]:
        return {"name": name, "token": token, "seconds": self._time_to_live_s}


class HeldPostgresLease:
    """A lease while it is held."""

    def __init__(self, leases: PostgresLeases, name: str, token: str) -> None:
        self.leases = leases
        self.name = name
        self.token = token

    def check(self) -> None:
        """Raise Busy when the lease was taken over; extend it otherwise."""
        self.leases.check(self)


def _take(connection: PostgresConnection, values: dict[str, object]) -> tuple[Holder | None, str]:
    """Nobody, once it is ours; otherwise its holder, and its token if that process is gone."""
    if connection.execute(_TAKE, values).fetchone():
        return None, ""
    row = connection.execute(
        "SELECT holder, token FROM leases WHERE name = %(name)s", values
    ).fetchone()
    if row is None or row[1] == values["token"]:
        # Another's that ended this moment, or ours: the server was away when it said so.
        return (Holder.this(), "") if row is None else (None, "")
    holder = Holder.parse(row[0])
    return holder, row[1] if _certainly_gone(holder) else ""


def _certainly_gone(holder: Holder) -> bool:
    """Whether a process of this machine runs no more; of another one, only time will tell."""
    here, _, _ = Holder.this().machine.partition(":")
    return bool(here) and holder.machine.startswith(here) and holder.gone()
