"""Vectors: one for each whole memory, in chunks per scope, and those of its passages beside it.

A chunk holds some hundred vectors end to end, so that one call scores all of them; a scope has
chunks of its own, so that reading them costs what the caller can see. Passages are read only for
memories that are already in the running.
"""

from __future__ import annotations

import json
from array import array

from ...simd import cosines
from ...value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from typing import Any

    from ...sqlite import Database
    from .conditions import Reach

CHUNK = 256
WHOLE = 0.3
"""How much the whole text counts for its meaning; the best of its passages counts the rest."""


class Meaning(Value):
    """How close a memory comes to the question, and which of its passages comes closest."""

    cosine: float
    passage: int = 0


def use_model(db: Database, model: str, dimensions: int, *, switch: bool) -> bool:
    """Make room for this model's vectors; another model's are dropped and all is to be done.

    Without `switch` another model's vectors stay, and False says that there is no room.
    """
    name, current = _name(model, dimensions), _current(db)
    if current == name:
        return True
    if current is not None and not switch:
        return False
    for table in ("vector_model", "vector_chunks", "vector_homes", "passage_vectors"):
        db.execute(f"DELETE FROM {table}")  # noqa: S608 (the names are ours)
    db.execute("INSERT INTO vector_model VALUES (?)", (name,))
    db.execute("INSERT OR IGNORE INTO unembedded SELECT memory FROM memories")
    return True


def comparable(db: Database, vector: bytes, model: str | None) -> bool:
    """Whether a question's vector means something among those kept; None trusts its width."""
    current = _current(db)
    if current is None:
        return False
    if model is None:
        return current.endswith(_name("", len(vector)))
    return current == _name(model, len(vector))


def fits(db: Database, vectors: Mapping[int, Sequence[bytes]], model: str, dimensions: int) -> bool:
    """Whether these vectors may stand beside those kept: of the same model, of the same width."""
    return _current(db) == _name(model, dimensions) and all(
        len(vector) == dimensions for own in vectors.values() for vector in own
    )


def put(db: Database, vectors: Mapping[int, Sequence[bytes]], *, complete: bool) -> None:
    """Keep the vectors of memories, in place of those they had; unless complete, more follow.

    Only of those in line: a row that is not is either gone, or somebody else gave it all it needs.
    """
    waiting = db.execute(
        "SELECT m.memory, m.scope FROM json_each(?) AS made"
        " CROSS JOIN unembedded AS u ON u.memory = made.value"
        " JOIN memories AS m ON m.memory = u.memory",
        (json.dumps(list(vectors)),),
    ).fetchall()
    remove(db, [row for row, _ in waiting])
    by_scope: dict[int, dict[int, bytes]] = {}
    for row, scope in waiting:
        by_scope.setdefault(scope, {})[row] = vectors[row][0]
    for scope, wholes in by_scope.items():
        _append(db, scope, wholes)
    db.executemany(
        "INSERT INTO passage_vectors VALUES (?, ?)",
        [(row, b"".join(vectors[row][1:])) for row, _ in waiting if len(vectors[row]) > 1],
    )
    if complete:
        db.executemany("DELETE FROM unembedded WHERE memory = ?", [(row,) for row, _ in waiting])


def remove(db: Database, rows: Iterable[int]) -> None:
    """Drop the vectors of memories."""
    for row in rows:
        home = db.execute(
            "SELECT chunk, slot FROM vector_homes WHERE memory = ?", (row,)
        ).fetchone()
        if home is None:
            continue
        chunk, slot = home
        db.execute("DELETE FROM vector_homes WHERE memory = ?", (row,))
        db.execute("DELETE FROM passage_vectors WHERE memory = ?", (row,))
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


def nearest(
    db: Database, vector: bytes, seen: Reach, *, also: Collection[int], most: int, least: float
) -> dict[int, float]:
    """Cosines of the memories closest in meaning, and of certain others whatever theirs is.

    Only cosines above `least` compete; the best `most` are kept.
    """
    asked = _homes(db, also)
    found: dict[int, float] = {}
    best: list[tuple[float, int]] = []
    for chunk, owners, vectors in _visible(db, seen):
        near = cosines(vector, vectors)
        found |= {row: near[slot] for row, slot in asked.get(chunk, ())}
        best += [pair for pair in zip(near, array("q", owners), strict=True) if pair[0] > least]
        if len(best) > 8 * most:
            best.sort(reverse=True)
            del best[most:]
            least = best[-1][0]
    best.sort(reverse=True)
    found.update((row, cosine) for cosine, row in best[:most])
    return found


def meanings(db: Database, vector: bytes, wholes: Mapping[int, float]) -> dict[int, Meaning]:
    """What memories mean for the question, once their passages are looked at too."""
    found = {row: Meaning(cosine) for row, cosine in wholes.items()}
    stored = db.execute(
        "SELECT memory, vectors FROM json_each(?) AS wanted"
        " CROSS JOIN passage_vectors ON memory = wanted.value",
        (json.dumps(list(wholes)),),
    ).fetchall()
    near = cosines(vector, b"".join(vectors for _, vectors in stored)) if stored else []
    start = 0
    for row, vectors in stored:
        count = len(vectors) // len(vector)
        own = near[start : start + count]
        start += count
        best = max(own)
        whole = wholes[row]
        found[row] = Meaning(WHOLE * whole + (1 - WHOLE) * max(whole, best), own.index(best) + 1)
    return found


def _name(model: str, dimensions: int) -> str:
    return f"{model}/{dimensions}"


def _current(db: Database) -> str | None:
    """The model whose vectors are kept."""
    return db.execute("SELECT name FROM vector_model").get


def _visible(db: Database, seen: Reach) -> Iterable[tuple[Any, ...]]:
    if seen.everything:
        return db.execute("SELECT chunk, owners, vectors FROM vector_chunks")
    return db.execute(
        "SELECT chunk, owners, vectors FROM vector_chunks WHERE scope IN"
        " (SELECT value FROM json_each(?1) UNION"
        "  SELECT scope FROM scopes WHERE parent IN (SELECT value FROM json_each(?2)))",
        (json.dumps(seen.scopes), json.dumps(seen.parents)),
    )


def _homes(db: Database, rows: Collection[int]) -> dict[int, list[tuple[int, int]]]:
    homes: dict[int, list[tuple[int, int]]] = {}
    for row, chunk, slot in db.execute(
        "SELECT memory, chunk, slot FROM json_each(?) AS wanted"
        " CROSS JOIN vector_homes ON memory = wanted.value",
        (json.dumps(list(rows)),),
    ):
        homes.setdefault(chunk, []).append((row, slot))
    return homes


def _append(db: Database, scope: int, wholes: Mapping[int, bytes]) -> None:
    chunk = db.execute("SELECT max(chunk) FROM vector_chunks WHERE scope = ?", (scope,)).get
    owners, data = (array("q"), b"") if chunk is None else _chunk(db, chunk)
    for row, vector in wholes.items():
        if chunk is None or len(owners) >= CHUNK:
            if chunk is not None:
                _store(db, chunk, owners, data)
            owners, data = array("q"), b""
            db.execute("INSERT INTO vector_chunks VALUES (NULL, ?, x'', x'')", (scope,))
            chunk = db.last_insert_rowid()
        db.execute("INSERT INTO vector_homes VALUES (?, ?, ?)", (row, chunk, len(owners)))
        owners.append(row)
        data += vector
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
