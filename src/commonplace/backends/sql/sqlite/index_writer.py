"""Bringing the tables of the SQLite index up to date with the store, and forgetting."""

# ruff: noqa: S608 - every piece of SQL here is our own; a caller's values are always bound.

from __future__ import annotations

from ..index import rows, write
from . import vectors
from .index_tables import scoped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from ....model.scope import Scope
    from ....ports.record_store import Changes
    from ..index.write import IndexedMemory, IndexEntry
    from .index_tables import SqliteTables

_COLUMNS = ", ".join("?" * rows.MEMORY_COLUMNS)
_SAY = "INSERT INTO words (rowid, head, body) VALUES (?, ?, ?)"
_UNSAY = "INSERT INTO words (words, rowid, head, body) VALUES ('delete', ?, ?, ?)"
_LINE_UP = "INSERT OR IGNORE INTO unembedded SELECT ?, model FROM vector_models"


def apply(tables: SqliteTables, changes: Changes) -> None:
    """Make the index say what these places hold now; runs inside a transaction."""
    batch = _SqliteBatch(tables)
    write.apply(tables, changes, batch)
    if batch.unsaid:
        tables.execute("UPDATE meta SET value = 1 WHERE name = 'residue'")


def forget(tables: SqliteTables, ids: Collection[str]) -> None:
    """Drop memories so that none of their words is left; runs inside a transaction."""
    db = tables.db
    db.execute("INSERT INTO words (words, rank) VALUES ('secure-delete', 1)")
    write.forget(tables, ids, _SqliteBatch(tables))
    db.execute("INSERT INTO words (words, rank) VALUES ('secure-delete', 0)")
    if db.execute("SELECT value FROM meta WHERE name = 'residue'").get:
        # Words that edits took out are still in the segments until those are merged.
        db.execute("INSERT INTO words (words) VALUES ('optimize')")
        db.execute("UPDATE meta SET value = 0 WHERE name = 'residue'")


class _SqliteBatch(write.Batch):
    """Words go to FTS5, which is told what it stored when it is to take them out again."""

    inserts = {
        "memories": f"INSERT OR REPLACE INTO memories VALUES ({_COLUMNS})",
        "documents": "INSERT OR REPLACE INTO documents VALUES (?, ?)",
        "labels": "INSERT INTO labels VALUES (?, ?, ?)",
        "links": "INSERT INTO links VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    }
    owned = ("memories", "documents", "unembedded")

    def __init__(self, tables: SqliteTables) -> None:
        super().__init__(tables)
        self._db = tables.db
        self._last = self._first = self._db.execute(
            "SELECT value FROM meta WHERE name='last_row'"
        ).get
        self._said: list[tuple[int, str, str]] = []
        self.unsaid: list[tuple[int, str, str]] = []

    def _next_number(self) -> int:
        self._last += 1
        return self._last

    def _say(
        self, row: int, scope: int, parent: int | None, head: list[str], body: list[str]
    ) -> None:
        self._said.append((row, scoped(head, scope, parent), scoped(body, scope, parent)))

    def _unsay(self, held: IndexedMemory, head: list[str], body: list[str]) -> None:
        scope, parent = held.scope, held.parent
        self.unsaid.append((held.row, scoped(head, scope, parent), scoped(body, scope, parent)))

    def _describe(self, entry: IndexEntry, row: int, scope: int, parent: int | None) -> None:
        memory, names = entry.memory, rows.fingerprint(entry.names)
        axes = rows.axes(memory, row, place=entry.place, names=names, scope=scope, parent=parent)
        self._new["memories"].append(axes)
        self._new["documents"].append((row, rows.encoded(memory)))
        self._new["labels"] += rows.labels(memory, row, entry.names)
        self._new["links"] += rows.links(memory, row)

    def _write_words(self) -> None:
        self._db.executemany(_UNSAY, self.unsaid)
        self._db.executemany(_SAY, self._said)
        if self._gone:
            vectors.remove(self._db, self._gone)
        self._db.executemany(_LINE_UP, [(row,) for row, _, _ in self._said])
        if self._last != self._first:
            self._db.execute("UPDATE meta SET value = ? WHERE name = 'last_row'", (self._last,))

    def _add_scope(self, scope: Scope, parent: int | None) -> int:
        return self._db.execute(
            "INSERT INTO scopes (path, parent) VALUES (?, ?) RETURNING scope", (str(scope), parent)
        ).get
