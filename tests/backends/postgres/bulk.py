"""Filling a large book at once: rows by COPY, indexes afterwards.

What a bulk move to PostgreSQL would do. The rows are those that the store and the index make
themselves; only the way they reach the tables differs. Needs the role that owns the tables, an
empty book, and nobody else at work in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from multiprocessing import get_context
from typing import Any

import psycopg

from commonplace.backends.common.sql_dialect import task_parent
from commonplace.backends.neural.fallback import HashingEmbedder
from commonplace.backends.sql.index import rows, vectors
from commonplace.backends.sql.index.write import IndexEntry
from commonplace.backends.sql.postgres import index, index_tables
from commonplace.backends.sql.postgres.database import PostgresAddress, only
from commonplace.backends.sql.postgres.index_tables import PostgresTables
from commonplace.backends.sql.records import locator, written
from commonplace.model import codec
from commonplace.model.memory import Memory
from commonplace.model.scope import Scope

CHUNK = 2_000
MEMORY = "1GB"
"""What the server may use to make one index."""
TABLES = (
    "records", "memories", "places", "postings", "labels", "links", "signatures", "memory_vectors",
)  # fmt: skip
COLUMNS = {
    "memories": index._COLUMNS,
    "postings": ("memory", "scope", "parent", "head", "body", "term", "halves"),
}
"""Columns of rows that have another order than their table, or not all of its columns."""
Make = Callable[[int], Memory]


def fill(url: str, make: Make, count: int, *, processes: int = 2) -> None:
    """Fill the empty book at a URL with the memories that `make` gives for 0, 1, 2, …"""
    with _connected(url) as db:
        embedder = HashingEmbedder()
        vectors.use_model(_tables(db), embedder.model, embedder.dimensions, switch=True)
        [model] = [one.number for one in vectors.stored_models(_tables(db))]
        later = _take_down_indexes(db)
    starts = [count * n // processes for n in range(processes + 1)]
    parts = list(pairwise(starts))
    load = partial(_load, url, make, model)
    if processes == 1:
        grown = [load(part) for part in parts]
    else:
        with get_context("spawn").Pool(processes) as pool:
            grown = pool.map(load, parts, chunksize=1)
    with _connected(url) as db:
        for growth in grown:
            _grow(db, growth)
        db.execute("UPDATE book SET revision = %s", (count,))
        db.execute("UPDATE meta SET value = %s WHERE name = 'revision'", (count,))
        for statement in later:
            db.execute(statement)


def _load(url: str, make: Make, model: int, part: tuple[int, int]) -> dict[str, tuple[int, int]]:
    """Copy the rows of some memories; what they add to the statistics of each scope."""
    total: dict[str, tuple[int, int]] = {}
    with _connected(url) as db:
        for first in range(*part, CHUNK):
            last = min(first + CHUNK, part[1])
            made = [make(n) for n in range(first, last)]
            batch = _Rows(db, len(made))
            with db.transaction():
                _copy(db, "records", _records(made, first + 1))
                for table, found in batch.made(made, model).items():
                    _copy(db, table, found)
            for scope, (documents, length) in batch.growth.items():
                known = total.get(scope, (0, 0))
                total[scope] = (known[0] + documents, known[1] + length)
    return total


class _Rows(index._PostgresBatch):
    """The rows that the index makes of memories, handed out instead of written."""

    def __init__(self, db: Any, expected: int) -> None:
        super().__init__(_tables(db))
        self.expected = expected

    def made(self, memories: list[Memory], model: int) -> dict[str, Iterable[Any]]:
        """What each table gets; every row's scope is known to the database by its path."""
        embedded = HashingEmbedder().embed([one.content for one in memories])
        entries = [_entry(one) for one in memories]
        for entry in entries:
            self.add(entry)
        halves = (index_tables._halves(vector) for vector in embedded)
        return {
            **self._new,
            "signatures": dict.fromkeys(self._signed),
            "places": [(entry.place, 1) for entry in entries],
            "postings": self._new_postings,
            "memory_vectors": [
                (row, model, scope, half, None)
                for (row, scope), half in zip(self._fresh, halves, strict=True)
            ],
        }

    @property
    def growth(self) -> dict[str, tuple[int, int]]:
        """By path, because numbers of scopes are the transaction's own until it ends."""
        paths = {number: path for path, (number, _) in self._scopes.items()}
        return {paths[n]: (grown[0], grown[1]) for n, grown in self._growth.items()}

    def _add_scope(self, scope: Scope, parent: int | None) -> int:
        # Two processes may meet the same new scope: the second waits, and finds it.
        self._db.execute("SELECT pg_advisory_xact_lock(7)")
        known = "SELECT scope FROM scopes WHERE path = %s"
        return only(self._db, known, (str(scope),)) or super()._add_scope(scope, parent)


def _tables(db: Any) -> PostgresTables:
    return PostgresTables(db, exactly=20_000, pgvector=True)


def _entry(memory: Memory) -> IndexEntry:
    place = locator(memory.id)
    return IndexEntry(
        memory, rows.place_number(place), frozenset(rows.link_names(memory, place, ()))
    )


def _records(made: list[Memory], first: int) -> Iterator[tuple[Any, ...]]:
    for revision, one in enumerate(made, start=first):
        text = written(codec.to_fields(one))
        yield one.id, revision, str(one.scope), task_parent(one.scope), text


def _copy(db: Any, table: str, found: Iterable[tuple[Any, ...]]) -> None:
    named = COLUMNS.get(table)
    columns = f"({', '.join(named)})" if named else ""
    with db.cursor() as cursor, cursor.copy(f"COPY {table} {columns} FROM STDIN") as copy:
        for row in found:
            copy.write_row(row)


def _grow(db: Any, growth: dict[str, tuple[int, int]]) -> None:
    with db.cursor() as cursor:
        cursor.executemany(
            "UPDATE scopes SET documents = documents + %s, length = length + %s WHERE path = %s",
            [(*grown, path) for path, grown in growth.items()],
        )


def _take_down_indexes(db: Any) -> list[str]:
    """Drop keys and indexes; the statements that make them again."""
    again: list[str] = []
    for table, name, definition in db.execute(
        "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint"
        " WHERE connamespace = current_schema::regnamespace AND contype IN ('p', 'u')"
        " AND conrelid::regclass::text = ANY(%s)",
        (list(TABLES),),
    ).fetchall():
        again.append(f"ALTER TABLE {table} ADD CONSTRAINT {name} {definition}")
        db.execute(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
    for name, definition in db.execute(
        "SELECT indexname, indexdef FROM pg_indexes"
        " WHERE schemaname = current_schema AND tablename = ANY(%s)",
        (list(TABLES),),
    ).fetchall():
        again.append(definition)
        db.execute(f"DROP INDEX {name}")
    return again


@contextmanager
def _connected(url: str) -> Iterator[Any]:
    address = PostgresAddress.parse(url)
    with psycopg.connect(address.server, autocommit=True) as db:
        for name, value in (
            ("search_path", address.search_path),
            ("commonplace.visible", "*"),
            ("maintenance_work_mem", MEMORY),
            ("synchronous_commit", "off"),
        ):
            db.execute("SELECT set_config(%s, %s, false)", (name, value))
        yield db
