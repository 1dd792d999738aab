"""A database file that goes on when its file is damaged or cannot be written."""

from __future__ import annotations

import time

import apsw

from ...model.errors import Damaged, Unavailable
from ...model.memory import Problem
from ...model.quick_decorators import contextmanager, suppress, wraps
from .sqlite import MISREAD, DatabaseReplaced, connected, database_name, identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from typing import ParamSpec, TypeVar

    from ...model.errors import CommonplaceError
    from .sqlite import SqliteConnection

    P = ParamSpec("P")
    T = TypeVar("T")


class SqliteFile:
    """A database file, used like the connection to it.

    A damaged file is replaced by a new one, unless it holds the truth. While a file cannot be
    written, a copy in memory takes its place: reading goes on, and `require_file` refuses a write
    that must last.
    """

    def __init__(
        self,
        path: str,
        *,
        prepare: Callable[[SqliteConnection], object],
        if_damaged: str,
        durable: bool = False,
        failure: type[Unavailable] = Unavailable,
    ) -> None:
        self.path = path
        self.prepare = prepare
        """Makes the tables of a new file, and raises Damaged for a file of another format."""
        self.if_damaged = if_damaged
        """`remove` a file that can be derived again, `rename` it, or `raise` for the truth."""
        self.durable = durable
        self.failure = failure
        self.name = database_name(path)
        self.unwritable: CommonplaceError | None = None
        """Why the database is in memory; None while it is the file."""
        self.retry_at_s = 0.0
        self.file: tuple[int, int] | None = None
        self.connections = 0
        """How many connections have been used, one after the other: to the file, or to a copy."""
        self.db: SqliteConnection | None = None
        try:
            self.use(self.opened())
        except (apsw.Error, OSError, Damaged, *MISREAD) as error:
            self.replace(error)

    def opened(self) -> SqliteConnection:
        """A new connection to the file, with its tables."""
        db = connected(self.path, durable=self.durable)
        try:
            self.prepare(db)
        except BaseException:
            db.close()
            raise
        return db

    def use(self, db: SqliteConnection, *, unwritable: CommonplaceError | None = None) -> None:
        """Go on with another connection."""
        if self.db is not None:
            with suppress(apsw.Error):
                self.db.close()
        self.db, self.unwritable = db, unwritable
        self.connections += 1
        self.file = identity(self.path)
        # Bound methods of the connection itself, because every statement goes through here.
        self.execute, self.executemany = db.execute, db.executemany
        self.changes, self.last_insert_rowid = db.changes, db.last_insert_rowid
        self.set_busy_handler = db.set_busy_handler

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open."""
        return self.db is not None and self.db.in_transaction

    @contextmanager
    def guard(self) -> Generator[None]:
        """Use the database; raises DatabaseReplaced when another took its place meanwhile."""
        try:
            if not self.in_transaction and self._file_changed():
                from .repair import reopen

                reopen(self)
            yield
        except (apsw.Error, *MISREAD) as error:
            raise self.replace(error) from error

    def replace(self, error: Exception) -> CommonplaceError:
        """Replace a database that failed, if that helps, and return the error to raise."""
        from .repair import replace

        return replace(self, error)

    def require_file(self) -> None:
        """Raise the reason why the file cannot be written, if it still cannot.

        It may go on with another connection: callers hold the lock of those who use this one.
        """
        if self.unwritable is None:
            return
        from .repair import reopen

        with suppress(DatabaseReplaced):
            reopen(self)
        self._raise_unwritable()

    def _raise_unwritable(self) -> None:
        if self.unwritable is not None:
            # With the traceback that it had, it would hold every request that it was raised in.
            raise self.unwritable.with_traceback(None)

    def problems(self) -> list[Problem]:
        """The reason why the file cannot be written, for `doctor`."""
        if (why := self.unwritable) is None:
            return []
        return [Problem(self.path, f"{why.sentence} Nothing can be saved.", why.hint, "error")]

    def close(self) -> None:
        """Let go of the file."""
        if self.db is not None:
            self.db.close()

    def _file_changed(self) -> bool:
        """Whether another file is at the path, or one that could not be written is to be tried."""
        if self.unwritable is not None:
            return time.monotonic() > self.retry_at_s
        return self.if_damaged != "raise" and identity(self.path) != self.file


def retried(work: Callable[[], T]) -> T:
    """Call a function, and once more if a database was replaced meanwhile."""
    try:
        return work()
    except DatabaseReplaced:
        return work()


def retrying(method: Callable[P, T]) -> Callable[P, T]:
    """Make a method that is called once more if a database was replaced meanwhile."""

    @wraps(method)
    def again(*values: P.args, **named: P.kwargs) -> T:
        return retried(lambda: method(*values, **named))

    return again
