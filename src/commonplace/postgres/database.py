"""The tables of one book on a server: transactions that see what the caller may see.

Every transaction says first what is visible in it; the policies on the tables hold it to that
(`walls.py`). Connections come from a pool that all parts of a process share.
"""

from __future__ import annotations

import os
import time
from _thread import allocate_lock

from psycopg import IsolationLevel
from psycopg_pool import ConnectionPool

from ..scope import EVERYTHING
from .failing import FAILURES, in_words, lost, undone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any, Protocol, TypeVar

    from ..errors import Unavailable
    from ..scope import Scope, Tenant, Visible
    from .address import Address

    T = TypeVar("T")

    class Rows(Protocol):
        """The rows of one statement."""

        def fetchone(self) -> tuple[Any, ...] | None:
            """The next row."""
            ...

        def fetchall(self) -> list[tuple[Any, ...]]:
            """The remaining rows."""
            ...

        def __iter__(self) -> Iterator[tuple[Any, ...]]: ...

    class Connection(Protocol):
        """What backends use of a connection while a transaction is open."""

        def execute(self, query: Any, values: Any = None, /) -> Rows:
            """Run a statement."""
            ...

        def cursor(self) -> Any:
            """For running one statement many times."""
            ...


PATIENCE_S = 10.0
"""How long a transaction is tried again while the server is away."""
CONNECT_S = 5.0
_ENTER = (
    "SELECT set_config('search_path', %s, true), set_config('commonplace.visible', %s, true),"
    " set_config('commonplace.parents', %s, true)"
)
_ENTER_LIGHTLY = f"{_ENTER}, set_config('synchronous_commit', 'off', true)"
WHAT = "The database"

_pools: dict[tuple[int, str, int], tuple[ConnectionPool[Any], set[int]]] = {}
"""By process and server: the pool, and who uses it."""
_turn = allocate_lock()


class Database:
    """One part's way to its book's tables. May be used from several threads at once."""

    def __init__(self, address: Address, failure: type[Unavailable]) -> None:
        self.address = address
        self.failure = failure
        self._closed = False
        self._processes: set[int] = set()

    def run(
        self,
        work: Callable[[Connection], T],
        *,
        visible: Visible = EVERYTHING,
        durable: bool = True,
        snapshot: bool = False,
        patience_s: float = PATIENCE_S,
    ) -> T:
        """Do some work in one transaction, all or nothing.

        With `snapshot` all of its statements see one and the same moment.
        Unless `durable`, a crash of the server may undo what was committed in its last moments.
        When the server goes away the work is done anew, even if that happened during the commit:
        doing it twice must be the same as doing it once.
        """
        deadline = time.monotonic() + patience_s
        while True:
            try:
                return self._once(work, visible, _ENTER if durable else _ENTER_LIGHTLY, snapshot)
            except FAILURES as error:
                again = lost(error) or undone(error)
                if not again or self._closed or time.monotonic() > deadline:
                    raise in_words(error, self.failure, WHAT) from error
            time.sleep(0.05)

    def close(self) -> None:
        """Let go of the pool; the last one to do so closes its connections."""
        self._closed = True
        with _turn:
            for key, (pool, users) in list(_pools.items()):
                users.discard(id(self))
                if not users and key[0] == os.getpid():
                    del _pools[key]
                    pool.close()

    def _once(
        self, work: Callable[[Connection], T], visible: Visible, enter: str, snapshot: bool
    ) -> T:
        with self._pool().connection(timeout=CONNECT_S) as connection:
            connection.isolation_level = IsolationLevel.REPEATABLE_READ if snapshot else None
            db: Connection = connection  # pyright: ignore[reportAssignmentType] (takes any SQL)
            with connection.transaction():
                db.execute(enter, (self.address.search_path, *walls(visible)))
                return work(db)

    def _pool(self) -> ConnectionPool[Any]:
        if self._closed:
            raise self.failure(f"{WHAT} is closed.", hint="Open the book again.")
        key = (os.getpid(), self.address.server, self.address.connections)
        with _turn:
            if key not in _pools:
                _pools[key] = (_open_pool(self.address), set())
            pool, users = _pools[key]
            users.add(id(self))
        return pool


def many(db: Connection, query: str, rows: Sequence[Sequence[object]]) -> None:
    """Run a statement once for each row of values."""
    if rows:
        with db.cursor() as cursor:
            cursor.executemany(query, rows)


def only(db: Connection, query: str, values: Any = None) -> Any:
    """The one value that a query gives; None without a row."""
    row = db.execute(query, values).fetchone()
    return row[0] if row else None


def walls(visible: Visible) -> tuple[str, str]:
    """What is visible, as the policies of the tables read it; no scope contains a line break."""
    if visible.everything:
        return "*", ""
    return "\n".join(visible.scopes), "\n".join(visible.task_parents)


def seen_by(visible: Visible) -> tuple[str, dict[str, Any]]:
    """The condition on columns `scope` and `task_parent` that a visible row meets, and values."""
    if visible.everything:
        return "true", {}
    return (
        "(scope = ANY(%(visible_scopes)s) OR task_parent = ANY(%(visible_parents)s))",
        {
            "visible_scopes": list(visible.scopes),
            "visible_parents": list(visible.task_parents),
        },
    )


def of_tenant(tenant: Tenant) -> tuple[str, dict[str, Any]]:
    """The condition on a column `scope` that a tenant's rows meet, and values."""
    ranges = {f"from_{n}": start for n, start in enumerate(tenant.inside)}
    # Paths of scopes inside begin alike up to a slash, and the character after it is a zero.
    ranges |= {f"until_{n}": f"{start[:-1]}0" for n, start in enumerate(tenant.inside)}
    path = 'scope COLLATE "C"'
    inside = (
        f"{path} >= %(from_{n})s AND {path} < %(until_{n})s" for n in range(len(tenant.inside))
    )
    return f"({path} = %(own)s OR {' OR '.join(inside)})", ranges | {"own": str(tenant.scope)}


def task_parent(scope: Scope) -> str | None:
    """What the column `task_parent` holds: the scope without its task, if it has one."""
    return None if scope.value("task") is None else str(scope.without("task"))


def storable(texts: Iterable[str]) -> list[str]:
    """Those of some names that a text column could hold; no other can be in it."""
    return [text for text in texts if "\0" not in text and _is_unicode(text)]


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _open_pool(address: Address) -> ConnectionPool[Any]:
    import logging

    # Its warnings repeat what our errors say, on the standard error of whoever asks.
    logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)
    return ConnectionPool(
        address.server,
        kwargs={"autocommit": True, "connect_timeout": CONNECT_S},
        min_size=0,
        max_size=address.connections,
        num_workers=2,
        open=True,
    )
