"""The search index in one SQLite file."""

from __future__ import annotations

from _thread import RLock

from ....model.errors import IndexUnavailable
from ....model.quick_decorators import contextmanager
from ....model.scope import EVERYTHING
from ...common import sqlite
from ...common.sqlite import DatabaseReplaced
from ...common.sqlite_file import SqliteFile, retried
from ..index.index import TableIndex
from .index_tables import SqliteTables, clear, make_tables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator
    from typing import TypeVar

    from ....model.memory import Link
    from ....model.scope import Visible
    from ....ports.record_store import Changes
    from ....ports.vector_engine import VectorEngine
    from ...common.sqlite import SqliteConnection

    T = TypeVar("T")


MOST_FILLED = 3
"""How many files that take the place of one another are filled at most."""


class SqliteIndex(TableIndex):
    """Words, vectors, conditions and links, within the visible scopes only.

    May be used from several threads and several processes at once.
    """

    def __init__(self, path: str, engine: VectorEngine | None = None) -> None:
        self._path = path
        self._engine = engine
        self.location = f"{path}, vectors in {engine.location}" if engine else path
        self._turn = RLock()
        self._db = SqliteFile(
            path, prepare=make_tables, if_damaged="remove", failure=IndexUnavailable
        )
        self._refilling = False

    def begun(self) -> int:
        """A number that another one takes the place of when the index is begun anew.

        So it does when a copy in memory takes the place of the file, or the file that of the copy:
        what one of them learned meanwhile has other rows in the other.
        """
        query = "SELECT value FROM meta WHERE name = 'begun'"
        with self._turn:
            found = self._read(EVERYTHING, lambda tables: tables.db.execute(query).get) or 0
            return found + self._db.connections

    def apply(self, changes: Changes) -> None:
        """Index changed documents and advance; applying twice is the same as once."""
        from .index_writer import apply

        self._write(lambda tables: apply(tables, changes))

    def forget(self, ids: Collection[str]) -> None:
        """Delete memories and every trace of their text."""
        from .index_writer import forget

        self._write(lambda tables: forget(tables, ids))
        with self._turn:
            self._db.require_file()
        try:
            with self._guarded() as db:
                sqlite.sweep(db)
        except DatabaseReplaced:
            # It reads every page, and is the first to meet a damaged one. A new file holds none of
            # what was to be swept.
            retried(self.revision)
        self._removed()

    def reset(self) -> None:
        """Empty the index."""
        try:
            with self._guarded() as db:
                with sqlite.transaction(db):
                    clear(db)
                sqlite.empty_log(db)
        except DatabaseReplaced:
            retried(self.revision)
        self._removed()

    def has_words(self, ids: Collection[str]) -> bool:
        """Whether the index has the words of these memories as they are.

        FTS5 cannot tell by itself: the index has no copy of the texts to compare its postings with.
        """
        from .index_writer import has_words

        return self._read(EVERYTHING, lambda tables: has_words(tables, ids))

    def links(self, ids: Collection[str] | None, *, visible: Visible) -> list[Link]:
        """Wikilinks out of and into these memories, or all of them; both ends are visible."""
        # Checked first, because most recalls ask and most books have no links.
        query = "SELECT EXISTS (SELECT 1 FROM links)"
        if self._read(visible, lambda tables: tables.db.execute(query).get):
            return super().links(ids, visible=visible)
        return []

    def close(self) -> None:
        """Close the file, and the vector engine."""
        with self._turn:
            self._db.close()
        if self._engine is not None:
            self._engine.close()

    def _read(self, visible: Visible, work: Callable[[SqliteTables], T]) -> T:
        if self._open is not None:
            return work(self._open[1])
        return self._healing(lambda: self._read_once(work))

    def _read_once(self, work: Callable[[SqliteTables], T]) -> T:
        with self._guarded() as db:
            db.execute("BEGIN")
            try:
                return work(SqliteTables(db, external=self._engine is not None))
            finally:
                if db.in_transaction:
                    db.execute("ROLLBACK")

    def _write(self, work: Callable[[SqliteTables], T]) -> T:
        return self._healing(lambda: self._write_once(work))

    def _write_once(self, work: Callable[[SqliteTables], T]) -> T:
        with self._guarded() as db, sqlite.transaction(db):
            return work(SqliteTables(db, external=self._engine is not None))

    def _healing(self, use: Callable[[], T]) -> T:
        """Use the file; if another took its place, fill that one and use it instead."""
        with self._turn:
            for _ in range(MOST_FILLED):
                try:
                    return use()
                except DatabaseReplaced as error:
                    if self._refill is None or self._refilling:
                        raise IndexUnavailable(
                            "The search index was damaged and has been discarded.",
                            hint="Try again: it is rebuilt from the notes.",
                        ) from error
                    self._fill(self._refill)
            return use()

    def _fill(self, refill: Callable[[], object]) -> None:
        """Fill a new file, and once more if that one is damaged meanwhile, or the disk is full."""
        self._refilling = True
        try:
            for left in reversed(range(MOST_FILLED)):
                try:
                    refill()
                    return
                except IndexUnavailable:
                    if not left:
                        raise
        finally:
            self._refilling = False

    @contextmanager
    def _guarded(self) -> Generator[SqliteConnection]:
        """Use the file, one thread at a time."""
        with self._turn, self._db.guard():
            yield self._db
