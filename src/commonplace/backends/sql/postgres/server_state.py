"""The server state of a book on PostgreSQL: one for all processes on all machines.

A token that one server makes or revokes counts for all others at their next request. A job runs
under its advisory lock, which the database releases when the process dies.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import psycopg

from ....model.errors import StoreUnavailable
from ....rules import limits
from .database import CONNECT_S, FAILURES, WHAT, PostgresDatabase, only, postgres_error
from .migrations import is_current

if TYPE_CHECKING:
    from collections.abc import Generator

    from ....ports.server_state import Taken
    from .database import PostgresAddress, PostgresConnection

_DUE = "SELECT done <= clock_timestamp() - %s * interval '1 second' FROM turns WHERE job = %s"
_BEGIN = "INSERT INTO turns VALUES (%s, clock_timestamp()) ON CONFLICT DO NOTHING"
_DONE = (
    "INSERT INTO turns VALUES (%s, clock_timestamp())"
    " ON CONFLICT (job) DO UPDATE SET done = excluded.done"
)
_LOCK = "SELECT pg_try_advisory_xact_lock(hashtextextended(current_schema || ' ' || %s, 3))"
_LEVEL = """
SELECT level, extract(epoch FROM clock_timestamp() - seen)::double precision
FROM shares WHERE name = %s FOR UPDATE
"""


class PostgresServerState:
    """Tokens, jobs and request rates of all servers of a book."""

    capabilities = frozenset({"shared"})

    def __init__(self, address: PostgresAddress) -> None:
        self._address = address
        self._database = PostgresDatabase(address, StoreUnavailable)

    def tokens_required(self) -> bool:
        """Whether callers need a token: true once one was ever made."""
        return self._database.run(lambda db: only(db, "SELECT EXISTS (SELECT 1 FROM tokens)"))

    def put_token(self, id: str, text: str) -> None:
        """Store a new token."""
        # After a commit whose answer got lost, the same text is there under the same id.
        query = "INSERT INTO tokens VALUES (%s, %s) ON CONFLICT DO NOTHING"
        self._database.run(lambda db: db.execute(query, (id, text)))

    def token(self, id: str) -> str | None:
        """The text of a token; None without one of that id."""
        query = "SELECT said FROM tokens WHERE id = %s"
        return self._database.run(lambda db: only(db, query, (id,)))

    def tokens(self) -> dict[str, str]:
        """The text of every valid token, by its id."""
        query = "SELECT id, said FROM tokens WHERE said IS NOT NULL"
        return dict(self._database.run(lambda db: db.execute(query).fetchall()))

    def drop_token(self, id: str) -> None:
        """Revoke a token, for every server and from the next request on."""
        query = "UPDATE tokens SET said = NULL WHERE id = %s"
        self._database.run(lambda db: db.execute(query, (id,)))

    def drop_every_token(self) -> None:
        """Delete all tokens, after which callers need none."""
        self._database.run(lambda db: db.execute("DELETE FROM tokens"))

    def take(self, name: str, wanted: int, *, per_second: float, most: float) -> Taken:
        """Take up to `wanted` from a bucket that all servers share."""

        def work(db: PostgresConnection) -> Taken:
            db.execute(
                "INSERT INTO shares VALUES (%s, %s, clock_timestamp()) ON CONFLICT DO NOTHING",
                (name, most),
            )
            left, idle_s = db.execute(_LEVEL, (name,)).fetchall()[0]
            taken = limits.take_from_bucket(left, idle_s, wanted, per_second=per_second, most=most)
            db.execute(
                "UPDATE shares SET level = %s, seen = clock_timestamp() WHERE name = %s",
                (taken.left, name),
            )
            return taken

        return self._database.run(work, durable=False)

    @contextmanager
    def turn(self, name: str, *, every_s: float, at_once: bool = False) -> Generator[bool]:
        """Whether a job is due and no other caller has it; one that fails is due again."""
        if not self._database.run(lambda db: _due(db, name, every_s, at_once)):
            yield False
            return
        # The lock belongs to a transaction of its own that lasts as long as the job. It writes
        # nothing until the job is done, so that it blocks no other transaction.
        with _driver_errors(), self._own_transaction() as db:
            mine = only(db, _LOCK, (name,)) and _due(db, name, every_s, at_once)
            yield bool(mine)
            if mine:
                db.execute(_DONE, (name,))

    def check(self) -> None:
        """Raise Unavailable unless the database answers and has the tables of this version."""
        if not self._database.run(lambda db: is_current(db, self._address), patience_s=0.0):
            raise StoreUnavailable(
                f"{WHAT} has tables of an older Commonplace.",
                hint="Run `commonplace postgres init` as the role that owns the tables.",
            )

    def close(self) -> None:
        """Let go of the connections."""
        self._database.close()

    @contextmanager
    def _own_transaction(self) -> Generator[PostgresConnection]:
        connected: Any = psycopg.connect(
            self._address.server, autocommit=True, connect_timeout=int(CONNECT_S)
        )
        with connected, connected.transaction():
            connected.execute(
                "SELECT set_config('search_path', %s, true),"
                " set_config('commonplace.visible', '*', true),"
                " set_config('idle_in_transaction_session_timeout', '0', true)",
                (self._address.search_path,),
            )
            yield connected


def _due(db: PostgresConnection, name: str, every_s: float, at_once: bool) -> bool:
    due = only(db, _DUE, (every_s, name))
    if due is None and not at_once:
        db.execute(_BEGIN, (name,))
        return False
    return due is not False


@contextmanager
def _driver_errors() -> Generator[None]:
    try:
        yield
    except FAILURES as error:
        raise postgres_error(error, StoreUnavailable, WHAT) from error
