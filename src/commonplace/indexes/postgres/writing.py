"""Bringing the tables of the index on the server up to date with the store, and forgetting."""

# ruff: noqa: S608 - every piece of SQL here is our own; values are always bound.

from __future__ import annotations

from collections import Counter

from ...postgres.database import only, task_parent
from ...rules.text import bm25
from .. import rows
from ..sql import writing
from .tables import fit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from typing import Any

    from ...ports.records import Changes
    from ...scope import Scope
    from ..sql.writing import Entry, Held
    from .tables import PostgresTables

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
    writing.apply(tables, changes, _Batch(tables))


def forget(tables: PostgresTables, ids: Collection[str]) -> None:
    """Drop memories so that none of their words is left; runs inside a transaction."""
    writing.forget(tables, ids, _Batch(tables))


def clear(tables: PostgresTables) -> None:
    """Empty every table; runs inside a transaction."""
    emptied = ["places", "scopes", "memories", "postings", "labels", "links", "signatures"]
    emptied += ["vector_models", "memory_vectors", "unembedded"] * tables.vectors
    for table in emptied:
        tables.execute(f"DELETE FROM {table}")
    tables.execute("UPDATE meta SET value = 0")


class _Batch(writing.Batch):
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
        long = row % bm25.STEPS >= bm25.LONG_STEP
        self._said += _postings(row, scope, parent, head, body, long=long)
        self._fresh.append((row, scope))

    def _unsay(self, held: Held, head: list[str], body: list[str]) -> None:
        self._unsaid += [(held.row, held.scope, fit(term)) for term in {*head, *body}]

    def _describe(self, entry: Entry, row: int, scope: int, parent: int | None) -> None:
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
            places.setdefault(term, []).append(offset // bm25.HALF)
    for term in dict.fromkeys((*head, *body)):
        halves = f"{{{','.join(map(str, places.get(term, ())))}}}" if long else None
        yield (row, scope, parent, in_head[term], in_body[term], fit(term), halves)


def _by_column(rows: Iterable[tuple[Any, ...]]) -> tuple[list[Any], ...]:
    return tuple(map(list, zip(*rows, strict=True)))


def _fit(value: object) -> object:
    return fit(value) if isinstance(value, str) else value
