"""Which models' vectors an index stores, and which memories wait for one.

The vectors are in the database's own tables or, where the settings name one, in a vector engine.
An engine is only called outside transactions: while it is slow or away, nobody waits for a lock.
Everything to be removed from it is listed in the table `removed_vectors` until that is done.
"""

# ruff: noqa: S608 - every piece of SQL here is our own; a caller's values are always bound.

from __future__ import annotations

import os

from ....model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from ....ports.vector_engine import VectorEntry
    from .tables import Tables

PURGE = 0
"""In place of a row in `removed_vectors`: take removed vectors out of the engine's files, too."""


class VectorModel(Value):
    """A model whose vectors are stored."""

    number: int
    name: str
    dimensions: int
    collection: str
    """Its collection in the vector engine; empty for vectors in the index's own tables."""


def stored_models(tables: Tables) -> list[VectorModel]:
    """The models whose vectors are stored, the one in use first."""
    rows = tables.execute("SELECT model, name FROM vector_models ORDER BY in_use DESC, model")
    found: list[VectorModel] = []
    for number, stored in rows.fetchall():
        name, _, end = stored.rpartition("/")
        dimensions, _, collection = end.partition("@")
        found.append(VectorModel(number, name, int(dimensions), collection))
    return found


def find_model(tables: Tables, name: str | None, dimensions: int | None) -> VectorModel | None:
    """The newest model of that name and width whose vectors are where this index stores them.

    Without a name: the model in use, for a width; the newest, without one.
    """
    here = [one for one in stored_models(tables) if bool(one.collection) == tables.external]
    if name is None and dimensions is not None:
        here = here[:1]
    fitting = [
        one for one in here if name in (None, one.name) and dimensions in (None, one.dimensions)
    ]
    return fitting[-1] if fitting else None


def use_model(tables: Tables, name: str, dimensions: int, *, switch: bool) -> bool:
    """Register a model; returns whether its vectors are accepted now.

    The vectors of the model in use stay until all of this one's are stored. Without `switch` a new
    model is not registered.
    """
    known = stored_models(tables)
    mine = find_model(tables, name, dimensions)
    if mine is not None and (not switch or len(known) == 1):
        return True
    if known and not switch:
        return False
    # Another model that was to take over is not wanted any more.
    for other in known[1:]:
        if other != mine:
            tables.drop_model(other.number)
    if mine is None:
        stored = f"{name}/{dimensions}"
        if tables.external:
            # A name of its own for each collection: rows are numbered anew in a new index.
            stored += f"@{os.urandom(6).hex()}"
        [(number,)] = tables.execute(
            "INSERT INTO vector_models (name, in_use) VALUES (?, ?) RETURNING model",
            (stored, not known),
        ).fetchall()
        tables.queue_all(number)
        _finish_switch(tables)
    return True


def waiting(tables: Tables, model: str) -> int:
    """How many memories wait for this model's vectors; 0 for a model that is not registered."""
    mine = find_model(tables, model, None)
    query = "SELECT count(*) FROM unembedded WHERE model = ?"
    [(count,)] = tables.execute(query, (mine.number if mine else None,)).fetchall()
    return count


def put(
    tables: Tables,
    vectors: Mapping[int, Sequence[bytes]],
    model: str,
    dimensions: int,
    *,
    complete: bool,
) -> bool:
    """Store vectors in the index's own tables; False without room or with another width."""
    mine = find_model(tables, model, dimensions)
    if mine is None or not _fit(vectors, dimensions):
        return False
    tables.put_vectors(vectors, mine.number, complete=complete)
    if complete:
        _finish_switch(tables)
    return True


def entries(
    tables: Tables, vectors: Mapping[int, Sequence[bytes]], model: str, dimensions: int
) -> tuple[VectorModel, list[VectorEntry]] | None:
    """A vector engine's entries for the memories that still wait; None where `put` says False."""
    from ....ports.vector_engine import VectorEntry

    mine = find_model(tables, model, dimensions)
    if mine is None or not _fit(vectors, dimensions):
        return None
    rows = tables.execute(
        "SELECT m.memory, s.path, coalesce(p.path, ''), coalesce(m.topic, '')"
        f" FROM {tables.dialect.named_rows()} JOIN unembedded AS u ON u.memory = m.memory"
        " JOIN scopes AS s ON s.scope = m.scope LEFT JOIN scopes AS p ON p.scope = m.parent"
        " WHERE u.model = ?",
        (tables.dialect.bind(vectors), mine.number),
    ).fetchall()
    return mine, [
        VectorEntry(row, scope, parent, topic, vectors[row]) for row, scope, parent, topic in rows
    ]


def mark_stored(
    tables: Tables, model: VectorModel, rows: Collection[int], *, complete: bool, anew: bool
) -> None:
    """Note that a vector engine has stored these rows; `anew` if it had lost the others."""
    if anew:
        tables.queue_all(model.number)
    dialect = tables.dialect
    bound = dialect.bind(rows)
    kept = {
        row for (row,) in tables.execute(f"SELECT m.memory FROM {dialect.named_rows()}", (bound,))
    }
    # Memories that went meanwhile, after their removal was done.
    _list_removed(tables, [(model.number, row) for row in rows if row not in kept])
    if complete:
        query = f"DELETE FROM unembedded WHERE memory {dialect.one_of} AND model = ?"
        tables.execute(query, (bound, model.number))
        _finish_switch(tables)


def queue_lost(tables: Tables, model: VectorModel) -> None:
    """Let every memory wait again for the vectors of a collection that is gone."""
    if model in stored_models(tables):
        tables.queue_all(model.number)


def has_stored(tables: Tables, model: VectorModel) -> bool:
    """Whether a memory's vector should be in the engine."""
    query = (
        "SELECT 1 FROM memories AS m WHERE NOT EXISTS"
        " (SELECT 1 FROM unembedded AS u WHERE u.memory = m.memory AND u.model = ?) LIMIT 1"
    )
    return tables.execute(query, (model.number,)).fetchone() is not None


def list_removed(tables: Tables, rows: Iterable[int], *, purge: bool = False) -> None:
    """List rows whose vectors a vector engine has to remove, whichever model made them."""
    gone = [*rows, *([PURGE] if purge else [])]
    models = [one.number for one in stored_models(tables) if one.collection]
    _list_removed(tables, [(model, row) for model in models for row in gone])


def removals(tables: Tables) -> dict[VectorModel, list[int]]:
    """Rows that a vector engine still has to remove, for each model stored there."""
    listed: dict[VectorModel, list[int]] = {
        one: [] for one in stored_models(tables) if one.collection
    }
    numbers = {one.number: one for one in listed}
    for number, row in tables.execute("SELECT model, memory FROM removed_vectors").fetchall():
        if number in numbers:
            listed[numbers[number]].append(row)
    return listed


def mark_removed(tables: Tables, done: Mapping[VectorModel, Collection[int]]) -> None:
    """Strike out what a vector engine has removed, and what belongs to models that are gone."""
    tables.execute_many(
        "DELETE FROM removed_vectors WHERE model = ? AND memory = ?",
        [(model.number, row) for model, rows in done.items() for row in rows],
    )
    tables.execute(
        "DELETE FROM removed_vectors WHERE model NOT IN (SELECT model FROM vector_models)"
    )


def _list_removed(tables: Tables, removed: Sequence[tuple[int, int]]) -> None:
    tables.execute_many("INSERT INTO removed_vectors VALUES (?, ?) ON CONFLICT DO NOTHING", removed)


def _finish_switch(tables: Tables) -> None:
    """A model that has all its vectors takes the place of the one in use."""
    known = stored_models(tables)
    if len(known) < 2:
        return
    old, new = known[0], known[-1]
    line = tables.execute("SELECT 1 FROM unembedded WHERE model = ? LIMIT 1", (new.number,))
    if line.fetchone() is None:
        tables.drop_model(old.number)
        tables.execute("UPDATE vector_models SET in_use = true WHERE model = ?", (new.number,))


def _fit(vectors: Mapping[int, Sequence[bytes]], dimensions: int) -> bool:
    return all(len(one) == dimensions for own in vectors.values() for one in own)
