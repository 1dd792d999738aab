"""Vectors in pgvector: one for each whole memory, and those of its passages beside it.

What one caller can see is mostly few enough to be compared one by one, which is exact. Where it is
not, an HNSW index finds the closest, going on until enough of them are visible.
"""

# ruff: noqa: S608 - every piece of SQL here is our own; a caller's values are always bound.

from __future__ import annotations

import math
from array import array

from ...postgres.database import many, only
from ..sql.conditions import statistics
from ..sql.models import numbers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...postgres.database import Connection
    from ..sql.conditions import Reach
    from ..sql.gathering import Meant
    from .tables import PostgresTables

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


def drop(db: Connection, model: int) -> None:
    """Forget a model, its vectors and who waits for them."""
    if _has_graph(db, model):
        db.execute("SELECT drop_graph(%s)", (model,))
    for table in _TABLES:
        db.execute(f"DELETE FROM {table} WHERE model = %s", (model,))


def nearest(tables: PostgresTables, meant: Meant, seen: Reach) -> dict[int, float]:
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
    db: Connection, asked: str, column: str, model: int, seen: Reach, most: int
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


def _has_graph(db: Connection, model: int) -> bool:
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
