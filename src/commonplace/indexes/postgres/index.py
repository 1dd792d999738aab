"""The search index in the book's own database."""

from __future__ import annotations

from ...errors import IndexUnavailable
from ...postgres.database import Database
from ..sql.index import TableIndex
from .tables import PostgresTables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import TypeVar

    from ...ports.records import Changes
    from ...postgres.address import Address
    from ...postgres.database import Connection
    from ...scope import Visible

    T = TypeVar("T")

EXACTLY = 20_000
_ALONE = "SELECT pg_advisory_xact_lock(hashtextextended(current_schema, 2))"


class PostgresIndex(TableIndex):
    """Words, meaning, conditions and links, within the visible scopes only.

    May be used from several threads, processes and machines at once. Without pgvector on the
    server there is no search by meaning, and everything else is as it was.
    """

    def __init__(self, address: Address, *, vectors: bool, exactly: int = EXACTLY) -> None:
        self.location = address.url
        self.capabilities = frozenset({"keyword", "links"} | ({"vector"} if vectors else set()))
        self._exactly = exactly
        self._database = Database(address, IndexUnavailable)

    def apply(self, changes: Changes) -> None:
        """Bring some places up to date and advance; applying twice is the same as once."""
        from .writing import apply

        self._write(lambda tables: apply(tables, changes))

    def forget(self, ids: Collection[str]) -> None:
        """Drop memories and every trace of their text."""
        from .writing import forget

        self._write(lambda tables: forget(tables, ids))

    def reset(self) -> None:
        """Start again from nothing."""
        from .writing import clear

        self._write(clear)

    def close(self) -> None:
        """Let go of the connections."""
        self._database.close()

    def _read(self, visible: Visible, work: Callable[[PostgresTables], T]) -> T:
        return self._database.run(lambda db: work(self._tables(db)), visible=visible, snapshot=True)

    def _write(self, work: Callable[[PostgresTables], T]) -> T:
        """One writer at a time; what a crash of the server undoes is read from the store again."""

        def alone(db: Connection) -> T:
            db.execute(_ALONE)
            return work(self._tables(db))

        return self._database.run(alone, durable=False)

    def _tables(self, db: Connection) -> PostgresTables:
        return PostgresTables(db, exactly=self._exactly, vectors=self._compares)
