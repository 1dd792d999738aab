"""Vectors in SQLite: those of whole memories in chunks, those of passages beside them.

A chunk holds some hundred vectors of one scope end to end, so that one call compares all of them
and only visible ones are read. Passages are read for candidates only.
"""

from __future__ import annotations

import json
from array import array

from ...common.arithmetic import cosines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from typing import Any

    from ...common.sqlite import SqliteConnection
    from ..index.tables import VectorQuery, VisibleScopes

CHUNK = 256
_TABLES = ("vector_models", "vector_chunks", "vector_homes", "passage_vectors", "unembedded")


def put(
    db: SqliteConnection, vectors: Mapping[int, Sequence[bytes]], model: int, *, complete: bool
) -> None:
    """Store vectors in place of earlier ones; unless complete, the memories go on waiting.

    Rows that do not wait are passed over: the memory is gone, or another process was faster.
    """
    waiting = db.execute(
        "SELECT m.memory, m.scope FROM json_each(?) AS made"
        " CROSS JOIN unembedded AS u ON u.memory = made.value AND u.model = ?"
        " JOIN memories AS m ON m.memory = u.memory",
        (json.dumps(list(vectors)), model),
    ).fetchall()
    _remove(db, [(row, model) for row, _ in waiting])
    by_scope: dict[int, dict[int, bytes]] = {}
    for row, scope in waiting:
        by_scope.setdefault(scope, {})[row] = vectors[row][0]
    for scope, wholes in by_scope.items():
        _append(db, model, scope, wholes)
    db.executemany(
        "INSERT INTO passage_vectors VALUES (?, ?, ?)",
        [(row, model, b"".join(vectors[row][1:])) for row, _ in waiting if len(vectors[row]) > 1],
    )
    if complete:
        db.executemany(
            "DELETE FROM unembedded WHERE memory = ? AND model = ?",
            [(row, model) for row, _ in waiting],
        )


def remove(db: SqliteConnection, rows: Iterable[int]) -> None:
    """Delete the vectors of memories, of every model."""
    models = [model for (model,) in db.execute("SELECT model FROM vector_models")]
    _remove(db, [(row, model) for row in rows for model in models])


def drop(db: SqliteConnection, model: int) -> None:
    """Delete a model, its vectors and its queue."""
    for table in _TABLES:
        db.execute(f"DELETE FROM {table} WHERE model = ?", (model,))  # noqa: S608 (names of ours)


def nearest(db: SqliteConnection, query: VectorQuery, seen: VisibleScopes) -> dict[int, float]:
    """Cosines of the closest visible memories, and of the rows in `query.also`."""
    most, least = query.most, query.least
    asked = _homes(db, query.model, query.also)
    found: dict[int, float] = {}
    best: list[tuple[float, int]] = []
    for chunk, owners, vectors in _visible(db, query.model, seen):
        near = cosines(query.vector, vectors)
        found |= {row: near[slot] for row, slot in asked.get(chunk, ())}
        best += [pair for pair in zip(near, array("q", owners), strict=True) if pair[0] > least]
        if len(best) > 8 * most:
            best.sort(reverse=True)
            del best[most:]
            least = best[-1][0]
    best.sort(reverse=True)
    found.update((row, cosine) for cosine, row in best[:most])
    return found


def _remove(db: SqliteConnection, kept: Iterable[tuple[int, int]]) -> None:
    for row, model in kept:
        home = db.execute(
            "SELECT chunk, slot FROM vector_homes WHERE memory = ? AND model = ?", (row, model)
        ).fetchone()
        if home is None:
            continue
        chunk, slot = home
        for table in ("vector_homes", "passage_vectors"):
            db.execute(
                f"DELETE FROM {table} WHERE memory = ? AND model = ?",  # noqa: S608 (names of ours)
                (row, model),
            )
        owners, vectors = _chunk(db, chunk)
        if len(owners) == 1:
            db.execute("DELETE FROM vector_chunks WHERE chunk = ?", (chunk,))
            continue
        width = len(vectors) // len(owners)
        del owners[slot]
        _store(db, chunk, owners, vectors[: slot * width] + vectors[(slot + 1) * width :])
        db.execute(
            "UPDATE vector_homes SET slot = slot - 1 WHERE chunk = ? AND slot > ?", (chunk, slot)
        )


def _visible(db: SqliteConnection, model: int, seen: VisibleScopes) -> Iterable[tuple[Any, ...]]:
    if seen.everything:
        return db.execute(
            "SELECT chunk, owners, vectors FROM vector_chunks WHERE model = ?", (model,)
        )
    return db.execute(
        "SELECT chunk, owners, vectors FROM vector_chunks WHERE model = ?3 AND scope IN"
        " (SELECT value FROM json_each(?1) UNION"
        "  SELECT scope FROM scopes WHERE parent IN (SELECT value FROM json_each(?2)))",
        (json.dumps(seen.scopes), json.dumps(seen.parents), model),
    )


def _homes(
    db: SqliteConnection, model: int, rows: Collection[int]
) -> dict[int, list[tuple[int, int]]]:
    homes: dict[int, list[tuple[int, int]]] = {}
    for row, chunk, slot in db.execute(
        "SELECT memory, chunk, slot FROM json_each(?) AS wanted"
        " CROSS JOIN vector_homes ON memory = wanted.value AND model = ?",
        (json.dumps(list(rows)), model),
    ):
        homes.setdefault(chunk, []).append((row, slot))
    return homes


def _append(db: SqliteConnection, model: int, scope: int, wholes: Mapping[int, bytes]) -> None:
    chunk = db.execute(
        "SELECT max(chunk) FROM vector_chunks WHERE model = ? AND scope = ?", (model, scope)
    ).get
    owners, data = (array("q"), b"") if chunk is None else _chunk(db, chunk)
    for row, vector in wholes.items():
        if chunk is None or len(owners) >= CHUNK:
            if chunk is not None:
                _store(db, chunk, owners, data)
            owners, data = array("q"), b""
            db.execute("INSERT INTO vector_chunks VALUES (NULL, ?, ?, x'', x'')", (model, scope))
            chunk = db.last_insert_rowid()
        home = (row, model, chunk, len(owners))
        db.execute("INSERT INTO vector_homes VALUES (?, ?, ?, ?)", home)
        owners.append(row)
        data += vector
    if chunk is not None:
        _store(db, chunk, owners, data)


def _chunk(db: SqliteConnection, chunk: int) -> tuple[array[int], bytes]:
    owners, vectors = db.execute(
        "SELECT owners, vectors FROM vector_chunks WHERE chunk = ?", (chunk,)
    ).get
    return array("q", owners), vectors


def _store(db: SqliteConnection, chunk: int, owners: array[int], vectors: bytes) -> None:
    db.execute(
        "UPDATE vector_chunks SET owners = ?, vectors = ? WHERE chunk = ?",
        (owners.tobytes(), vectors, chunk),
    )
