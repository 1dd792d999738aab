"""The search index in the book's own database."""

# ruff: noqa: S608 - every piece of SQL here is our own; values are always bound.

from __future__ import annotations

from collections import Counter

from ....language import similarity
from ....model.errors import IndexUnavailable
from ..index import rows, write
from ..index.index import TableIndex
from .database import PostgresDatabase, only, task_parent
from .index_tables import PostgresTables, fit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from typing import Any, TypeVar

    from ....model.scope import Scope, Visible
    from ....ports.record_store import Changes
    from ..index.write import IndexedMemory, IndexEntry
    from .database import PostgresAddress, PostgresConnection

    T = TypeVar("T")


EXACTLY = 20_000
_ALONE = "SELECT pg_advisory_xact_lock(hashtextextended(current_schema, 2))"


class PostgresIndex(TableIndex):
    """Words, meaning, conditions and links, within the visible scopes only.

    May be used from several threads, processes and machines at once. Without pgvector on the
    server there is no search by meaning, and everything else is as it was.
    """

    def __init__(self, address: PostgresAddress, *, vectors: bool, exactly: int = EXACTLY) -> None:
        self.location = address.url
        self.capabilities = frozenset({"keyword", "links"} | ({"vector"} if vectors else set()))
        self._exactly = exactly
        self._database = PostgresDatabase(address, IndexUnavailable)

    def apply(self, changes: Changes) -> None:
        """Bring some places up to date and advance; applying twice is the same as once."""

        self._write(lambda tables: apply(tables, changes))

    def forget(self, ids: Collection[str]) -> None:
        """Drop memories and every trace of their text."""

        self._write(lambda tables: forget(tables, ids))

    def reset(self) -> None:
        """Start again from nothing."""

        self._write(clear)

    def close(self) -> None:
        """Let go of the connections."""
        self._database.close()

    def _read(self, visible: Visible, work: Callable[[PostgresTables], T]) -> T:
        return self._database.run(lambda db: work(self._tables(db)), visible=visible, snapshot=True)

    def _write(self, work: Callable[[PostgresTables], T]) -> T:
        """One writer at a time; what a crash of the server undoes is read from the store again."""

        def alone(db: PostgresConnection) -> T:
            db.execute(_ALONE)
            return work(self._tables(db))

        return self._database.run(alone, durable=False)

    def _tables(self, db: PostgresConnection) -> PostgresTables:
        return PostgresTables(db, exactly=self._exactly, vectors=self._compares)


# Bringing the tables of the index on the server up to date with the store, and forgetting.


_COLUMNS = (
    "memory", "id", "place", "names", "scope", "parent", "status", "own_status", "kind", "tier",
    "owner", "sensitivity", "trust", "topic", "key", "namespace", "content_hash", "episode",
    "position", "always_load", "supersedes", "superseded_by", "imported_id", "created", "updated",
    "valid_from", "valid_until", "expires", "name", "source", "confidence", "speaker", "words",
    "asks", "has_time", "has_number", "json",
)  # fmt: skip
_SAY = """
INSERT INTO postings (memory, scope, parent, head, body, term, halves)
SELECT memory, scope, parent, head, body, term, halves::integer[]
FROM unnest(%s::bigint[], %s::integer[], %s::integer[], %s::integer[], %s::integer[], %s::text[],
  %s::text[]) AS said (memory, scope, parent, head, body, term, halves)
"""
_UNSAY = """
DELETE FROM postings AS p
USING unnest(%s::bigint[], %s::integer[], %s::text[]) AS gone (memory, scope, term)
WHERE p.scope = gone.scope AND p.term = gone.term AND p.memory = gone.memory
"""
_LINE_UP = """
INSERT INTO unembedded SELECT memory, model, scope FROM vector_models,
  unnest(%s::bigint[], %s::integer[]) AS fresh (memory, scope)
"""


def apply(tables: PostgresTables, changes: Changes) -> None:
    """Make the index say what these places hold now; runs inside a transaction."""
    write.apply(tables, changes, _PostgresBatch(tables))


def forget(tables: PostgresTables, ids: Collection[str]) -> None:
    """Drop memories so that none of their words is left; runs inside a transaction."""
    write.forget(tables, ids, _PostgresBatch(tables))


def clear(tables: PostgresTables) -> None:
    """Empty every table; runs inside a transaction."""
    emptied = ["places", "scopes", "memories", "postings", "labels", "links", "signatures"]
    emptied += ["vector_models", "memory_vectors", "unembedded"] * tables.vectors
    for table in emptied:
        tables.execute(f"DELETE FROM {table}")
    tables.execute("UPDATE meta SET value = 0")


class _PostgresBatch(write.Batch):
    """Words go to a table of their own; a long text's with where it says them."""

    inserts = {
        "memories": f"INSERT INTO memories VALUES ({', '.join('?' * len(_COLUMNS))})"
        " ON CONFLICT (memory) DO UPDATE SET "
        + ", ".join(f"{name} = excluded.{name}" for name in _COLUMNS[1:]),
        "labels": "INSERT INTO labels VALUES (?, ?, ?, ?)",
        "links": "INSERT INTO links VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    }

    def __init__(self, tables: PostgresTables) -> None:
        super().__init__(tables)
        self._db = tables.db
        self._lined_up = tables.vectors
        self.owned = ("memories", *(("memory_vectors", "unembedded") if tables.vectors else ()))
        self._numbers: list[int] = []
        self._said: list[tuple[Any, ...]] = []
        self._unsaid: list[tuple[int, int, str | None]] = []
        self._fresh: list[tuple[int, int]] = []

    def _next_number(self) -> int:
        # Fetched for the whole batch at once.
        if not self._numbers:
            query = "SELECT nextval('memory_rows') FROM generate_series(1, %s) ORDER BY 1 DESC"
            self._numbers = [n for (n,) in self._db.execute(query, (max(1, self.expected),))]
        return self._numbers.pop()

    def _say(
        self, row: int, scope: int, parent: int | None, head: list[str], body: list[str]
    ) -> None:
        long = row % similarity.STEPS >= similarity.LONG_STEP
        self._said += _postings(row, scope, parent, head, body, long=long)
        self._fresh.append((row, scope))

    def _unsay(self, held: IndexedMemory, head: list[str], body: list[str]) -> None:
        self._unsaid += [(held.row, held.scope, fit(term)) for term in {*head, *body}]

    def _describe(self, entry: IndexEntry, row: int, scope: int, parent: int | None) -> None:
        memory, names = entry.memory, rows.fingerprint(entry.names)
        axes = rows.axes(memory, row, place=entry.place, names=names, scope=scope, parent=parent)
        self._new["memories"].append((*map(_fit, axes), rows.encoded(memory)))
        self._new["labels"] += {
            (what, fit(value), of, scope)
            for what, value, of in rows.labels(memory, row, entry.names)
        }
        self._new["links"] += [(*map(_fit, link), scope) for link in rows.links(memory, row)]

    def _write_words(self) -> None:
        if self._unsaid:
            self._db.execute(_UNSAY, _by_column(self._unsaid))
        if self._said:
            self._db.execute(_SAY, _by_column(self._said))
        if self._fresh and self._lined_up:
            self._db.execute(_LINE_UP, _by_column(self._fresh))

    def _add_scope(self, scope: Scope, parent: int | None) -> int:
        return only(
            self._db,
            "INSERT INTO scopes (path, parent, task_parent) VALUES (%s, %s, %s) RETURNING scope",
            (str(scope), parent, task_parent(scope)),
        )


def _postings(
    row: int, scope: int, parent: int | None, head: list[str], body: list[str], *, long: bool
) -> Iterable[tuple[Any, ...]]:
    """The rows of `postings` for one memory; for a long one with where it says each word."""
    in_head, in_body = Counter(head), Counter(body)
    places: Mapping[str, list[int]] = {}
    if long:
        places = {}
        for offset, term in enumerate(body):
            places.setdefault(term, []).append(offset // similarity.HALF)
    for term in dict.fromkeys((*head, *body)):
        halves = f"{{{','.join(map(str, places.get(term, ())))}}}" if long else None
        yield (row, scope, parent, in_head[term], in_body[term], fit(term), halves)


def _by_column(rows: Iterable[tuple[Any, ...]]) -> tuple[list[Any], ...]:
    return tuple(map(list, zip(*rows, strict=True)))


def _fit(value: object) -> object:
    return fit(value) if isinstance(value, str) else value
