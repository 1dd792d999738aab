"""Vectors in pgvector: one for each whole memory, and those of its passages beside it.

What one caller can see is mostly few enough to be compared one by one, which is exact. Where it is
not, an HNSW index finds the closest, going on until enough of them are visible.

After a change of model the old vectors stay in use until the new ones are complete. No comparison
ever looks at both.
"""

# ruff: noqa: S608 - every piece of SQL here is our own; a caller's values are always bound.

from __future__ import annotations

import math
from array import array

from ...postgres.database import many, only
from ...simd import cosines
from ..sqlite.vectors import WHOLE
from .conditions import statistics

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from ...postgres.database import Connection
    from .conditions import Reach

_TABLES = ("memory_vectors", "unembedded", "vector_models")


def use_model(db: Connection, model: str, dimensions: int, *, switch: bool) -> bool:
    """Make room for this model's vectors, beside those of the one in use until all are there.

    Without `switch` nothing is begun for a model that has no room yet, and False says so.
    """
    known = _known(db)
    name = _name(model, dimensions)
    if name in known and (not switch or len(known) == 1):
        return True
    if known and not switch:
        return False
    # Whatever else was on its way is not wanted any more.
    for other in list(known)[1:]:
        if other != name:
            _drop(db, known[other])
    if name not in known:
        number = only(
            db,
            "INSERT INTO vector_models (name, in_use) VALUES (%s, %s) RETURNING model",
            (name, not known),
        )
        db.execute("INSERT INTO unembedded SELECT memory, %s, scope FROM memories", (number,))
        _finish(db)
    return True


def models(db: Connection) -> list[str]:
    """The models whose vectors are kept: the one in use, then one that will take its place."""
    return [name.rpartition("/")[0] for name in _known(db)]


def waiting(db: Connection, model: str) -> int:
    """How many memories wait for this model's vectors; 0 as well where there is no room for any."""
    return only(db, "SELECT count(*) FROM unembedded WHERE model = %s", (in_line(db, model),))


def in_line(db: Connection, model: str | None) -> int | None:
    """The number of the model whose line is meant; the newest for None; None if there is none."""
    known = _known(db)
    named = [number for name, number in known.items() if model in (None, name.rpartition("/")[0])]
    return named[-1] if named else None


def comparable(db: Connection, vector: bytes, model: str | None) -> int | None:
    """The number of the model that a question's vector can be compared with, if any.

    Without a name that is the model in use, as far as the width is right.
    """
    known = _known(db)
    if model is None:
        name = next(iter(known), "")
        return known[name] if name.endswith(_name("", len(vector))) else None
    return known.get(_name(model, len(vector)))


def fits(
    db: Connection, vectors: Mapping[int, Sequence[bytes]], model: str, dimensions: int
) -> int | None:
    """The number of the model that these vectors are of, if it has room and the width is right."""
    if any(len(vector) != dimensions for own in vectors.values() for vector in own):
        return None
    return _known(db).get(_name(model, dimensions))


def put(
    db: Connection,
    vectors: Mapping[int, Sequence[bytes]],
    model: int,
    *,
    complete: bool,
    exactly: int,
) -> None:
    """Keep the vectors of memories, in place of those they had; unless complete, more follow.

    Only of those in line: a row that is not is either gone, or somebody else gave it all it needs.
    """
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
        _finish(db)
    large = "SELECT 1 FROM scopes WHERE scope = ANY(%s) AND documents > %s LIMIT 1"
    if only(db, large, (list({scope for _, scope in waiting}), exactly)):
        _make_graph(db, model)


def nearest(
    db: Connection,
    vector: bytes,
    model: int,
    seen: Reach,
    *,
    also: Collection[int],
    most: int,
    least: float,
    exactly: int,
) -> dict[int, float]:
    """Cosines of the memories closest in meaning, and of certain others whatever theirs is.

    Only cosines above `least` compete; the best `most` are kept.
    """
    asked = _halves(vector)
    found = {
        row: _cosine(distance)
        for row, distance in db.execute(
            "SELECT memory, vector <=> %s::text::halfvec FROM memory_vectors"
            " WHERE memory = ANY(%s) AND model = %s",
            (asked, list(also), model),
        )
    }
    by_graph = statistics(db, seen).documents > exactly and _has_graph(db, model)
    column = f"(v.vector::halfvec({len(vector)}))" if by_graph else "v.vector"
    for row, distance in _closest(db, asked, column, model, seen, most):
        if (cosine := _cosine(distance)) > least:
            found[row] = cosine
    return found


def meanings(
    db: Connection, vector: bytes, model: int, wholes: Mapping[int, float]
) -> dict[int, tuple[float, int]]:
    """How close memories come to the question, and which of their passages comes closest."""
    found = {row: (cosine, 0) for row, cosine in wholes.items()}
    for row, passages in db.execute(
        "SELECT memory, passages FROM memory_vectors"
        " WHERE memory = ANY(%s) AND model = %s AND passages IS NOT NULL",
        (list(wholes), model),
    ):
        own = cosines(vector, bytes(passages))
        best, whole = max(own), wholes[row]
        found[row] = (WHOLE * whole + (1 - WHOLE) * max(whole, best), own.index(best) + 1)
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


def _make_graph(db: Connection, model: int) -> None:
    if not _has_graph(db, model):
        [name] = [name for name, number in _known(db).items() if number == model]
        db.execute("SELECT make_graph(%s, %s)", (model, int(name.rpartition("/")[2])))


def _halves(vector: bytes) -> str:
    return str(array("b", vector).tolist())


def _cosine(distance: float) -> float:
    # A text without any word has no direction.
    return 0.0 if math.isnan(distance) else 1.0 - distance


def _name(model: str, dimensions: int) -> str:
    return f"{model}/{dimensions}"


def _known(db: Connection) -> dict[str, int]:
    """The models whose vectors are kept, by name: the one in use first."""
    rows = db.execute("SELECT name, model FROM vector_models ORDER BY in_use DESC, model")
    return dict(rows.fetchall())


def _finish(db: Connection) -> None:
    """A model that has all its vectors takes the place of the one in use."""
    known = list(_known(db).values())
    if len(known) < 2:
        return
    old, new = known[0], known[-1]
    if only(db, "SELECT 1 FROM unembedded WHERE model = %s LIMIT 1", (new,)) is None:
        _drop(db, old)
        db.execute("UPDATE vector_models SET in_use = true WHERE model = %s", (new,))


def _drop(db: Connection, model: int) -> None:
    if _has_graph(db, model):
        db.execute("SELECT drop_graph(%s)", (model,))
    for table in _TABLES:
        db.execute(f"DELETE FROM {table} WHERE model = %s", (model,))
