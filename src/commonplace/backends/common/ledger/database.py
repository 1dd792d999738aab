"""The database under a ledger's tables: its SQL dialect, and transactions as SQLite runs them.

SQLite is here because a vault and a one-file book use it; PostgreSQL brings the same two parts
from its own folder.
"""

from __future__ import annotations

from _thread import RLock

import apsw

from ....model.errors import LedgerUnavailable
from ....model.quick_decorators import contextmanager
from ....model.quick_json import parse_json, write_json
from ....model.scope import EVERYTHING
from ..sql_dialect import SqlDialect, task_parent
from ..sqlite import BUSY_TIMEOUT_S, SQLITE, DatabaseReplaced, be_patient, sweep, transaction
from ..sqlite_file import SqliteFile, retrying

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence
    from typing import Any, Protocol, TypeVar

    from ....model.scope import Visible
    from ..sqlite import SqliteConnection

    T = TypeVar("T")

    class LedgerRows(Protocol):
        """The rows of one statement."""

        def fetchone(self) -> tuple[Any, ...] | None:
            """The next row."""
            ...

        def fetchall(self) -> list[tuple[Any, ...]]:
            """The remaining rows."""
            ...

        def __iter__(self) -> Iterator[tuple[Any, ...]]: ...

    class LedgerConnection(Protocol):
        """A connection inside a transaction; statements have `?` for each value."""

        def execute(self, query: str, values: Sequence[object] = (), /) -> LedgerRows:
            """Run a statement."""
            ...

        def executemany(self, query: str, rows: Sequence[Sequence[object]], /) -> object:
            """Run a statement once for each row of values."""
            ...

    class LedgerDatabase(Protocol):
        """Runs functions on a ledger's tables."""

        @property
        def dialect(self) -> LedgerDialect:
            """The layout of the tables and the engine's own syntax."""
            ...

        def read(
            self, work: Callable[[LedgerConnection], T], *, visible: Visible = EVERYTHING
        ) -> T:
            """Run a function that reads; the engine hides rows that are not visible if it can."""
            ...

        def write(self, work: Callable[[LedgerConnection], T]) -> T:
            """Run a function in one transaction, all or nothing.

            The engine may run it again when it cannot tell whether the commit succeeded.
            """
            ...

        def write_cheaply(self, work: Callable[[LedgerConnection], object]) -> None:
            """Run a function whose result may be lost, rather than hold a recall up."""
            ...

        def sweep(self) -> bool:
            """Overwrite deleted rows on the disk; False when another reader prevents it."""
            ...

        def close(self) -> None:
            """Let go of files and connections."""
            ...


PATIENCE_S = 0.05
"""Longest delay of a recall by its own counters and log."""


class LedgerDialect(SqlDialect):
    """The SQL of a ledger that differs between engines."""

    position: str
    """The function that finds a text in another; 0 if it is not there."""
    events: str
    """The tables of all events, for a FROM clause, with a column `chain`."""
    event_key: str
    """The column of `events` that `event_memories.event` names."""
    event_columns: tuple[str, ...]
    event_memory_columns: tuple[str, ...]
    retrieval_columns: tuple[str, ...]
    pack_retrieval: Callable[[list[Any]], tuple[object, ...]]
    """The values of these columns, from id, time, query, results and details."""
    unpack_retrieval: Callable[[Sequence[Any]], list[Any]]
    lock_chain: str
    """The statement that makes other writers of the chain wait; empty if a transaction does."""
    empty_event: Callable[[LedgerConnection, int, str, str], object]
    """Replaces scope and line of the event with this key."""


SQLITE_LEDGER = LedgerDialect(
    **vars(SQLITE),
    position="instr",
    events="events",
    event_key="row",
    event_columns=(
        "row", "chain", "number", "id", "at", "memory", "scope", "task_parent", "line"
    ),
    event_memory_columns=("memory", "event"),
    retrieval_columns=("id", "at", "query", "results", "details"),
    pack_retrieval=lambda values: (*values[:3], write_json(values[3]), values[4]),
    unpack_retrieval=lambda row: [*row[:3], parse_json(row[3]), row[4]],
    lock_chain="",
    empty_event=lambda db, key, scope, line: db.execute(
        "UPDATE events SET scope=?, task_parent=?, line=? WHERE row=?",
        (scope, task_parent(scope), line, key),
    ),
)  # fmt: skip


class SqliteLedgerDatabase:
    """One connection to an SQLite file, used by one thread at a time.

    A `durable` file holds the truth. Another one is set aside when it is damaged.
    """

    dialect = SQLITE_LEDGER

    def __init__(self, path: str, *, durable: bool) -> None:
        self.path = path
        self._schemas: list[str] = []
        self._lock = RLock()
        self.connection = SqliteFile(
            path,
            prepare=self._make_tables,
            if_damaged="raise" if durable else "rename",
            durable=durable,
            failure=LedgerUnavailable,
        )

    def _make_tables(self, db: SqliteConnection) -> None:
        for schema in self._schemas:
            db.execute(schema)

    @contextmanager
    def reading(self) -> Generator[SqliteConnection]:
        """Use the connection."""
        with self._lock, self.connection.guard():
            yield self.connection

    @contextmanager
    def writing(self, *, lasting: bool = True) -> Generator[SqliteConnection]:
        """Use the connection in one transaction; no other process writes meanwhile.

        Unless it must be `lasting`, a copy in memory takes the write while the file cannot.
        """
        with self.reading() as db:
            if lasting:
                self.connection.require_file()
            with transaction(db):
                yield db

    def read(self, work: Callable[[LedgerConnection], T], *, visible: Visible = EVERYTHING) -> T:
        """Run a function that reads; only its own conditions hide rows."""
        with self.reading() as db:
            return work(db)

    def write(self, work: Callable[[LedgerConnection], T]) -> T:
        """Run a function in one transaction."""
        with self.writing() as db:
            return work(db)

    def write_cheaply(self, work: Callable[[LedgerConnection], object]) -> None:
        """Run a function in one transaction, unless another thread or process is writing."""
        if not self._lock.acquire(timeout=PATIENCE_S):
            return
        try:
            with self.reading() as db:
                be_patient(db, PATIENCE_S)
                try:
                    with transaction(db):
                        work(db)
                except (apsw.BusyError, apsw.LockedError):
                    return
                finally:
                    be_patient(db, BUSY_TIMEOUT_S)
        except DatabaseReplaced:
            return
        finally:
            self._lock.release()

    @retrying
    def add_tables(self, schema: str) -> None:
        """Make tables that are not there yet."""
        if schema not in self._schemas:
            self._schemas.append(schema)
        with self.reading() as db:
            db.execute(schema)

    def sweep(self) -> bool:
        """Overwrite deleted rows in the file and its log; False when the log is in use."""
        from ..repair import drop_kept_copies

        drop_kept_copies(self.path)
        with self.reading() as db:
            return sweep(db)

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self.connection.close()
