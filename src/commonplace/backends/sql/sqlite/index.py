"""The search index in one SQLite file."""

from __future__ import annotations

from _thread import RLock
from contextlib import contextmanager

import apsw

from ....model.errors import IndexUnavailable
from ...common import sqlite
from ..index.index import TableIndex
from .index_tables import SqliteTables, clear, open_index, remove

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

DAMAGE = (apsw.CorruptError, apsw.NotADBError, apsw.SQLError)
"""The errors of a damaged file; SQLError if its tables are not ours."""


class SqliteIndex(TableIndex):
    """Words, vectors, conditions and links, within the visible scopes only.

    May be used from several threads and several processes at once.
    """

    def __init__(self, path: str, engine: VectorEngine | None = None) -> None:
        self._path = path
        self._engine = engine
        self.location = f"{path}, vectors in {engine.location}" if engine else path
        self._turn = RLock()
        self._db = open_index(path)

    def apply(self, changes: Changes) -> None:
        """Index changed documents and advance; applying twice is the same as once."""
        from .index_writer import apply

        self._write(lambda tables: apply(tables, changes))

    def forget(self, ids: Collection[str]) -> None:
        """Delete memories and every trace of their text."""
        from .index_writer import forget

        self._write(lambda tables: forget(tables, ids))
        with self._guarded() as db:
            sqlite.sweep(db)
        self._removed()

    def reset(self) -> None:
        """Empty the index."""
        with self._guarded() as db:
            try:
                with sqlite.transaction(db):
                    clear(db)
                sqlite.empty_log(db)
            except DAMAGE:
                self._start_over()
        self._removed()

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
        with self._guarded() as db:
            db.execute("BEGIN")
            try:
                return work(SqliteTables(db, external=self._engine is not None))
            finally:
                if db.in_transaction:
                    db.execute("ROLLBACK")

    def _write(self, work: Callable[[SqliteTables], T]) -> T:
        with self._guarded() as db, sqlite.transaction(db):
            return work(SqliteTables(db, external=self._engine is not None))

    @contextmanager
    def _guarded(self) -> Generator[SqliteConnection]:
        """One thread at a time; a damaged file is replaced, and IndexUnavailable says so."""
        with self._turn:
            try:
                yield self._db
            except DAMAGE as error:
                self._start_over()
                raise IndexUnavailable(
                    "The search index was damaged and has been discarded.",
                    hint="Try again: it is rebuilt from the notes.",
                ) from error
            except apsw.Error as error:
                raise sqlite.sqlite_error(error, IndexUnavailable, "The search index") from error

    def _start_over(self) -> None:
        self._db.close()
        remove(self._path)
        self._db = open_index(self._path)
