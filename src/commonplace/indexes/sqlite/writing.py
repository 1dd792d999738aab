"""Bringing the tables up to date with the store, and forgetting."""

# ruff: noqa: S608 - every piece of SQL here is our own; a caller's values are always bound.

from __future__ import annotations

import json

from ...rules import bm25
from ...rules.signatures import signed
from ...value import Value
from . import rows, vectors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from typing import Any

    from ...model import Memory
    from ...ports import Changes, Document
    from ...scope import Scope
    from ...sqlite import Database

_COLUMNS = ", ".join("?" * rows.MEMORY_COLUMNS)
_INSERT = {
    "memories": f"INSERT OR REPLACE INTO memories VALUES ({_COLUMNS})",
    "documents": "INSERT OR REPLACE INTO documents VALUES (?, ?)",
    "labels": "INSERT INTO labels VALUES (?, ?, ?)",
    "links": "INSERT INTO links VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    "words": "INSERT INTO words (rowid, head, body) VALUES (?, ?, ?)",
    "unembedded": "INSERT OR IGNORE INTO unembedded SELECT ?, model FROM vector_models",
    "signatures": "INSERT OR IGNORE INTO signatures VALUES (?, ?, ?)",
}
_UNSAY = "INSERT INTO words (words, rowid, head, body) VALUES ('delete', ?, ?, ?)"
_UNSIGN = "DELETE FROM signatures WHERE scope = ? AND signature = ? AND memory = ?"
_HELD = "SELECT memory, id, place, names, scope, parent FROM memories WHERE"
_SUPERSEDED = """(own_status IN ('staged', 'active', 'review', 'stale') AND EXISTS (
    SELECT 1 FROM memories AS newer WHERE newer.supersedes = memories.id
    AND newer.scope = memories.scope AND newer.id <> memories.id
    AND newer.own_status IN ('active', 'review', 'stale', 'superseded')
    AND newer.superseded_by IS NOT memories.id AND memories.supersedes IS NOT newer.id
))"""
"""A memory counts as superseded once its successor is there, even if a crash kept it `active`.

Only within one scope: nobody hides another's memory by claiming to supersede it. And two that claim
to supersede each other, which only a hand can write, hide neither.
"""
_SUPERSEDE = f"""
UPDATE memories SET status = 'superseded'
WHERE id IN (SELECT value FROM json_each(?1)) AND status <> 'superseded' AND {_SUPERSEDED};
UPDATE memories SET status = own_status
WHERE id IN (SELECT value FROM json_each(?1)) AND status <> own_status AND NOT {_SUPERSEDED};
"""


class Entry(Value):
    """A memory that a place of the store now holds."""

    memory: Memory
    place: int
    names: frozenset[str]


class Held(Value):
    """A memory that the index has, and where."""

    row: int
    id: str
    place: int
    names: int
    scope: int
    parent: int | None


def apply(db: Database, changes: Changes) -> None:
    """Make the index say what these places hold now; runs inside a transaction."""
    current = _not_outdated(db, changes)
    entries = {
        memory.id: Entry(
            memory, place, frozenset(rows.names_of(memory, document.locator, document.names))
        )
        for place, document in current.items()
        for memory in document.memories
    }
    batch = _Batch(db, {str(entry.memory.scope) for entry in entries.values()})
    for held in _held(db, current, entries):
        entry = entries.get(held.id)
        if entry is None:
            batch.remove(held)
        else:
            batch.replace(held, entry)
            del entries[held.id]
    for entry in entries.values():
        batch.add(entry)
    batch.finish()
    db.executemany(
        "INSERT OR REPLACE INTO places VALUES (?, ?)",
        [(place, changes.revision) for place in current],
    )
    db.execute("UPDATE meta SET value = max(value, ?) WHERE name = 'revision'", (changes.revision,))


def forget(db: Database, ids: Collection[str]) -> None:
    """Drop memories so that none of their words is left; runs inside a transaction."""
    held = [Held(*row) for row in _rows(db, "id", list(map(rows.clean, ids)))]
    places = {one.place for one in held}
    batch = _Batch(db)
    db.execute("INSERT INTO words (words, rank) VALUES ('secure-delete', 1)")
    for one in held:
        batch.remove(one)
    residue = batch.finish(secure=True)
    db.execute("INSERT INTO words (words, rank) VALUES ('secure-delete', 0)")
    if residue:
        # Words that edits took out are still in the segments until those are merged.
        db.execute("INSERT INTO words (words) VALUES ('optimize')")
        db.execute("UPDATE meta SET value = 0 WHERE name = 'residue'")
    # What the store says of these places next is news, whatever its revision.
    db.execute(
        "DELETE FROM places WHERE place IN (SELECT value FROM json_each(?))",
        (json.dumps(list(places)),),
    )


def _not_outdated(db: Database, changes: Changes) -> dict[int, Document]:
    """The changed places, but those of which another process already brought something newer."""
    places = {rows.place_of(document.locator): document for document in changes.documents}
    newer = db.execute(
        "SELECT place FROM json_each(?) AS changed CROSS JOIN places ON place = changed.value"
        " WHERE revision > ?",
        (json.dumps(list(places)), changes.revision),
    )
    for (place,) in newer.fetchall():
        del places[place]
    return places


def _held(
    db: Database, places: Mapping[int, Document], entries: Mapping[str, Entry]
) -> Iterable[Held]:
    """What the index has from these places or under these ids."""
    found = _rows(db, "place", list(places)) | _rows(db, "id", list(map(rows.clean, entries)))
    return [Held(*row) for row in sorted(found)]


def _rows(db: Database, column: str, values: Collection[object]) -> set[tuple[Any, ...]]:
    wanted = json.dumps(list(values))
    return set(db.execute(f"{_HELD} {column} IN (SELECT value FROM json_each(?))", (wanted,)))


class _Batch:
    """Rows gathered for one transaction and written together, table by table."""

    def __init__(self, db: Database, scopes: Collection[str] = ()) -> None:
        self._db = db
        known = db.execute(
            "SELECT path, scope, parent FROM scopes WHERE path IN (SELECT value FROM json_each(?))",
            (json.dumps(list(scopes)),),
        )
        self._scopes: dict[str, tuple[int, int | None]] = {
            path: (scope, parent) for path, scope, parent in known
        }
        self._growth: dict[int, list[int]] = {}
        self._last = self._first = db.execute("SELECT value FROM meta WHERE name='last_row'").get
        self._unsaid: list[tuple[int, str, str]] = []
        self._unsigned: list[tuple[int, int, int]] = []
        self._gone: list[int] = []
        self._stripped: list[int] = []
        self._affected: set[str | None] = set()
        self._new: dict[str, list[tuple[object, ...]]] = {table: [] for table in _INSERT}

    def add(self, entry: Entry) -> None:
        """A memory that the index does not have."""
        scope, parent = self._scope(entry.memory.scope)
        head, body = rows.spoken(entry.memory)
        length = bm25.step(len(head) + len(body))
        self._last += 1
        # The low bits of a row are the length of its text: a word list alone is enough to score.
        row = self._last * bm25.STEPS + length
        self._new["words"].append(
            (row, rows.scoped(head, scope, parent), rows.scoped(body, scope, parent))
        )
        self._new["unembedded"].append((row,))
        self._new["signatures"] += [(scope, one, row) for one in signed(entry.memory)]
        self._grow(scope, 1, length)
        self._describe(entry, row, scope, parent)

    def remove(self, held: Held) -> None:
        """A memory that is no longer there."""
        self._take_out(held, self._document(held))

    def replace(self, held: Held, entry: Entry) -> None:
        """A memory that may have changed, or moved."""
        before = self._document(held)
        moved = held.place != entry.place or held.names != rows.fingerprint(entry.names)
        if before == entry.memory and not moved:
            return
        scope, parent = self._scope(entry.memory.scope)
        same_words = rows.spoken(before) == rows.spoken(entry.memory)
        # Other words with equal stems would keep the vector of the old text.
        if scope == held.scope and same_words and before.content == entry.memory.content:
            self._stripped.append(held.row)
            self._affected.add(before.supersedes)
            self._describe(entry, held.row, scope, parent)
        else:
            self._take_out(held, before)
            self.add(entry)

    def finish(self, *, secure: bool = False) -> bool:
        """Write everything; says whether words of earlier edits linger in the file."""
        db = self._db
        db.executemany(_UNSAY, self._unsaid)
        db.executemany(_UNSIGN, self._unsigned)
        if self._gone:
            vectors.remove(db, self._gone)
        for table, column, gone in (
            ("memories", "memory", self._gone),
            ("documents", "memory", self._gone),
            ("unembedded", "memory", self._gone),
            ("labels", "memory", self._gone + self._stripped),
            ("links", "source", self._gone + self._stripped),
        ):
            db.executemany(f"DELETE FROM {table} WHERE {column} = ?", [(row,) for row in gone])
        for table, new in self._new.items():
            db.executemany(_INSERT[table], new)
        db.executemany(
            "UPDATE scopes SET documents = documents + ?, length = length + ? WHERE scope = ?",
            [(*growth, scope) for scope, growth in self._growth.items()],
        )
        if self._last != self._first:
            db.execute("UPDATE meta SET value = ? WHERE name = 'last_row'", (self._last,))
        if self._affected:
            affected = json.dumps(list(map(rows.clean, self._affected)))
            db.execute(_SUPERSEDE, (affected, affected))
        if self._unsaid and not secure:
            db.execute("UPDATE meta SET value = 1 WHERE name = 'residue'")
        return bool(db.execute("SELECT value FROM meta WHERE name = 'residue'").get)

    def _describe(self, entry: Entry, row: int, scope: int, parent: int | None) -> None:
        """Everything but the words."""
        memory, names = entry.memory, rows.fingerprint(entry.names)
        new = self._new
        axes = rows.axes(memory, row, place=entry.place, names=names, scope=scope, parent=parent)
        new["memories"].append(axes)
        new["documents"].append((row, rows.encoded(memory)))
        new["labels"] += rows.labels(memory, row, entry.names)
        new["links"] += rows.links(memory, row)
        self._affected |= {memory.id, memory.supersedes}

    def _take_out(self, held: Held, memory: Memory) -> None:
        head, body = rows.spoken(memory)
        self._unsaid.append((
            held.row,
            rows.scoped(head, held.scope, held.parent),
            rows.scoped(body, held.scope, held.parent),
        ))  # fmt: skip
        self._unsigned += [(held.scope, one, held.row) for one in signed(memory)]
        self._gone.append(held.row)
        self._grow(held.scope, -1, held.row % bm25.STEPS)
        self._affected |= {memory.id, memory.supersedes}

    def _document(self, held: Held) -> Memory:
        found = self._db.execute("SELECT json FROM documents WHERE memory = ?", (held.row,)).get
        return rows.decoded(found)

    def _grow(self, scope: int, documents: int, step: int) -> None:
        growth = self._growth.setdefault(scope, [0, 0])
        growth[0] += documents
        # A long text counts as one long part: a single book must not make all notes look short.
        growth[1] += documents * bm25.LENGTHS[min(step, bm25.LONG_STEP)]

    def _scope(self, scope: Scope) -> tuple[int, int | None]:
        """The numbers of a scope and, for a task, of the scope that it belongs to."""
        path = str(scope)
        if path not in self._scopes:
            task = scope.value("task") is not None
            parent = self._scope(scope.without("task"))[0] if task else None
            self._db.execute(
                "INSERT OR IGNORE INTO scopes (path, parent) VALUES (?, ?)", (path, parent)
            )
            number = self._db.execute("SELECT scope FROM scopes WHERE path = ?", (path,)).get
            self._scopes[path] = (number, parent)
        return self._scopes[path]
