"""The tables of the index as PostgreSQL reads them: lists of words in a table, and its own SQL."""

# ruff: noqa: S608 - every piece of SQL here is our own; a caller's values are always bound.

from __future__ import annotations

import math
from array import array
from collections import Counter

from ..index import rows
from ..index.candidates import HEAD, IN_HEAD
from ..index.read import numbers
from ..index.tables import Dialect, statistics
from .database import many, only

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from ..index.tables import Places, Postings, Reach, VectorMatches
    from .database import PostgresConnection, PostgresRows


_SIGNED = """
SELECT found.memory FROM unnest(%s::integer[], %s::bigint[]) AS asked (scope, signature)
CROSS JOIN LATERAL (
  SELECT s.memory FROM signatures AS s
  WHERE s.scope = asked.scope AND s.signature = asked.signature
  ORDER BY s.memory DESC LIMIT %s
) AS found
"""


def fit(text: str | None) -> str | None:
    """Text that the server can hold: what it cannot becomes a question mark."""
    clean = rows.clean(text)
    return clean if clean is None else clean.replace("\0", "?")


DIALECT = Dialect(
    one_of="= ANY(?)",
    rows="(SELECT * FROM memories WHERE memory = ANY(?)) AS {}",
    ending="right(path.value, length(?::text) + 1) = '/' || ?::text",
    document="m.json",
    documents="",
    bind=list,
    text=fit,
)


class PostgresTables:
    """The tables of one book on a server."""

    dialect = DIALECT

    def __init__(self, db: PostgresConnection, *, exactly: int, vectors: bool) -> None:
        self.db = db
        self.exactly = exactly
        """So many visible vectors are compared one by one; among more, a graph is followed."""
        self.vectors = vectors
        """Whether there are tables for vectors."""

    def execute(self, query: str, values: Sequence[object] = ()) -> PostgresRows:
        """Run a statement that has `?` for each value; the driver wants another mark."""
        return self.db.execute(query.replace("?", "%s"), values)

    def many(self, query: str, rows: Sequence[Sequence[object]]) -> None:
        """Run a statement once for each row of values."""
        many(self.db, query.replace("?", "%s"), rows)

    def frequencies(self, words: Sequence[str], seen: Reach) -> dict[str, int]:
        """How many visible memories contain each word."""
        counts: Counter[str] = Counter()
        for lists, values in _lists(words, seen):
            query = f"SELECT p.term, count(*) {lists} GROUP BY 1"
            for term, count in self.db.execute(query, values):
                counts[term] += count
        return {word: counts[fit(word) or ""] for word in words}

    def postings(self, words: Sequence[str], seen: Reach) -> tuple[Postings, Places]:
        """How often each visible memory says each word; for long ones also where."""
        # In the order of the question, so that sums of scores come out the same everywhere.
        postings: Postings = {word: {} for word in words}
        places: Places = {}
        written = {fit(word): word for word in words}
        for lists, values in _lists(words, seen):
            query = f"SELECT p.term, p.memory, p.head, p.body, p.halves {lists}"
            for term, memory, head, body, halves in self.db.execute(query, values):
                word = written[term]
                postings[word][memory] = head * HEAD + body
                if halves is not None:
                    said: dict[int, float] = {IN_HEAD: head * HEAD} if head else {}
                    places.setdefault(memory, {})[word] = said | Counter(halves)
        return postings, places

    def signed(self, asked: Collection[tuple[int, int]], most: int) -> set[int]:
        """The newest so many rows with each of these signatures, each given with its scope."""
        scopes, signatures = map(list, zip(*asked, strict=True))
        return {row for (row,) in self.db.execute(_SIGNED, (scopes, signatures, most))}

    def nearest(self, meant: VectorMatches, seen: Reach) -> dict[int, float]:
        """Cosines of the visible memories closest in meaning, and of those asked for besides."""

        return nearest(self, meant, seen)

    def passages(self, rows: Collection[int], model: int) -> list[tuple[int, bytes]]:
        """The vectors of these memories' passages, end to end; nothing for one without any."""
        stored = self.db.execute(
            "SELECT memory, passages FROM memory_vectors"
            " WHERE memory = ANY(%s) AND model = %s AND passages IS NOT NULL",
            (list(rows), model),
        )
        return [(row, bytes(passages)) for row, passages in stored]

    def put_vectors(
        self, vectors: Mapping[int, Sequence[bytes]], model: int, *, complete: bool
    ) -> None:
        """Keep the vectors of memories that wait for them; unless complete, more follow."""

        put(self, vectors, model, complete=complete)

    def line_up(self, model: int) -> None:
        """Let every memory wait for this model's vectors."""
        self.db.execute("INSERT INTO unembedded SELECT memory, %s, scope FROM memories", (model,))

    def drop_model(self, model: int) -> None:
        """Forget a model, its vectors and who waits for them."""

        drop(self.db, model)


def _lists(words: Sequence[str], seen: Reach) -> Iterable[tuple[str, tuple[object, ...]]]:
    """The lists to read: of the visible scopes, and of the tasks of others."""
    terms = list(map(fit, words))
    if seen.everything:
        # Named one by one, because there are lists only by scope.
        every = "p.scope IN (SELECT scope FROM scopes WHERE documents > 0)"
        yield f"FROM postings AS p WHERE {every} AND p.term = ANY(%s)", (terms,)
    if seen.scopes:
        own = "FROM postings AS p WHERE p.scope = ANY(%s) AND p.term = ANY(%s)"
        yield own, (list(seen.scopes), terms)
    if seen.parents:
        tasks = "FROM postings AS p WHERE p.parent = ANY(%s) AND p.term = ANY(%s)"
        yield tasks, (list(seen.parents), terms)


# Vectors in pgvector: one for each whole memory, and those of its passages beside it.


_TABLES = ("memory_vectors", "unembedded", "vector_models")


def put(
    tables: PostgresTables, vectors: Mapping[int, Sequence[bytes]], model: int, *, complete: bool
) -> None:
    """Keep the vectors of memories, in place of those they had; unless complete, more follow.

    Only of those in line: a row that is not is either gone, or somebody else gave it all it needs.
    """
    db = tables.db
    waiting = db.execute(
        "SELECT memory, scope FROM unembedded WHERE memory = ANY(%s) AND model = %s",
        (list(vectors), model),
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
            ([row for row, _ in waiting], model),
        )
    large = "SELECT 1 FROM scopes WHERE scope = ANY(%s) AND documents > %s LIMIT 1"
    if only(db, large, (list({scope for _, scope in waiting}), tables.exactly)):
        _make_graph(tables, model)


def drop(db: PostgresConnection, model: int) -> None:
    """Forget a model, its vectors and who waits for them."""
    if _has_graph(db, model):
        db.execute("SELECT drop_graph(%s)", (model,))
    for table in _TABLES:
        db.execute(f"DELETE FROM {table} WHERE model = %s", (model,))


def nearest(tables: PostgresTables, meant: VectorMatches, seen: Reach) -> dict[int, float]:
    """Cosines of the visible memories closest in meaning, and of those asked for besides."""
    db, model = tables.db, meant.model
    asked = _halves(meant.vector)
    found = {
        row: _cosine(distance)
        for row, distance in db.execute(
            "SELECT memory, vector <=> %s::text::halfvec FROM memory_vectors"
            " WHERE memory = ANY(%s) AND model = %s",
            (asked, list(meant.also), model),
        )
    }
    by_graph = statistics(tables, seen).documents > tables.exactly and _has_graph(db, model)
    column = f"(v.vector::halfvec({len(meant.vector)}))" if by_graph else "v.vector"
    for row, distance in _closest(db, asked, column, model, seen, meant.most):
        if (cosine := _cosine(distance)) > meant.least:
            found[row] = cosine
    return found


def _closest(
    db: PostgresConnection, asked: str, column: str, model: int, seen: Reach, most: int
) -> list[tuple[int, float]]:
    """The closest memories and their distances; by the graph if the column is as it has it.

    The graph goes on until enough of what it finds is visible. The number of the model is written
    out, so that the server sees that the graph of that model is enough.
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


def _visible(seen: Reach) -> tuple[str, tuple[object, ...]]:
    if seen.everything:
        return "true", ()
    if not seen.parents:
        return "v.scope = ANY(%s)", (list(seen.scopes),)
    return (
        "v.scope = ANY(%s::integer[] || ARRAY(SELECT scope FROM scopes WHERE parent = ANY(%s)))",
        (list(seen.scopes), list(seen.parents)),
    )


def _has_graph(db: PostgresConnection, model: int) -> bool:
    return only(db, "SELECT to_regclass(%s)", (f"memory_vectors_graph_{model}",)) is not None


def _make_graph(tables: PostgresTables, model: int) -> None:
    if not _has_graph(tables.db, model):
        [name] = [name for name, number in numbers(tables).items() if number == model]
        tables.db.execute("SELECT make_graph(%s, %s)", (model, int(name.rpartition("/")[2])))


def _halves(vector: bytes) -> str:
    return str(array("b", vector).tolist())


def _cosine(distance: float) -> float:
    # A text without any word has no direction.
    return 0.0 if math.isnan(distance) else 1.0 - distance
