"""Write changes of the store into the tables of an index."""

# ruff: noqa: S608 - every piece of SQL here is our own; a caller's values are always bound.

from __future__ import annotations

from abc import ABC, abstractmethod

from ....language import similarity
from ....model.value import Value
from ....rules.relations.duplicates import memory_signatures
from . import rows, vectors
from .values import decoded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from ....model.memory import Memory
    from ....model.scope import Scope
    from ....ports.record_store import Changes, Document
    from .tables import Tables

_SUPERSEDED = """(own_status IN ('staged', 'active', 'review', 'stale') AND EXISTS (
    SELECT 1 FROM memories AS newer WHERE newer.supersedes = memories.id
    AND newer.scope = memories.scope AND newer.id <> memories.id
    AND newer.own_status IN ('active', 'review', 'stale', 'superseded')
    AND newer.superseded_by IS DISTINCT FROM memories.id
    AND memories.supersedes IS DISTINCT FROM newer.id
    AND (newer.trust = 'user' OR memories.trust <> 'user' OR memories.kind = 'work')
))"""
"""A memory counts as superseded once its successor is there, even if a crash kept it `active`.

Only within one scope, and a person's memory only by a person's: nobody hides another's memory by
claiming to supersede it. Two that claim to supersede each other, which only a hand can write, hide
neither. `engine.revisions.replaces` is the same rule for the store.
"""
_STATUS = f"CASE WHEN {_SUPERSEDED} THEN 'superseded' ELSE own_status END"


class IndexEntry(Value):
    """A memory in a changed document of the store."""

    memory: Memory
    place: int
    names: frozenset[str]


class IndexedMemory(Value):
    """A memory in the index."""

    row: int
    id: str
    place: int
    names: int
    scope: int
    parent: int | None
    memory: Memory


class Batch(ABC):
    """Changes collected for one transaction and written together, table by table.

    Each database has its own postings and columns.
    """

    inserts: Mapping[str, str]
    """By table: the statement that inserts a row of `_add_rows`."""
    owned: Sequence[str]
    """The tables whose rows are deleted with the memory in their column `memory`."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self.expected = 0
        """How many memories may be new."""
        self._new: dict[str, list[tuple[object, ...]]] = {table: [] for table in self.inserts}
        self._gone: list[int] = []
        self._stripped: list[int] = []
        self._signed: list[tuple[int, int, int]] = []
        self._unsigned: list[tuple[int, int, int]] = []
        self._affected: set[str | None] = set()
        self._scopes: dict[str, tuple[int, int | None]] = {}
        self._growth: dict[int, list[int]] = {}

    @abstractmethod
    def _next_number(self) -> int:
        """A number that no row ever had."""

    @abstractmethod
    def _add_postings(
        self, row: int, scope: int, parent: int | None, head: list[str], body: list[str]
    ) -> None:
        """Add the words of a new memory."""

    @abstractmethod
    def _remove_postings(self, held: IndexedMemory, head: list[str], body: list[str]) -> None:
        """Remove the words of a memory."""

    @abstractmethod
    def _add_rows(self, entry: IndexEntry, row: int, scope: int, parent: int | None) -> None:
        """Add the rows of a memory, except its postings, to `_new`."""

    @abstractmethod
    def _write_postings(self) -> None:
        """Write postings, and queue new memories for vectors."""

    @abstractmethod
    def _add_scope(self, scope: Scope, parent: int | None) -> int:
        """Insert a new scope and return its number."""

    def add(self, entry: IndexEntry) -> None:
        """Add a memory that the index does not have."""
        scope, parent = self._scope(entry.memory.scope)
        head, body = rows.terms_of(entry.memory)
        length = similarity.step(len(head) + len(body))
        # The low bits of a row are the length of its text, so that postings suffice for BM25.
        row = self._next_number() * similarity.STEPS + length
        self._add_postings(row, scope, parent, head, body)
        self._signed += [(scope, one, row) for one in memory_signatures(entry.memory)]
        self._grow(scope, 1, length)
        self._put(entry, row, scope, parent)

    def remove(self, held: IndexedMemory) -> None:
        """Remove a memory that the store no longer has."""
        self._remove_postings(held, *rows.terms_of(held.memory))
        self._unsigned += [(held.scope, one, held.row) for one in memory_signatures(held.memory)]
        self._gone.append(held.row)
        self._grow(held.scope, -1, held.row % similarity.STEPS)
        self._affected |= {held.memory.id, held.memory.supersedes}

    def replace(self, held: IndexedMemory, entry: IndexEntry) -> None:
        """Update a memory that may have changed or moved."""
        before = held.memory
        moved = held.place != entry.place or held.names != rows.names_fingerprint(entry.names)
        if before == entry.memory and not moved:
            return
        scope, parent = self._scope(entry.memory.scope)
        same_words = rows.terms_of(before) == rows.terms_of(entry.memory)
        # Other words with equal stems would keep the vector of the old text. A vector engine
        # filters by scope and topic.
        same_vector = before.content == entry.memory.content and before.topic == entry.memory.topic
        if scope == held.scope and same_words and same_vector:
            self._stripped.append(held.row)
            self._unsigned += [(scope, one, held.row) for one in memory_signatures(before)]
            self._signed += [(scope, one, held.row) for one in memory_signatures(entry.memory)]
            self._affected.add(before.supersedes)
            self._put(entry, held.row, scope, parent)
        else:
            self.remove(held)
            self.add(entry)

    def finish(self) -> None:
        """Write everything."""
        tables, dialect = self._tables, self._tables.dialect
        self._write_postings()
        if self._gone:
            vectors.list_removed(tables, self._gone)
        for table in self.owned:
            self._delete(table, "memory", self._gone)
        for table, column in (("labels", "memory"), ("links", "source")):
            self._delete(table, column, self._gone + self._stripped)
        for table, new in self._new.items():
            tables.execute_many(self.inserts[table], new)
        unsigned = "DELETE FROM signatures WHERE scope = ? AND signature = ? AND memory = ?"
        tables.execute_many(unsigned, self._unsigned)
        tables.execute_many(
            "INSERT INTO signatures VALUES (?, ?, ?) ON CONFLICT DO NOTHING", self._signed
        )
        tables.execute_many(
            "UPDATE scopes SET documents = documents + ?, length = length + ? WHERE scope = ?",
            [(*growth, scope) for scope, growth in self._growth.items()],
        )
        if self._affected:
            changed = f"id {dialect.one_of} AND status <> {_STATUS}"
            tables.execute(
                f"UPDATE memories SET status = {_STATUS} WHERE {changed}",
                (dialect.texts(self._affected),),
            )

    def _put(self, entry: IndexEntry, row: int, scope: int, parent: int | None) -> None:
        self._add_rows(entry, row, scope, parent)
        self._affected |= {entry.memory.id, entry.memory.supersedes}

    def _delete(self, table: str, column: str, gone: Collection[int]) -> None:
        if gone:
            dialect = self._tables.dialect
            query = f"DELETE FROM {table} WHERE {column} {dialect.one_of}"
            self._tables.execute(query, (dialect.bind(gone),))

    def _grow(self, scope: int, documents: int, step: int) -> None:
        growth = self._growth.setdefault(scope, [0, 0])
        growth[0] += documents
        # A long text counts as one long part: a single book must not make all notes look short.
        growth[1] += documents * similarity.LENGTHS[min(step, similarity.LONG_STEP)]

    def _scope(self, scope: Scope) -> tuple[int, int | None]:
        """The numbers of a scope and, for a task, of the scope that it belongs to."""
        path = str(scope)
        if path not in self._scopes:
            self._scopes[path] = self._known(path) or self._new_scope(scope)
        return self._scopes[path]

    def _known(self, path: str) -> tuple[int, int | None] | None:
        query = "SELECT scope, parent FROM scopes WHERE path = ?"
        found = self._tables.execute(query, (path,)).fetchone()
        return (found[0], found[1]) if found else None

    def _new_scope(self, scope: Scope) -> tuple[int, int | None]:
        task = scope.value("task") is not None
        parent = self._scope(scope.without("task"))[0] if task else None
        return self._add_scope(scope, parent), parent


def apply(tables: Tables, changes: Changes, batch: Batch) -> None:
    """Index the changed documents; runs inside a transaction."""
    dialect = tables.dialect
    current = _current_documents(tables, changes)
    entries = {
        dialect.text(memory.id): IndexEntry(
            memory, place, frozenset(rows.link_names(memory, document.locator, document.names))
        )
        for place, document in current.items()
        for memory in document.memories
    }
    batch.expected = len(entries)
    here = f"m.place {dialect.one_of} OR m.id {dialect.one_of}"
    for held in indexed_memories(tables, here, dialect.bind(current), dialect.bind(entries)):
        entry = entries.pop(held.id, None)
        if entry is None:
            batch.remove(held)
        else:
            batch.replace(held, entry)
    for entry in entries.values():
        batch.add(entry)
    batch.finish()
    tables.execute_many(
        "INSERT INTO places VALUES (?, ?)"
        " ON CONFLICT (place) DO UPDATE SET revision = excluded.revision",
        [(place, changes.revision) for place in current],
    )
    # An index that was emptied meanwhile still lacks what was before the batch.
    reached = "UPDATE meta SET value = ? WHERE name = 'revision' AND value < ? AND value >= ?"
    tables.execute(reached, (changes.revision, changes.revision, changes.after))


def forget(tables: Tables, ids: Collection[str], batch: Batch) -> None:
    """Delete memories without leaving any of their words; runs inside a transaction."""
    dialect = tables.dialect
    gone = indexed_memories(tables, f"m.id {dialect.one_of}", dialect.texts(ids))
    for held in gone:
        batch.remove(held)
    batch.finish()
    vectors.list_removed(tables, (), purge=True)
    # The next change of these places counts, whatever its revision.
    tables.execute(
        f"DELETE FROM places WHERE place {dialect.one_of}",
        (dialect.bind({held.place for held in gone}),),
    )
    for unused in _UNUSED_SCOPES:
        tables.execute(unused)


_UNUSED_SCOPES = tuple(
    f"DELETE FROM scopes WHERE documents = 0 AND {kind} AND NOT EXISTS"
    " (SELECT 1 FROM scopes AS task WHERE task.parent = scopes.scope) AND NOT EXISTS"
    " (SELECT 1 FROM memories WHERE memories.scope = scopes.scope)"
    for kind in ("parent IS NOT NULL", "parent IS NULL")
)
"""Tasks first, then their parents: even a scope's name may contain words to be deleted."""


def indexed_memories(tables: Tables, condition: str, *values: object) -> list[IndexedMemory]:
    """The memories of the index that meet a condition."""
    dialect = tables.dialect
    found = tables.execute(
        "SELECT m.memory, m.id, m.place, m.names, m.scope, m.parent,"
        f" {dialect.document} FROM memories AS m{dialect.documents}"
        f" WHERE {condition} ORDER BY m.memory",
        values,
    )
    return [
        IndexedMemory(*place, memory=decoded(dialect.unpack(json)))
        for *place, json in found.fetchall()
    ]


def _current_documents(tables: Tables, changes: Changes) -> dict[int, Document]:
    """The changed documents, except those of which the index has a newer state."""
    places = {rows.place_number(document.locator): document for document in changes.documents}
    newer = tables.execute(
        f"SELECT place FROM places WHERE place {tables.dialect.one_of} AND revision > ?",
        (tables.dialect.bind(places), changes.revision),
    )
    for (place,) in newer.fetchall():
        del places[place]
    return places
