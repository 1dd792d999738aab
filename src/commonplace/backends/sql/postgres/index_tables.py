"""The tables of the PostgreSQL index: reading postings, and vectors in pgvector."""

# ruff: noqa: S608 - every piece of SQL here is our own; a caller's values are always bound.

from __future__ import annotations

import math
from array import array
from collections import Counter

from ..index.candidates import HEAD, IN_HEAD
from ..index.tables import Dialect, statistics
from ..index.values import valid_unicode
from ..index.vectors import stored_models
from .database import array_literal, many, only

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from ....model.scope import Visible
    from ..index.tables import Places, Postings, VectorQuery, VisibleScopes
    from .database import PostgresConnection, PostgresRows


_SIGNED = """
SELECT found.memory FROM unnest(%s::integer[], %s::bigint[]) AS asked (scope, signature)
CROSS JOIN LATERAL (
  SELECT s.memory FROM signatures AS s
  WHERE s.scope = asked.scope AND s.signature = asked.signature
  ORDER BY s.memory DESC LIMIT %s
) AS found
"""


def storable_text(text: str | None) -> str | None:
    """Text that the server takes; other characters become question marks."""
    clean = valid_unicode(text)
    return clean if clean is None else clean.replace("\0", "?")


DIALECT = Dialect(
    one_of="= ANY(?)",
    rows="(SELECT * FROM memories WHERE memory = ANY(?)) AS {}",
    ending="right(path.value, length(?::text) + 1) = '/' || ?::text",
    document="m.json",
    documents="",
    bind=array_literal,
    text=storable_text,
)


class PostgresTables:
    """The tables of one book on a server."""

    dialect = DIALECT

    def __init__(
        self, db: PostgresConnection, *, exactly: int, pgvector: bool, external: bool = False
    ) -> None:
        self.db = db
        self.exactly = exactly
        """Up to so many visible vectors are compared one by one; among more, a graph is used."""
        self.pgvector = pgvector
        """Whether there is a table for vectors."""
        self.seen: tuple[Visible, VisibleScopes] | None = None
        self.external = external
        """Whether vectors are stored in a vector engine instead of these tables."""

    def execute(self, query: str, values: Sequence[object] = ()) -> PostgresRows:
        """Run a statement that has `?` for each value; the driver wants another mark."""
        return self.db.execute(query.replace("?", "%s"), values)

    def execute_many(self, query: str, rows: Sequence[Sequence[object]]) -> None:
        """Run a statement once for each row of values."""
        many(self.db, query.replace("?", "%s"), rows)

    def frequencies(self, words: Sequence[str], seen: VisibleScopes) -> dict[str, int]:
        """How many visible memories contain each word."""
        counts: Counter[str] = Counter()
        for lists, values in _lists(words, seen):
            query = f"SELECT p.term, count(*) {lists} GROUP BY 1"
            for term, count in self.db.execute(query, values).fetchall():
                counts[term] += count
        return {word: counts[storable_text(word) or ""] for word in words}

    def postings(self, words: Sequence[str], seen: VisibleScopes) -> tuple[Postings, Places]:
        """How often each visible memory contains each word; for long ones also where."""
        # In the order of the question, so that sums of scores come out the same everywhere.
        postings: Postings = {word: {} for word in words}
        places: Places = {}
        written = {storable_text(word): word for word in words}
        for lists, values in _lists(words, seen):
            query = f"SELECT p.term, p.memory, p.head, p.body, p.halves {lists}"
            for term, memory, head, body, halves in self.db.execute(query, values).fetchall():
                word = written[term]
                postings[word][memory] = head * HEAD + body
                if halves is not None:
                    said: dict[int, float] = {IN_HEAD: head * HEAD} if head else {}
                    places.setdefault(memory, {})[word] = said | Counter(halves)
        return postings, places

    def rows_with_signatures(self, pairs: Collection[tuple[int, int]], most: int) -> set[int]:
        """The newest rows, `most` for each pair of a scope and a signature."""
        scopes, signatures = map(array_literal, zip(*pairs, strict=True))
        found = self.db.execute(_SIGNED, (scopes, signatures, most)).fetchall()
        return {row for (row,) in found}

    def nearest(self, query: VectorQuery, seen: VisibleScopes) -> dict[int, float]:
        """Cosines of the closest visible memories, and of the rows in `query.also`."""
        return nearest(self, query, seen)

    def passages(self, rows: Collection[int], model: int) -> list[tuple[int, bytes]]:
        """The passage vectors of these memories, end to end; left out where there are none."""
        stored = self.db.execute(
            "SELECT memory, passages FROM memory_vectors"
            " WHERE memory = ANY(%s) AND model = %s AND passages IS NOT NULL",
            (array_literal(rows), model),
        ).fetchall()
        return [(row, bytes(passages)) for row, passages in stored]

    def put_vectors(
        self, vectors: Mapping[int, Sequence[bytes]], model: int, *, complete: bool
    ) -> None:
        """Store vectors for memories that wait for them; unless complete, these go on waiting."""
        put(self, vectors, model, complete=complete)

    def queue_all(self, model: int) -> None:
        """Queue every memory for this model's vectors."""
        self.db.execute(
            "INSERT INTO unembedded SELECT memory, %s, scope FROM memories ON CONFLICT DO NOTHING",
            (model,),
        )

    def drop_model(self, model: int) -> None:
        """Delete a model, its vectors and its queue."""
        drop(self, model)


def _lists(words: Sequence[str], seen: VisibleScopes) -> Iterable[tuple[str, tuple[object, ...]]]:
    """FROM clauses for the postings of words: in the visible scopes, and in tasks below them."""
    terms = array_literal(map(storable_text, words))
    if seen.everything:
        # The scopes are named, because the postings are ordered by scope.
        every = "p.scope IN (SELECT scope FROM scopes WHERE documents > 0)"
        yield f"FROM postings AS p WHERE {every} AND p.term = ANY(%s)", (terms,)
    if seen.scopes:
        own = "FROM postings AS p WHERE p.scope = ANY(%s) AND p.term = ANY(%s)"
        yield own, (array_literal(seen.scopes), terms)
    if seen.parents:
        tasks = "FROM postings AS p WHERE p.parent = ANY(%s) AND p.term = ANY(%s)"
        yield tasks, (array_literal(seen.parents), terms)


# Vectors: those of whole memories in pgvector, those of passages as bytes beside them.


def put(
    tables: PostgresTables, vectors: Mapping[int, Sequence[bytes]], model: int, *, complete: bool
) -> None:
    """Store vectors in place of earlier ones; unless complete, the memories go on waiting.

    Rows that do not wait are passed over: the memory is gone, or another process was faster.
    """
    db = tables.db
    waiting = db.execute(
        "SELECT memory, scope FROM unembedded WHERE memory = ANY(%s) AND model = %s",
        (array_literal(vectors), model),
    ).fetchall()
    many(
        db,
        "INSERT INTO memory_vectors VALUES (%s, %s, %s, %s::text::halfvec, %s)"
        " ON CONFLICT (memory, model) DO UPDATE"
        " SET vector = excluded.vector, passages = excluded.passages",
        [
            (row, model, scope, _halves(vectors[row][0]), b"".join(vectors[row][1:]) or None)
            for row, scope in waiting
        ],
    )
    if complete:
        db.execute(
            "DELETE FROM unembedded WHERE memory = ANY(%s) AND model = %s",
            (array_literal(row for row, _ in waiting), model),
        )
    large = "SELECT 1 FROM scopes WHERE scope = ANY(%s) AND documents > %s LIMIT 1"
    if only(db, large, (array_literal({scope for _, scope in waiting}), tables.exactly)):
        _make_graph(tables, model)


def drop(tables: PostgresTables, model: int) -> None:
    """Delete a model, its vectors and its queue."""
    db = tables.db
    if tables.pgvector:
        if _has_graph(db, model):
            db.execute("SELECT drop_graph(%s)", (model,))
        db.execute("DELETE FROM memory_vectors WHERE model = %s", (model,))
    for table in ("unembedded", "vector_models"):
        db.execute(f"DELETE FROM {table} WHERE model = %s", (model,))


def nearest(tables: PostgresTables, query: VectorQuery, seen: VisibleScopes) -> dict[int, float]:
    """Cosines of the closest visible memories, and of the rows in `query.also`."""
    db, model = tables.db, query.model
    asked = _halves(query.vector)
    found = {
        row: _cosine(distance)
        for row, distance in db.execute(
            "SELECT memory, vector <=> %s::text::halfvec FROM memory_vectors"
            " WHERE memory = ANY(%s) AND model = %s",
            (asked, array_literal(query.also), model),
        ).fetchall()
    }
    by_graph = statistics(tables, seen).documents > tables.exactly and _has_graph(db, model)
    column = f"(v.vector::halfvec({len(query.vector)}))" if by_graph else "v.vector"
    for row, distance in _closest(db, asked, column, model, seen, query.most):
        if (cosine := _cosine(distance)) > query.least:
            found[row] = cosine
    return found


def _closest(
    db: PostgresConnection, asked: str, column: str, model: int, seen: VisibleScopes, most: int
) -> list[tuple[int, float]]:
    """The closest memories and their distances; by the graph if the column is the graph's.

    The scan of the graph goes on until enough visible rows are found. The model's number is part
    of the query, so that the planner can use that model's graph.
    """
    condition, values = _visible(seen)
    if column != "v.vector":
        db.execute("SET LOCAL hnsw.iterative_scan = relaxed_order")
        db.execute(f"SET LOCAL hnsw.ef_search = {min(1000, max(40, most))}")
    rows = db.execute(
        f"SELECT v.memory, {column} <=> %s::text::halfvec FROM memory_vectors AS v"
        f" WHERE v.model = {int(model)} AND {condition} ORDER BY 2 LIMIT %s",
        (asked, *values, most),
    ).fetchall()
    return [(row, distance) for row, distance in rows]


def _visible(seen: VisibleScopes) -> tuple[str, tuple[object, ...]]:
    if seen.everything:
        return "true", ()
    if not seen.parents:
        return "v.scope = ANY(%s)", (array_literal(seen.scopes),)
    return (
        "v.scope = ANY(%s::integer[] || ARRAY(SELECT scope FROM scopes WHERE parent = ANY(%s)))",
        (array_literal(seen.scopes), array_literal(seen.parents)),
    )


def _has_graph(db: PostgresConnection, model: int) -> bool:
    return only(db, "SELECT to_regclass(%s)", (f"memory_vectors_graph_{model}",)) is not None


def _make_graph(tables: PostgresTables, model: int) -> None:
    if not _has_graph(tables.db, model):
        [width] = [one.dimensions for one in stored_models(tables) if one.number == model]
        tables.db.execute("SELECT make_graph(%s, %s)", (model, width))


def _halves(vector: bytes) -> str:
    return str(array("b", vector).tolist())


def _cosine(distance: float) -> float:
    # A text without any word has no direction.
    return 0.0 if math.isnan(distance) else 1.0 - distance
