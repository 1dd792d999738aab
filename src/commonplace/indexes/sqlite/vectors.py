"""Vectors: one for each whole memory, in chunks per scope, and those of its passages beside it.

A chunk holds some hundred vectors end to end, so that one call scores all of them; a scope has
chunks of its own, so that reading them costs what the caller can see. Passages are read only for
memories that are already in the running.

After a change of model the old vectors stay in use until the new ones are complete. No comparison
ever looks at both.
"""

from __future__ import annotations

import json
from array import array

from ...simd import cosines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from typing import Any

    from ...sqlite import Database
    from .conditions import Reach

CHUNK = 256
_TABLES = ("vector_models", "vector_chunks", "vector_homes", "passage_vectors", "unembedded")
WHOLE = 0.3
"""How much the whole text counts for its meaning; the best of its passages counts the rest."""


def use_model(db: Database, model: str, dimensions: int, *, switch: bool) -> bool:
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
        number = db.execute(
            "INSERT INTO vector_models (name, in_use) VALUES (?, ?) RETURNING model",
            (name, not known),
        ).get
        db.execute("INSERT INTO unembedded SELECT memory, ? FROM memories", (number,))
        _finish(db)
    return True


def models(db: Database) -> list[str]:
    """The models whose vectors are kept: the one in use, then one that will take its place."""
    return [name.rpartition("/")[0] for name in _known(db)]


def waiting(db: Database, model: str) -> int:
    """How many memories wait for this model's vectors; 0 as well where there is no room for any."""
    number = in_line(db, model)
    return db.execute("SELECT count(*) FROM unembedded WHERE model = ?", (number,)).get


def in_line(db: Database, model: str | None) -> int | None:
    """The number of the model whose line is meant; the newest for None; None if there is none."""
    known = _known(db)
    named = [number for name, number in known.items() if model in (None, name.rpartition("/")[0])]
    return named[-1] if named else None


def comparable(db: Database, vector: bytes, model: str | None) -> int | None:
    """The number of the model that a question's vector can be compared with, if any.

    Without a name that is the model in use, as far as the width is right.
    """
    known = _known(db)
    if model is None:
        name = next(iter(known), "")
        return known[name] if name.endswith(_name("", len(vector))) else None
    return known.get(_name(model, len(vector)))


def fits(
    db: Database, vectors: Mapping[int, Sequence[bytes]], model: str, dimensions: int
) -> int | None:
    """The number of the model that these vectors are of, if it has room and the width is right."""
    if any(len(vector) != dimensions for own in vectors.values() for vector in own):
        return None
    return _known(db).get(_name(model, dimensions))


def put(
    db: Database, vectors: Mapping[int, Sequence[bytes]], model: int, *, complete: bool
) -> None:
    """Keep the vectors of memories, in place of those they had; unless complete, more follow.

    Only of those in line: a row that is not is either gone, or somebody else gave it all it needs.
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
        _finish(db)


def remove(db: Database, rows: Iterable[int]) -> None:
    """Drop the vectors of memories, whichever model made them."""
    numbers = list(_known(db).values())
    _remove(db, [(row, model) for row in rows for model in numbers])


def nearest(
    db: Database,
    vector: bytes,
    model: int,
    seen: Reach,
    *,
    also: Collection[int],
    most: int,
    least: float,
) -> dict[int, float]:
    """Cosines of the memories closest in meaning, and of certain others whatever theirs is.

    Only cosines above `least` compete; the best `most` are kept.
    """
    asked = _homes(db, model, also)
    found: dict[int, float] = {}
    best: list[tuple[float, int]] = []
    for chunk, owners, vectors in _visible(db, model, seen):
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


def meanings(
    db: Database, vector: bytes, model: int, wholes: Mapping[int, float]
) -> dict[int, tuple[float, int]]:
    """How close memories come to the question, and which of their passages comes closest."""
    found = {row: (cosine, 0) for row, cosine in wholes.items()}
    stored = db.execute(
        "SELECT memory, vectors FROM json_each(?) AS wanted"
        " CROSS JOIN passage_vectors ON memory = wanted.value AND model = ?",
        (json.dumps(list(wholes)), model),
    ).fetchall()
    near = cosines(vector, b"".join(vectors for _, vectors in stored)) if stored else []
    start = 0
    for row, vectors in stored:
        count = len(vectors) // len(vector)
        own = near[start : start + count]
        start += count
        best = max(own)
        whole = wholes[row]
        found[row] = (WHOLE * whole + (1 - WHOLE) * max(whole, best), own.index(best) + 1)
    return found


def _name(model: str, dimensions: int) -> str:
    return f"{model}/{dimensions}"


def _known(db: Database) -> dict[str, int]:
    """The models whose vectors are kept, by name: the one in use first."""
    return dict(
        db.execute("SELECT name, model FROM vector_models ORDER BY in_use DESC, model").fetchall()
    )


def _finish(db: Database) -> None:
    """A model that has all its vectors takes the place of the one in use."""
    known = list(_known(db).values())
    if len(known) < 2:
        return
    old, new = known[0], known[-1]
    if db.execute("SELECT 1 FROM unembedded WHERE model = ? LIMIT 1", (new,)).get is None:
        _drop(db, old)
        db.execute("UPDATE vector_models SET in_use = 1 WHERE model = ?", (new,))


def _drop(db: Database, model: int) -> None:
    for table in _TABLES:
        db.execute(f"DELETE FROM {table} WHERE model = ?", (model,))  # noqa: S608 (names of ours)


def _remove(db: Database, kept: Iterable[tuple[int, int]]) -> None:
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


def _visible(db: Database, model: int, seen: Reach) -> Iterable[tuple[Any, ...]]:
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


def _homes(db: Database, model: int, rows: Collection[int]) -> dict[int, list[tuple[int, int]]]:
    homes: dict[int, list[tuple[int, int]]] = {}
    for row, chunk, slot in db.execute(
        "SELECT memory, chunk, slot FROM json_each(?) AS wanted"
        " CROSS JOIN vector_homes ON memory = wanted.value AND model = ?",
        (json.dumps(list(rows)), model),
    ):
        homes.setdefault(chunk, []).append((row, slot))
    return homes


def _append(db: Database, model: int, scope: int, wholes: Mapping[int, bytes]) -> None:
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
