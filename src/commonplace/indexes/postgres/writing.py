"""Bringing the tables up to date with the store, and forgetting."""

# ruff: noqa: S608 - every piece of SQL here is our own; values are always bound.

from __future__ import annotations

from collections import Counter

from ...postgres.database import many, only
from ...rules import bm25
from ...rules.signatures import signed
from ...value import Value
from ..sqlite import rows
from .conditions import fit, fitting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from typing import Any

    from ...model import Memory
    from ...ports import Changes, Document
    from ...postgres.database import Connection
    from ...scope import Scope

_COLUMNS = (
    "memory", "id", "place", "names", "scope", "parent", "status", "own_status", "kind", "tier",
    "owner", "sensitivity", "trust", "topic", "key", "namespace", "content_hash", "episode",
    "position", "always_load", "supersedes", "superseded_by", "imported_id", "created", "updated",
    "valid_from", "valid_until", "expires", "name", "source", "confidence", "speaker", "words",
    "asks", "has_time", "has_number", "json",
)  # fmt: skip
_INSERT = {
    "memories": f"INSERT INTO memories VALUES ({', '.join(['%s'] * len(_COLUMNS))})"
    " ON CONFLICT (memory) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in _COLUMNS[1:]),
    "labels": "INSERT INTO labels VALUES (%s, %s, %s, %s)",
    "links": "INSERT INTO links VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)",
    "signatures": "INSERT INTO signatures VALUES (%s, %s, %s) ON CONFLICT DO NOTHING",
}
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
_HELD = "SELECT memory, id, place, names, scope, parent, json FROM memories WHERE"
_SUPERSEDED = """(own_status IN ('staged', 'active', 'review', 'stale') AND EXISTS (
    SELECT 1 FROM memories AS newer WHERE newer.supersedes = memories.id
    AND newer.scope = memories.scope AND newer.id <> memories.id
    AND newer.own_status IN ('active', 'review', 'stale', 'superseded')
    AND newer.superseded_by IS DISTINCT FROM memories.id
    AND memories.supersedes IS DISTINCT FROM newer.id
))"""
"""A memory counts as superseded once its successor is there, even if a crash kept it `active`.

Only within one scope: nobody hides another's memory by claiming to supersede it. And two that claim
to supersede each other, which only a hand can write, hide neither.
"""
_SUPERSEDE = f"""
UPDATE memories SET status = CASE WHEN {_SUPERSEDED} THEN 'superseded' ELSE own_status END
WHERE id = ANY(%s)
AND status IS DISTINCT FROM CASE WHEN {_SUPERSEDED} THEN 'superseded' ELSE own_status END
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
    memory: Memory


def apply(db: Connection, changes: Changes, *, vectors: bool) -> None:
    """Make the index say what these places hold now; runs inside a transaction."""
    current = _not_outdated(db, changes)
    entries = {
        fit(memory.id): Entry(
            memory, place, frozenset(rows.names_of(memory, document.locator, document.names))
        )
        for place, document in current.items()
        for memory in document.memories
    }
    batch = _Batch(db, vectors=vectors, entries=len(entries))
    for held in _held(db, "place = ANY(%s) OR id = ANY(%s)", list(current), list(entries)):
        entry = entries.pop(held.id, None)
        if entry is None:
            batch.remove(held)
        else:
            batch.replace(held, entry)
    for entry in entries.values():
        batch.add(entry)
    batch.finish()
    many(
        db,
        "INSERT INTO places VALUES (%s, %s)"
        " ON CONFLICT (place) DO UPDATE SET revision = excluded.revision",
        [(place, changes.revision) for place in current],
    )
    db.execute(
        "UPDATE meta SET value = greatest(value, %s) WHERE name = 'revision'", (changes.revision,)
    )


def forget(db: Connection, ids: Collection[str], *, vectors: bool) -> None:
    """Drop memories so that none of their words is left; runs inside a transaction."""
    held = _held(db, "id = ANY(%s)", fitting(ids))
    batch = _Batch(db, vectors=vectors)
    for one in held:
        batch.remove(one)
    batch.finish()
    # What the store says of these places next is news, whatever its revision.
    db.execute("DELETE FROM places WHERE place = ANY(%s)", ([one.place for one in held],))


def clear(db: Connection, *, vectors: bool) -> None:
    """Empty every table; runs inside a transaction."""
    tables = ["places", "scopes", "memories", "postings", "labels", "links", "signatures"]
    for table in tables + ["vector_models", "memory_vectors", "unembedded"] * vectors:
        db.execute(f"DELETE FROM {table}")
    db.execute("UPDATE meta SET value = 0")


def _not_outdated(db: Connection, changes: Changes) -> dict[int, Document]:
    """The changed places, but those of which another process already brought something newer."""
    places = {rows.place_of(document.locator): document for document in changes.documents}
    for (place,) in db.execute(
        "SELECT place FROM places WHERE place = ANY(%s) AND revision > %s",
        (list(places), changes.revision),
    ).fetchall():
        del places[place]
    return places


def _held(db: Connection, condition: str, *values: object) -> list[Held]:
    return [
        Held(*place, memory=rows.decoded(bytes(json)))
        for *place, json in db.execute(f"{_HELD} {condition} ORDER BY memory", values).fetchall()
    ]


class _Batch:
    """Rows gathered for one transaction and written together, table by table."""

    def __init__(self, db: Connection, *, vectors: bool, entries: int = 0) -> None:
        self._db = db
        self._entries = entries
        self._numbers: list[int] = []
        self._vectors = vectors
        self._scopes: dict[str, tuple[int, int | None]] = {}
        self._growth: dict[int, list[int]] = {}
        self._said: list[tuple[Any, ...]] = []
        self._unsaid: list[tuple[int, int, str | None]] = []
        self._gone: list[int] = []
        self._stripped: list[int] = []
        self._fresh: list[tuple[int, int]] = []
        self._affected: set[str | None] = set()
        self._new: dict[str, list[tuple[object, ...]]] = {table: [] for table in _INSERT}

    def add(self, entry: Entry) -> None:
        """A memory that the index does not have."""
        scope, parent = self._scope(entry.memory.scope)
        head, body = rows.spoken(entry.memory)
        length = bm25.step(len(head) + len(body))
        # The low bits of a row are the length of its text: a word list alone is enough to score.
        row = self._number() * bm25.STEPS + length
        self._said += _postings(row, scope, parent, head, body, long=length >= bm25.LONG_STEP)
        self._fresh.append((row, scope))
        self._new["signatures"] += [(scope, one, row) for one in signed(entry.memory)]
        self._grow(scope, 1, length)
        self._describe(entry, row, scope, parent)

    def remove(self, held: Held) -> None:
        """A memory that is no longer there."""
        head, body = rows.spoken(held.memory)
        self._unsaid += [(held.row, held.scope, fit(term)) for term in {*head, *body}]
        self._gone.append(held.row)
        self._grow(held.scope, -1, held.row % bm25.STEPS)
        self._affected |= {held.memory.id, held.memory.supersedes}

    def replace(self, held: Held, entry: Entry) -> None:
        """A memory that may have changed, or moved."""
        before = held.memory
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
            self.remove(held)
            self.add(entry)

    def finish(self) -> None:
        """Write everything."""
        db = self._db
        if self._unsaid:
            db.execute(_UNSAY, tuple(map(list, zip(*self._unsaid, strict=True))))
        self._delete("signatures", "memory", [*self._gone], "scope", [*self._growth])
        for table, column in self._owned():
            self._delete(table, column, self._gone)
        for table, column in (("labels", "memory"), ("links", "source")):
            self._delete(table, column, self._gone + self._stripped)
        for table, new in self._new.items():
            many(db, _INSERT[table], new)
        if self._said:
            db.execute(_SAY, tuple(map(list, zip(*self._said, strict=True))))
        if self._fresh and self._vectors:
            db.execute(
                "INSERT INTO unembedded SELECT memory, model, scope FROM vector_models,"
                " unnest(%s::bigint[], %s::integer[]) AS fresh (memory, scope)",
                tuple(map(list, zip(*self._fresh, strict=True))),
            )
        many(
            db,
            "UPDATE scopes SET documents = documents + %s, length = length + %s WHERE scope = %s",
            [(*growth, scope) for scope, growth in self._growth.items()],
        )
        if self._affected:
            db.execute(_SUPERSEDE, (fitting(self._affected),))

    def _number(self) -> int:
        """A number never used before; they are fetched for the whole batch at once."""
        if not self._numbers:
            query = "SELECT nextval('memory_rows') FROM generate_series(1, %s) ORDER BY 1 DESC"
            self._numbers = [n for (n,) in self._db.execute(query, (max(1, self._entries),))]
        return self._numbers.pop()

    def _owned(self) -> list[tuple[str, str]]:
        more = [("memory_vectors", "memory"), ("unembedded", "memory")]
        return [("memories", "memory"), *(more if self._vectors else ())]

    def _delete(self, table: str, column: str, gone: list[int], *and_in: Any) -> None:
        if not gone:
            return
        also = f" AND {and_in[0]} = ANY(%s)" if and_in else ""
        self._db.execute(f"DELETE FROM {table} WHERE {column} = ANY(%s){also}", (gone, *and_in[1:]))

    def _describe(self, entry: Entry, row: int, scope: int, parent: int | None) -> None:
        """Everything but the words."""
        memory, names = entry.memory, rows.fingerprint(entry.names)
        axes = rows.axes(memory, row, place=entry.place, names=names, scope=scope, parent=parent)
        new = self._new
        new["memories"].append((*map(_fit, axes), rows.encoded(memory)))
        new["labels"] += {
            (what, fit(value), of, scope)
            for what, value, of in rows.labels(memory, row, entry.names)
        }
        new["links"] += [(*map(_fit, link), scope) for link in rows.links(memory, row)]
        self._affected |= {memory.id, memory.supersedes}

    def _grow(self, scope: int, documents: int, step: int) -> None:
        growth = self._growth.setdefault(scope, [0, 0])
        growth[0] += documents
        # A long text counts as one long part: a single book must not make all notes look short.
        growth[1] += documents * bm25.LENGTHS[min(step, bm25.LONG_STEP)]

    def _scope(self, scope: Scope) -> tuple[int, int | None]:
        """The numbers of a scope and, for a task, of the scope that it belongs to."""
        path = str(scope)
        if path not in self._scopes:
            self._scopes[path] = self._known(path) or self._found(scope)
        return self._scopes[path]

    def _known(self, path: str) -> tuple[int, int | None] | None:
        row = self._db.execute("SELECT scope, parent FROM scopes WHERE path = %s", (path,))
        found = row.fetchone()
        return (found[0], found[1]) if found else None

    def _found(self, scope: Scope) -> tuple[int, int | None]:
        above = None if scope.value("task") is None else scope.without("task")
        parent = None if above is None else self._scope(above)[0]
        number = only(
            self._db,
            "INSERT INTO scopes (path, parent, task_parent) VALUES (%s, %s, %s) RETURNING scope",
            (str(scope), parent, None if above is None else str(above)),
        )
        return number, parent


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


def _fit(value: object) -> object:
    return fit(value) if isinstance(value, str) else value
