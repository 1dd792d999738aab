"""Write changes of the store into the tables of the SQLite index, and delete memories."""

# ruff: noqa: S608 - every piece of SQL here is our own; a caller's values are always bound.

from __future__ import annotations

import json

from ...common import sqlite
from ..index import rows, write
from ..index.values import encoded
from . import vectors
from .index_tables import WORDS_TABLES, pack, scoped_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from ....model.scope import Scope
    from ....ports.record_store import Changes
    from ..index.write import IndexedMemory, IndexEntry
    from .index_tables import SqliteTables

_COLUMNS = ", ".join("?" * rows.MEMORY_COLUMNS)
_ADD_POSTINGS = "INSERT INTO words (rowid, head, body) VALUES (?, ?, ?)"
_REMOVE_POSTINGS = "INSERT INTO words (words, rowid, head, body) VALUES ('delete', ?, ?, ?)"
_PLACES = (
    "SELECT term, doc, col, offset FROM word_places WHERE doc IN (SELECT value FROM json_each(?))"
)
_QUEUE = "INSERT OR IGNORE INTO unembedded SELECT ?, model FROM vector_models"


def apply(tables: SqliteTables, changes: Changes) -> None:
    """Index the changed documents; runs inside a transaction."""
    batch = _SqliteBatch(tables)
    write.apply(tables, changes, batch)
    if batch.old_postings:
        tables.execute("UPDATE meta SET value = 1 WHERE name = 'residue'")


def forget(tables: SqliteTables, ids: Collection[str]) -> None:
    """Delete memories without leaving any of their words; runs inside a transaction."""
    db = tables.db
    db.execute("INSERT INTO words (words, rank) VALUES ('secure-delete', 1)")
    write.forget(tables, ids, _SqliteBatch(tables))
    db.execute("INSERT INTO words (words, rank) VALUES ('secure-delete', 0)")
    if db.execute("SELECT value FROM meta WHERE name = 'residue'").get:
        # Segments still contain words that edits removed, until they are merged.
        db.execute("INSERT INTO words (words) VALUES ('optimize')")
        db.execute("UPDATE meta SET value = 0 WHERE name = 'residue'")


def has_words(tables: SqliteTables, ids: Collection[str]) -> bool:
    """Whether the postings of these memories are those that FTS5 makes of their words."""
    dialect = tables.dialect
    held = write.indexed_memories(tables, f"m.id {dialect.one_of}", dialect.texts(ids))
    wanted = (json.dumps([one.row for one in held]),)
    fresh = sqlite.in_memory()
    try:
        fresh.execute(WORDS_TABLES)
        fresh.executemany(
            _ADD_POSTINGS, [_postings(one, *rows.terms_of(one.memory)) for one in held]
        )
        return set(tables.db.execute(_PLACES, wanted)) == set(fresh.execute(_PLACES, wanted))
    finally:
        fresh.close()


def _postings(held: IndexedMemory, head: list[str], body: list[str]) -> tuple[int, str, str]:
    scope, parent = held.scope, held.parent
    return held.row, scoped_words(head, scope, parent), scoped_words(body, scope, parent)


class _SqliteBatch(write.Batch):
    """Postings go to FTS5, which needs the stored words again to remove them."""

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
        self._new_postings: list[tuple[int, str, str]] = []
        self.old_postings: list[tuple[int, str, str]] = []

    def _next_number(self) -> int:
        self._last += 1
        return self._last

    def _add_postings(
        self, row: int, scope: int, parent: int | None, head: list[str], body: list[str]
    ) -> None:
        self._new_postings.append(
            (row, scoped_words(head, scope, parent), scoped_words(body, scope, parent))
        )

    def _remove_postings(self, held: IndexedMemory, head: list[str], body: list[str]) -> None:
        self.old_postings.append(_postings(held, head, body))

    def _add_rows(self, entry: IndexEntry, row: int, scope: int, parent: int | None) -> None:
        memory, names = entry.memory, rows.names_fingerprint(entry.names)
        axes = rows.memory_row(
            memory, row, place=entry.place, names=names, scope=scope, parent=parent
        )
        self._new["memories"].append(axes)
        self._new["documents"].append((row, pack(encoded(memory))))
        self._new["labels"] += rows.label_rows(memory, row, entry.names)
        self._new["links"] += rows.link_rows(memory, row)

    def _write_postings(self) -> None:
        self._db.executemany(_REMOVE_POSTINGS, self.old_postings)
        self._db.executemany(_ADD_POSTINGS, self._new_postings)
        if self._gone:
            vectors.remove(self._db, self._gone)
        self._db.executemany(_QUEUE, [(row,) for row, _, _ in self._new_postings])
        if self._last != self._first:
            self._db.execute("UPDATE meta SET value = ? WHERE name = 'last_row'", (self._last,))

    def _add_scope(self, scope: Scope, parent: int | None) -> int:
        return self._db.execute(
            "INSERT INTO scopes (path, parent) VALUES (?, ?) RETURNING scope", (str(scope), parent)
        ).get
