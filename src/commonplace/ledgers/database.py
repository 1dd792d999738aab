"""A SQLite file that a ledger keeps tables in, shared by the threads of a process."""

from __future__ import annotations

from _thread import RLock
from contextlib import contextmanager

from ..errors import LedgerUnavailable
from ..sqlite import called, connect, mapped, sweep, transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator

    from ..sqlite import Database


class LedgerDatabase:
    """One connection, used by one thread at a time; what SQLite raises is put into our words."""

    def __init__(self, path: str, *, durable: bool) -> None:
        self.path = path
        self.what = called(path)
        self.lock = RLock()
        self.connection: Database = connect(path, durable=durable, failure=LedgerUnavailable)

    @contextmanager
    def reading(self) -> Generator[Database]:
        """Use the connection."""
        with self.lock, mapped(LedgerUnavailable, self.what):
            yield self.connection

    @contextmanager
    def writing(self) -> Generator[Database]:
        """Use the connection in one transaction; no other process writes meanwhile."""
        with self.reading() as db, transaction(db):
            yield db

    def add_tables(self, schema: str) -> None:
        """Make tables that are not there yet."""
        with self.reading() as db:
            db.execute(schema)

    def sweep(self) -> bool:
        """Leave nothing of what was deleted in the file or its log; False when that is in use."""
        with self.reading() as db:
            return sweep(db)

    def close(self) -> None:
        """Let go of the file."""
        with self.lock:
            self.connection.close()
