"""The search index in the book's PostgreSQL database."""

# ruff: noqa: S608 - every piece of SQL here is our own; values are always bound.

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager, suppress

from ....language import similarity
from ....model.errors import IndexUnavailable
from ...common.lease import NamedLocks
from ...common.sql_dialect import task_parent
from ..index import rows, write
from ..index.index import TableIndex
from ..index.values import encoded
from .database import CONNECT_S, FAILURES, FROZEN_S, PostgresDatabase, array_literal, only
from .index_tables import PostgresTables, storable_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterable, Mapping
    from typing import Any, TypeVar

    from ....model.scope import Scope, Visible
    from ....ports.record_store import Changes
    from ....ports.vector_engine import VectorEngine
    from ..index.write import IndexedMemory, IndexEntry
    from .database import PostgresAddress, PostgresConnection

    T = TypeVar("T")


EXACTLY = 20_000
_ALONE = "SELECT pg_advisory_xact_lock(hashtextextended(current_schema, 2))"
TURN_S = 5.0
"""How long to wait for others who catch up, before doing it beside them."""


class PostgresIndex(TableIndex):
    """Words, vectors, conditions and links, within the visible scopes only.

    May be used from several threads, processes and machines at once. Without pgvector or a vector
    engine there is no search by vectors; everything else works.
    """

    def __init__(
        self,
        address: PostgresAddress,
        *,
        pgvector: bool,
        exactly: int = EXACTLY,
        engine: VectorEngine | None = None,
    ) -> None:
        self.location = f"{address.url}, vectors in {engine.location}" if engine else address.url
        compares = {"vector"} if pgvector or engine is not None else set[str]()
        self.capabilities = frozenset({"keyword", "links"} | compares)
        self._reached = f"SELECT value FROM {address.schema}.meta WHERE name = 'revision'"
        self._take_turn = (
            f"BEGIN; SET LOCAL lock_timeout = '{TURN_S:g}s';"
            f" SET LOCAL idle_in_transaction_session_timeout = '{FROZEN_S:g}s';"
            f" SELECT pg_advisory_xact_lock({address.lock_key('turn')});"
            f" {self._reached}"
        )
        self._engine = engine
        self._pgvector = pgvector
        self._exactly = exactly
        self._database = PostgresDatabase(address, IndexUnavailable)
        self._locks = NamedLocks()

    @contextmanager
    def turn(self) -> Generator[int]:
        """Wait for those who catch up with the store now, in any process."""
        with self._locks.take("turn", TURN_S):
            session = reached = None
            try:
                with suppress(*FAILURES):
                    session = self._database.session("turns", CONNECT_S)
                    reached = session.ask(self._take_turn)
                yield self.revision() if reached is None else reached
            finally:
                if session is not None:
                    session.end()

    def revision(self) -> int:
        """The store revision this index has reached; 0 for a new one."""
        return self._database.value(self._reached)

    def apply(self, changes: Changes) -> None:
        """Index changed documents and advance; applying twice is the same as once."""
        self._write(lambda tables: apply(tables, changes))

    def forget(self, ids: Collection[str]) -> None:
        """Delete memories and every trace of their text."""
        self._write(lambda tables: forget(tables, ids))
        self._removed()

    def reset(self) -> None:
        """Empty the index."""
        self._write(clear)
        self._removed()

    def close(self) -> None:
        """Close the connections, and the vector engine."""
        self._database.close()
        if self._engine is not None:
            self._engine.close()

    def _read(self, visible: Visible, work: Callable[[PostgresTables], T]) -> T:
        if self._open is not None and self._open[0] == visible:
            return work(self._open[1])
        return self._database.run(lambda db: work(self._tables(db)), visible=visible, snapshot=True)

    def _write(self, work: Callable[[PostgresTables], T]) -> T:
        """One writer at a time; writes that a server crash undoes are read from the store again."""

        def alone(db: PostgresConnection) -> T:
            db.execute(_ALONE)
            return work(self._tables(db))

        return self._database.run(alone, durable=False)

    def _tables(self, db: PostgresConnection) -> PostgresTables:
        return PostgresTables(
            db,
            exactly=self._exactly,
            pgvector=self._pgvector,
            external=self._engine is not None,
        )


_COLUMNS = (
    "memory", "id", "place", "names", "scope", "parent", "status", "own_status", "kind", "tier",
    "owner", "sensitivity", "trust", "topic", "key", "namespace", "content_hash", "episode",
    "position", "always_load", "supersedes", "superseded_by", "imported_id", "created", "updated",
    "valid_from", "valid_until", "expires", "name", "source", "confidence", "speaker", "words",
    "asks", "has_time", "has_number", "importance", "json",
)  # fmt: skip
_ADD_POSTINGS = """
INSERT INTO postings (memory, scope, parent, head, body, term, halves)
SELECT memory, scope, parent, head, body, term, halves::integer[]
FROM unnest(%s::bigint[], %s::integer[], %s::integer[], %s::integer[], %s::integer[], %s::text[],
  %s::text[]) AS said (memory, scope, parent, head, body, term, halves)
"""
_REMOVE_POSTINGS = """
DELETE FROM postings AS p
USING unnest(%s::bigint[], %s::integer[], %s::text[]) AS gone (memory, scope, term)
WHERE p.scope = gone.scope AND p.term = gone.term AND p.memory = gone.memory
"""
_QUEUE = """
INSERT INTO unembedded SELECT memory, model, scope FROM vector_models,
  unnest(%s::bigint[], %s::integer[]) AS fresh (memory, scope)
"""


def apply(tables: PostgresTables, changes: Changes) -> None:
    """Index the changed documents; runs inside a transaction."""
    write.apply(tables, changes, _PostgresBatch(tables))


def forget(tables: PostgresTables, ids: Collection[str]) -> None:
    """Drop memories so that none of their words is left; runs inside a transaction."""
    write.forget(tables, ids, _PostgresBatch(tables))


def clear(tables: PostgresTables) -> None:
    """Empty every table; runs inside a transaction."""
    emptied = ["places", "scopes", "memories", "postings", "labels", "links", "signatures"]
    emptied += ["vector_models", "unembedded", "removed_vectors"]
    emptied += ["memory_vectors"] * tables.pgvector
    for table in emptied:
        tables.execute(f"DELETE FROM {table}")
    tables.execute("UPDATE meta SET value = 0")


class _PostgresBatch(write.Batch):
    """Postings go to a table of their own, for long texts with the places of each word."""

    inserts = {
        "memories": f"INSERT INTO memories ({', '.join(_COLUMNS)})"
        f" VALUES ({', '.join('?' * len(_COLUMNS))})"
        " ON CONFLICT (memory) DO UPDATE SET "
        + ", ".join(f"{name} = excluded.{name}" for name in _COLUMNS[1:]),
        "labels": "INSERT INTO labels VALUES (?, ?, ?, ?)",
        "links": "INSERT INTO links VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    }

    def __init__(self, tables: PostgresTables) -> None:
        super().__init__(tables)
        self._db = tables.db
        self._queues = tables.pgvector or tables.external
        self.owned = ("memories", "unembedded", *(["memory_vectors"] * tables.pgvector))
        self._numbers: list[int] = []
        self._new_postings: list[tuple[Any, ...]] = []
        self._old_postings: list[tuple[int, int, str | None]] = []
        self._fresh: list[tuple[int, int]] = []

    def _next_number(self) -> int:
        # Fetched for the whole batch at once.
        if not self._numbers:
            query = "SELECT nextval('memory_rows') FROM generate_series(1, %s) ORDER BY 1 DESC"
            self._numbers = [n for (n,) in self._db.execute(query, (max(1, self.expected),))]
        return self._numbers.pop()

    def _add_postings(
        self, row: int, scope: int, parent: int | None, head: list[str], body: list[str]
    ) -> None:
        long = row % similarity.STEPS >= similarity.LONG_STEP
        self._new_postings += _postings(row, scope, parent, head, body, long=long)
        self._fresh.append((row, scope))

    def _remove_postings(self, held: IndexedMemory, head: list[str], body: list[str]) -> None:
        self._old_postings += [
            (held.row, held.scope, storable_text(term)) for term in {*head, *body}
        ]

    def _add_rows(self, entry: IndexEntry, row: int, scope: int, parent: int | None) -> None:
        memory, names = entry.memory, rows.names_fingerprint(entry.names)
        axes = rows.memory_row(
            memory, row, place=entry.place, names=names, scope=scope, parent=parent
        )
        self._new["memories"].append((*map(_storable, axes), encoded(memory)))
        self._new["labels"] += {
            (what, storable_text(value), of, scope)
            for what, value, of in rows.label_rows(memory, row, entry.names)
        }
        self._new["links"] += [
            (*map(_storable, link), scope) for link in rows.link_rows(memory, row)
        ]

    def _write_postings(self) -> None:
        if self._old_postings:
            self._db.execute(_REMOVE_POSTINGS, _by_column(self._old_postings))
        if self._new_postings:
            self._db.execute(_ADD_POSTINGS, _by_column(self._new_postings))
        if self._fresh and self._queues:
            self._db.execute(_QUEUE, _by_column(self._fresh))

    def _add_scope(self, scope: Scope, parent: int | None) -> int:
        return only(
            self._db,
            "INSERT INTO scopes (path, parent, task_parent) VALUES (%s, %s, %s) RETURNING scope",
            (str(scope), parent, task_parent(scope)),
        )


def _postings(
    row: int, scope: int, parent: int | None, head: list[str], body: list[str], *, long: bool
) -> Iterable[tuple[Any, ...]]:
    """The rows of `postings` for one memory; for a long one with the places of each word."""
    in_head, in_body = Counter(head), Counter(body)
    places: Mapping[str, list[int]] = {}
    if long:
        places = {}
        for offset, term in enumerate(body):
            places.setdefault(term, []).append(offset // similarity.HALF)
    for term in dict.fromkeys((*head, *body)):
        halves = f"{{{','.join(map(str, places.get(term, ())))}}}" if long else None
        yield (row, scope, parent, in_head[term], in_body[term], storable_text(term), halves)


def _by_column(rows: Iterable[tuple[Any, ...]]) -> tuple[str, ...]:
    return tuple(map(array_literal, zip(*rows, strict=True)))


def _storable(value: object) -> object:
    return storable_text(value) if isinstance(value, str) else value
