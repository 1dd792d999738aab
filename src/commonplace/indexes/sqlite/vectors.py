"""Vectors in chunks, a scope's own together: reading them costs what the caller can see.

A chunk holds up to a few hundred vectors end to end, so that one call scores all of them. All
vectors of a memory are next to each other in one chunk: the whole text first, then its passages.
"""

from __future__ import annotations

import json
from array import array

from ...simd import cosines
from ...value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from ...sqlite import Database
    from .conditions import Reach

CHUNK = 256
WHOLE = 0.3
"""How much the whole text counts for its meaning; the best of its passages counts the rest."""


class Meaning(Value):
    """How close a memory comes to the question, and which of its passages comes closest."""

    cosine: float
    passage: int


def use_model(db: Database, model: str, dimensions: int) -> None:
    """Make room for this model's vectors; another model's are dropped and all is to be done."""
    name = f"{model}/{dimensions}"
    if db.execute("SELECT name FROM vector_model").get == name:
        return
    db.execute("DELETE FROM vector_model")
    db.execute("INSERT INTO vector_model VALUES (?)", (name,))
    for table in ("vector_chunks", "vector_homes"):
        db.execute(f"DELETE FROM {table}")  # noqa: S608 (the names are ours)
    db.execute("INSERT OR IGNORE INTO unembedded SELECT memory FROM memories")


def put(db: Database, vectors: Mapping[int, Sequence[bytes]]) -> None:
    """Keep the vectors of memories, in place of those they had."""
    remove(db, vectors)
    by_scope: dict[int, list[int]] = {}
    rows = json.dumps(list(vectors))
    for row, scope in db.execute(
        "SELECT memory, scope FROM memories WHERE memory IN (SELECT value FROM json_each(?))",
        (rows,),
    ).fetchall():
        by_scope.setdefault(scope, []).append(row)
    for scope, members in by_scope.items():
        _append(db, scope, {row: vectors[row] for row in members})
    db.execute(
        "DELETE FROM unembedded WHERE memory IN (SELECT value FROM json_each(?))", (rows,)
    )


def remove(db: Database, rows: Iterable[int]) -> None:
    """Drop the vectors of memories."""
    for row in rows:
        home = db.execute(
            "SELECT chunk, first, count FROM vector_homes WHERE memory = ?", (row,)
        ).fetchone()
        if home is None:
            continue
        chunk, first, count = home
        owners, vectors = _chunk(db, chunk)
        width = len(vectors) // len(owners)
        db.execute("DELETE FROM vector_homes WHERE memory = ?", (row,))
        if count == len(owners):
            db.execute("DELETE FROM vector_chunks WHERE chunk = ?", (chunk,))
            continue
        del owners[first : first + count]
        _store(db, chunk, owners, vectors[: first * width] + vectors[(first + count) * width :])
        db.execute(
            "UPDATE vector_homes SET first = first - ? WHERE chunk = ? AND first > ?",
            (count, chunk, first),
        )


def nearest(
    db: Database, vector: bytes, seen: Reach, *, also: Collection[int], most: int, least: float
) -> dict[int, Meaning]:
    """The memories closest in meaning, and how close certain others come, whatever that is.

    Only cosines above `least` compete; the best `most` are kept.
    """
    asked = _homes(db, also)
    found: dict[int, Meaning] = {}
    best: list[tuple[float, int, int, float]] = []
    for chunk, owners_blob, vectors in _visible(db, seen):
        if len(vectors) % len(vector):
            continue  # Another model's chunk, in the moment before it is dropped.
        near = cosines(vector, vectors)
        owners = array("q", owners_blob)
        for row, first, count in asked.get(chunk, ()):
            found[row] = _meaning(near[first : first + count])
        best += [
            (cosine, owner >> 4, owner & 15, near[at - (owner & 15)])
            for at, (cosine, owner) in enumerate(zip(near, owners, strict=True))
            if cosine > least
        ]
        if len(best) > 8 * most:
            best.sort(reverse=True)
            del best[4 * most :]
            least = best[-1][0]
    best.sort(reverse=True)
    for cosine, row, passage, whole in best:
        if row not in found and len(found) < most + len(also):
            found[row] = Meaning(WHOLE * whole + (1 - WHOLE) * cosine, passage)
    return found


def _meaning(near: list[float]) -> Meaning:
    best = max(range(len(near)), key=near.__getitem__)
    return Meaning(WHOLE * near[0] + (1 - WHOLE) * near[best], best)


def _visible(db: Database, seen: Reach) -> Iterable[tuple[int, bytes, bytes]]:
    if seen.everything:
        return db.execute("SELECT chunk, owners, vectors FROM vector_chunks")  # pyright: ignore
    return db.execute(  # pyright: ignore
        "SELECT chunk, owners, vectors FROM vector_chunks WHERE scope IN"
        " (SELECT value FROM json_each(?1) UNION"
        "  SELECT scope FROM scopes WHERE parent IN (SELECT value FROM json_each(?2)))",
        (json.dumps(seen.scopes), json.dumps(seen.parents)),
    )


def _homes(db: Database, rows: Collection[int]) -> dict[int, list[tuple[int, int, int]]]:
    homes: dict[int, list[tuple[int, int, int]]] = {}
    for row, chunk, first, count in db.execute(
        "SELECT memory, chunk, first, count FROM json_each(?) AS wanted"
        " CROSS JOIN vector_homes ON memory = wanted.value",
        (json.dumps(list(rows)),),
    ):
        homes.setdefault(chunk, []).append((row, first, count))
    return homes


def _append(db: Database, scope: int, vectors: Mapping[int, Sequence[bytes]]) -> None:
    last = db.execute(
        "SELECT chunk FROM vector_chunks WHERE scope = ? ORDER BY chunk DESC LIMIT 1", (scope,)
    ).get
    owners, data = (array("q"), b"") if last is None else _chunk(db, last)
    chunk = last
    for row, own in vectors.items():
        if chunk is None or len(owners) + len(own) > CHUNK:
            if chunk is not None:
                _store(db, chunk, owners, data)
            owners, data = array("q"), b""
            db.execute("INSERT INTO vector_chunks VALUES (NULL, ?, x'', x'')", (scope,))
            chunk = db.last_insert_rowid()
        db.execute(
            "INSERT INTO vector_homes VALUES (?, ?, ?, ?)", (row, chunk, len(owners), len(own))
        )
        owners.extend(row << 4 | ordinal for ordinal in range(len(own)))
        data += b"".join(own)
    if chunk is not None:
        _store(db, chunk, owners, data)


def _chunk(db: Database, chunk: int) -> tuple[array[int], bytes]:
    owners, vectors = db.execute(
        "SELECT owners, vectors FROM vector_chunks WHERE chunk = ?", (chunk,)
    ).get
    return array("q", owners), vectors


def _store(db: Database, chunk: int, owners: array[int], vectors: bytes) -> None:
    db.execute(
        "UPDATE vector_chunks SET owners = ?, vectors = ? WHERE chunk = ?",
        (owners.tobytes(), vectors, chunk),
    )
