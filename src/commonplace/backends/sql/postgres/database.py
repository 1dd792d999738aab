"""Transactions on a book's PostgreSQL tables, the errors of the driver, and a book's address.

Every transaction first sets what is visible in it; the row-level policies of the tables
(`schema.py`) enforce that. Connections come from a pool that all parts of a process share.
"""

from __future__ import annotations

import os
import re
import time
from _thread import allocate_lock
from contextlib import suppress
from hashlib import blake2b
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import psycopg
import psycopg_pool
from psycopg_pool import ConnectionPool

from ....model.errors import BadInput, Busy, Damaged
from ....model.scope import EVERYTHING
from ....model.value import Value
from ....rules.server_address import address_fault, is_port
from ...common.sql_dialect import SqlDialect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any, Protocol, TypeVar

    from ....model.errors import CommonplaceError, Unavailable
    from ....model.scope import Visible

    T = TypeVar("T")

    class PostgresRows(Protocol):
        """The rows of one statement."""

        def fetchone(self) -> tuple[Any, ...] | None:
            """The next row."""
            ...

        def fetchall(self) -> list[tuple[Any, ...]]:
            """The remaining rows."""
            ...

        def __iter__(self) -> Iterator[tuple[Any, ...]]: ...

    class PostgresConnection(Protocol):
        """The part of a connection that backends use inside a transaction."""

        def execute(
            self, query: Any, values: Any = None, /, *, prepare: bool | None = None
        ) -> PostgresRows:
            """Run a statement."""
            ...

        def pipeline(self) -> Any:
            """Statements whose rows nobody asks for are sent along with the next."""
            ...

        def cursor(self) -> Any:
            """For running one statement many times."""
            ...


FAILURES = (psycopg.Error, psycopg_pool.PoolTimeout, psycopg_pool.PoolClosed)
_LOST = ("08", "57P", "25P03")
"""The server went away, starts or stops, or ended a connection that was silent for too long."""
_UNDONE = ("40", "53300")
"""The server rolled the transaction back for a reason that may be gone the next time."""

_MEANINGS: tuple[tuple[tuple[str, ...], type[CommonplaceError] | None, str, str], ...] = (
    (("55P03", "40", "57014"), Busy, "{} is busy with other work.", "Try again in a moment."),
    (("53100",), None, "{} cannot grow: the server's disk is full.", "Free some space there."),
    (("53",), None, "{} has no room for another connection.", "Raise `max_connections` there."),
    (("28",), None, "{} does not let this role in.", "Check user and password in the URL."),
    (("3D",), None, "{} does not exist.", "Create it: `createdb NAME`."),
    (
        ("42501",),
        None,
        "{} does not allow this role to do that.",
        "Run `commonplace postgres init` as the role that owns the tables.",
    ),
    (
        ("42P01", "42703", "3F"),
        None,
        "{} does not have the tables of a book.",
        "Run `commonplace postgres init` as the role that owns the tables.",
    ),
    (("XX",), Damaged, "{} reports damaged data.", "Restore it from a backup."),
)
"""Beginnings of the server's codes, the error each becomes (None: the backend's own), its text."""


def lost(error: Exception) -> bool:
    """Whether the connection broke, so that the fate of the last statement is unknown."""
    if isinstance(error, psycopg_pool.PoolTimeout):
        return True
    state = _state(error)
    broken = isinstance(error, psycopg.OperationalError) and state is None
    return broken or (state is not None and state.startswith(_LOST) and state != "57014")


def undone(error: Exception) -> bool:
    """Whether the server rolled back and the same may work the next time."""
    state = _state(error)
    return state is not None and state.startswith(_UNDONE)


def postgres_error(error: Exception, failure: type[Unavailable], what: str) -> CommonplaceError:
    """The error of ours that says what an error of the driver means."""
    if isinstance(error, psycopg_pool.PoolClosed):
        return failure(f"{what} is closed.", hint="Open the book again.")
    if lost(error):
        return failure(f"{what} cannot be reached.", hint="Check that the server is running.")
    state = _state(error) or ""
    for states, ours, sentence, hint in _MEANINGS:
        if state.startswith(states):
            return (ours or failure)(sentence.format(what), hint=hint)
    said = str(error).strip().partition("\n")[0]
    return failure(f"{what} cannot be used: {said}", hint="Look at the server's log.")


def _state(error: Exception) -> str | None:
    return error.sqlstate if isinstance(error, psycopg.Error) else None


PATIENCE_S = 10.0
"""How long a transaction is retried while the server is away."""
CONNECT_S = 5.0
FROZEN_S = 15.0
"""A process that is silent for so long in the middle of a transaction loses it."""
_ENTER = (
    "SELECT set_config('search_path', %s, true), set_config('commonplace.visible', %s, true),"
    " set_config('commonplace.parents', %s, true),"
    f" set_config('idle_in_transaction_session_timeout', '{FROZEN_S:g}s', true)"
)
_ENTER_NOT_DURABLE = f"{_ENTER}, set_config('synchronous_commit', 'off', true)"
WHAT = "The database"

_pools: dict[tuple[int, str, int, str], tuple[ConnectionPool[Any], set[int]]] = {}
"""By process, server and use: the pool, and the ids of its users."""
_turn = allocate_lock()


class PostgresDatabase:
    """Runs transactions on a book's tables. May be used from several threads at once."""

    def __init__(self, address: PostgresAddress, failure: type[Unavailable]) -> None:
        self.address = address
        self.failure = failure
        self._closed = False
        self._processes: set[int] = set()

    def run(
        self,
        work: Callable[[PostgresConnection], T],
        *,
        visible: Visible = EVERYTHING,
        durable: bool = True,
        snapshot: bool = False,
        patience_s: float = PATIENCE_S,
    ) -> T:
        """Run a function in one transaction, all or nothing.

        With `snapshot` all of its statements see the same moment. Unless `durable`, a crash of the
        server may undo the last commits. When the server goes away the function runs again, even
        if that happened during the commit: running it twice must be the same as running it once.
        """
        return self._patiently(lambda: self._once(work, visible, durable, snapshot), patience_s)

    def value(self, query: str) -> Any:
        """The value that a query without values asks of a table that no row policy hides.

        The query is a transaction of its own and names the table's schema, so one trip is enough.
        """

        def once() -> Any:
            with self._pool().connection(timeout=CONNECT_S) as connection:
                db: PostgresConnection = connection  # pyright: ignore[reportAssignmentType] (takes any SQL)
                return only(db, query)

        return self._patiently(once, PATIENCE_S)

    def _patiently(self, once: Callable[[], T], patience_s: float) -> T:
        """Call a function again while the server is away."""
        deadline = time.monotonic() + patience_s
        while True:
            try:
                return once()
            except FAILURES as error:
                again = lost(error) or undone(error)
                if not again or self._closed or time.monotonic() > deadline:
                    raise postgres_error(error, self.failure, WHAT) from error
            time.sleep(0.05)

    def session(self, use: str, wait_s: float) -> LentConnection:
        """A connection of the caller's own, for locks that outlast a transaction of `run`.

        Each use has a pool of its own, because who holds one connection needs others for his work.
        """
        return LentConnection(self._pool(use), wait_s)

    def close(self) -> None:
        """Leave the pools; the last user of one closes its connections."""
        self._closed = True
        with _turn:
            for key, (pool, users) in list(_pools.items()):
                users.discard(id(self))
                if not users and key[0] == os.getpid():
                    del _pools[key]
                    pool.close()

    def _once(
        self,
        work: Callable[[PostgresConnection], T],
        visible: Visible,
        durable: bool,
        snapshot: bool,
    ) -> T:
        begin = "BEGIN ISOLATION LEVEL REPEATABLE READ" if snapshot else "BEGIN"
        enter = _ENTER if durable else _ENTER_NOT_DURABLE
        # The end of the block commits, and undoes everything after an error.
        with self._pool().connection(timeout=CONNECT_S) as connection:
            db: PostgresConnection = connection  # pyright: ignore[reportAssignmentType] (takes any SQL)
            # Only who wants to see rows waits for the server: all else is sent along.
            with connection.pipeline():
                db.execute(begin)
                db.execute(enter, (self.address.search_path, *row_policy_settings(visible)))
                done = work(db)
                db.execute("COMMIT")
            return done

    def _pool(self, use: str = "work") -> ConnectionPool[Any]:
        if self._closed:
            raise self.failure(f"{WHAT} is closed.", hint="Open the book again.")
        key = (os.getpid(), self.address.server, self.address.connections, use)
        with _turn:
            if key not in _pools:
                _pools[key] = (_open_pool(self.address), set())
            pool, users = _pools[key]
            users.add(id(self))
        return pool


class LentConnection:
    """A connection that one holder has until he ends it."""

    def __init__(self, pool: ConnectionPool[Any], wait_s: float) -> None:
        self._pool = pool
        self._connection = pool.getconn(timeout=wait_s)

    def execute(self, statements: str) -> None:
        """Run statements that have no values, in one trip to the server."""
        self._connection.execute(statements, prepare=False)

    def ask(self, statements: str) -> Any:
        """The same; returns the value that the last of them asks for."""
        found = self._connection.execute(statements, prepare=False)
        while found.nextset():
            pass
        row = found.fetchone()
        return row[0] if row else None

    def end(self) -> None:
        """Undo the open transaction, and let others have the connection unless it broke."""
        with suppress(*FAILURES):
            self._connection.rollback()
        self._pool.putconn(self._connection)


def array_literal(values: Iterable[object]) -> str:
    """Numbers, texts and nulls as the literal of an array.

    The driver would look at each element to choose a type, and half of what it does for a recall
    is that. The server takes the type that it compares the array with.
    """
    return f"{{{','.join(map(_element, values))}}}"


def _element(value: object) -> str:
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    return "NULL" if value is None else str(value)


POSTGRES = SqlDialect(in_list="= ANY(?)", bind_list=array_literal, scope_column='scope COLLATE "C"')


class QuestionMarks:
    """A connection that takes `?` for each bound value; the driver itself takes `%s`."""

    def __init__(self, db: PostgresConnection) -> None:
        self._db = db

    def execute(self, query: str, values: Sequence[object] = ()) -> PostgresRows:
        """Run a statement."""
        return self._db.execute(query.replace("?", "%s"), values)

    def executemany(self, query: str, rows: Sequence[Sequence[object]]) -> None:
        """Run a statement once for each row of values."""
        many(self._db, query.replace("?", "%s"), rows)


def many(db: PostgresConnection, query: str, rows: Sequence[Sequence[object]]) -> None:
    """Run a statement once for each row of values."""
    if len(rows) == 1:
        db.execute(query, rows[0])
    elif rows:
        with db.cursor() as cursor:
            cursor.executemany(query, rows)


def only(db: PostgresConnection, query: str, values: Any = None) -> Any:
    """The value in a query's first row; None without a row."""
    row = db.execute(query, values).fetchone()
    return row[0] if row else None


def row_policy_settings(visible: Visible) -> tuple[str, str]:
    """The settings that the policies read; no scope contains a line break."""
    if visible.everything:
        return "*", ""
    return "\n".join(visible.scopes), "\n".join(visible.task_parents)


def _open_pool(address: PostgresAddress) -> ConnectionPool[Any]:
    import logging

    # Its warnings on standard error repeat our own errors.
    logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)
    return ConnectionPool(
        address.server,
        kwargs={"autocommit": True, "connect_timeout": CONNECT_S},
        min_size=0,
        max_size=address.connections,
        num_workers=2,
        open=True,
    )


SCHEMA = "commonplace"
CONNECTIONS = 8
_NAME = re.compile(r"[a-z_][a-z0-9_]{0,62}")


class PostgresAddress(Value):
    """A book's server, its schema, and how many connections may be open.

    As a URL: `postgresql://server@host/database?schema=commonplace`.
    """

    server: str
    """The URL for the driver; may hold a password."""
    schema: str = SCHEMA
    connections: int = CONNECTIONS

    @classmethod
    def parse(cls, url: str) -> PostgresAddress:
        """Read a URL; of its options, `schema` and `connections` are ours."""
        # Only the part before the options is checked: an option may hold blanks.
        if fault := address_fault(url.partition("?")[0], ("postgresql",), host=False):
            raise BadInput(
                f"The address of the database {fault}.", hint="Use postgresql://USER@HOST/DATABASE."
            )
        scheme, place, path, query, _ = urlsplit(url)
        options = dict(parse_qsl(query))
        if not all(map(is_port, filter(None, options.get("port", "").split(",")))):
            raise BadInput("The address of the database has a wrong port.", hint="Use 1 to 65535.")
        schema, connections = options.pop("schema", SCHEMA), options.pop("connections", "")
        if not is_name(schema):
            raise BadInput(
                f"{schema!r} cannot be the schema of a book.",
                hint="Use lower-case letters, digits and underscores.",
            )
        if connections and not (connections.isdecimal() and int(connections)):
            raise BadInput("`connections` is not a number.", hint="Use one from 1 on.")
        # Without `//` an address of a socket alone would lose its empty host.
        server = urlunsplit((scheme, place, path, urlencode(options), ""))
        server = server if "//" in server else server.replace(":", "://", 1)
        return cls(server, schema, int(connections or CONNECTIONS))

    def as_role(self, role: str) -> PostgresAddress:
        """The same address, for another role."""
        scheme, place, path, query, _ = urlsplit(self.server)
        server = f"{scheme}://{role}@{place.rpartition('@')[2]}{path}"
        return self.but(server=f"{server}?{query}" if query else server)

    def lock_key(self, *names: str) -> int:
        """The number of one of the book's advisory locks, which all schemas of a database share."""
        text = "\0".join((self.schema, *names))
        return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), signed=True)

    @property
    def search_path(self) -> str:
        """The schemas of our tables and, by custom, of extensions such as pgvector."""
        return f"{self.schema}, public"

    @property
    def url(self) -> str:
        """The URL without its password, for people and logs."""
        scheme, place, path, query, _ = urlsplit(self.server)
        user, at, host = place.rpartition("@")
        options = {k: v for k, v in parse_qsl(query) if k != "password"}
        options |= {} if self.schema == SCHEMA else {"schema": self.schema}
        place = f"{user.partition(':')[0]}{at}{host}"
        return f"{scheme}://{place}{path}" + (f"?{urlencode(options)}" if options else "")


def is_name(text: str) -> bool:
    """Whether a schema or role of that name needs no quotes."""
    return bool(_NAME.fullmatch(text))
