"""Memories as the index holds them: by row, by condition, and counted."""

# ruff: noqa: S608 - every piece of SQL here is our own; a caller's values are always bound.

from __future__ import annotations

from ....ports.search_index import Where
from .rows import decoded
from .tables import Condition, condition, reach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from ....model.memory import Memory
    from ....model.scope import Visible
    from .tables import Tables


_MOST_SPEAKERS = 200
_ORDERS = {
    "newest": "m.created DESC, m.id DESC",
    "oldest": "m.created, m.id",
    "updated": "m.updated DESC, m.id DESC",
    "name": "m.name, m.id",
}
_AXES = {"scope": "scopes.path", "kind": "m.kind", "status": "m.status", "topic": "m.topic"}


def load(tables: Tables, rows: Sequence[int]) -> dict[int, Memory]:
    """The memories in these rows, in their order."""
    dialect = tables.dialect
    stored = {
        row: (bytes(document), status)
        for row, document, status in tables.execute(
            f"SELECT m.memory, {dialect.document}, m.status"
            f" FROM {dialect.named_rows()}{dialect.documents}",
            (dialect.bind(rows),),
        ).fetchall()
    }
    return {row: _effective(tables, *stored[row]) for row in rows if row in stored}


def select(
    tables: Tables, where: Where, visible: Visible, *, order: str, limit: int, offset: int
) -> list[Memory]:
    """Memories that meet the conditions, in order."""
    seen = reach(tables, visible)
    if seen.nothing:
        return []
    wanted = seen.condition(tables.dialect) & condition(tables.dialect, where)
    rows = tables.execute(
        f"SELECT m.memory FROM memories AS m WHERE {wanted.sql}"
        f" ORDER BY {_ORDERS[order]} LIMIT ? OFFSET ?",
        (*wanted.values, max(0, limit), max(0, offset)),
    ).fetchall()
    return list(load(tables, [row for (row,) in rows]).values())


def alike(
    tables: Tables,
    signatures: Mapping[str, Collection[int]],
    visible: Visible,
    where: Where,
    most: int,
) -> list[Memory]:
    """Memories with these signatures: of each signature the newest, so that no crowd costs more."""
    dialect = tables.dialect
    seen = reach(tables, visible)
    scopes = tables.execute(
        f"SELECT scope, path FROM scopes WHERE path {dialect.one_of}",
        (dialect.texts(signatures),),
    ).fetchall()
    asked = [(scope, one) for scope, path in scopes for one in signatures[path]]
    if seen.nothing or not asked or not (found := tables.signed(asked, most)):
        return []
    wanted = seen.condition(dialect) & condition(dialect, where)
    kept = tables.execute(
        f"SELECT m.memory FROM {dialect.named_rows()} WHERE {wanted.sql} ORDER BY m.memory DESC",
        (dialect.bind(found), *wanted.values),
    ).fetchall()
    return list(load(tables, [row for (row,) in kept]).values())


def count(tables: Tables, where: Where, visible: Visible, by: str) -> dict[str, int]:
    """How many memories meet the conditions, by one of their axes."""
    seen = reach(tables, visible)
    if seen.nothing:
        return {}
    axis = _AXES[by]
    wanted = seen.condition(tables.dialect) & condition(tables.dialect, where)
    wanted &= Condition(f"{axis} IS NOT NULL")
    rows = tables.execute(
        f"SELECT {axis}, count(*) FROM memories AS m JOIN scopes ON scopes.scope = m.scope"
        f" WHERE {wanted.sql} GROUP BY 1 ORDER BY 1",
        wanted.values,
    )
    return dict(rows.fetchall())


def speakers(tables: Tables, visible: Visible) -> list[str]:
    """Who is heard in the visible conversations."""
    seen = reach(tables, visible)
    if seen.nothing:
        return []
    wanted = seen.condition(tables.dialect)
    rows = tables.execute(
        "SELECT DISTINCT m.speaker FROM memories AS m"
        f" WHERE m.speaker IS NOT NULL AND {wanted.sql} ORDER BY 1 LIMIT {_MOST_SPEAKERS}",
        wanted.values,
    )
    return [speaker for (speaker,) in rows]


def unembedded(
    tables: Tables, visible: Visible, limit: int, ids: Collection[str] | None, model: int | None
) -> dict[int, Memory]:
    """Memories in line for vectors, newest first: what was just said is asked about first.

    A text that changes moves to another row, so the row says which text was embedded. Before
    there is any model, everything waits.
    """
    seen = reach(tables, visible)
    if seen.nothing:
        return {}
    asked = Where(ids=None if ids is None else tuple(ids))
    wanted = seen.condition(tables.dialect) & condition(tables.dialect, asked)
    line = "" if model is None else "JOIN unembedded AS u ON m.memory = u.memory AND u.model = ?"
    rows = tables.execute(
        f"SELECT m.memory FROM memories AS m {line} WHERE {wanted.sql}"
        " ORDER BY m.memory DESC LIMIT ?",
        (*(() if model is None else (model,)), *wanted.values, limit),
    ).fetchall()
    return load(tables, [row for (row,) in rows])


def _effective(tables: Tables, document: bytes, status: str) -> Memory:
    """The memory as readers see it: superseded as soon as its successor exists."""
    memory = decoded(document)
    if memory.status == status:
        return memory
    newer = tables.execute(
        "SELECT id FROM memories WHERE supersedes = ? ORDER BY created DESC, id DESC LIMIT 1",
        (tables.dialect.text(memory.id),),
    ).fetchone()
    successor = memory.superseded_by or (newer[0] if newer else None)
    return memory.but(status=status, superseded_by=successor)


# Whose vectors an index keeps.


def use_model(tables: Tables, model: str, dimensions: int, *, switch: bool) -> bool:
    """Make room for this model's vectors, beside those of the one in use until all are there.

    Without `switch` nothing is begun for a model that has no room yet, and False says so.
    """
    known = numbers(tables)
    name = _name(model, dimensions)
    if name in known and (not switch or len(known) == 1):
        return True
    if known and not switch:
        return False
    # Whatever else was on its way is not wanted any more.
    for other in list(known)[1:]:
        if other != name:
            tables.drop_model(known[other])
    if name not in known:
        [(number,)] = tables.execute(
            "INSERT INTO vector_models (name, in_use) VALUES (?, ?) RETURNING model",
            (name, not known),
        ).fetchall()
        tables.line_up(number)
        finish(tables)
    return True


def finish(tables: Tables) -> None:
    """A model that has all its vectors takes the place of the one in use."""
    known = list(numbers(tables).values())
    if len(known) < 2:
        return
    old, new = known[0], known[-1]
    line = tables.execute("SELECT 1 FROM unembedded WHERE model = ? LIMIT 1", (new,))
    if line.fetchone() is None:
        tables.drop_model(old)
        tables.execute("UPDATE vector_models SET in_use = true WHERE model = ?", (new,))


def numbers(tables: Tables) -> dict[str, int]:
    """The models whose vectors are kept, by name and width: the one in use first."""
    query = "SELECT name, model FROM vector_models ORDER BY in_use DESC, model"
    return dict(tables.execute(query).fetchall())


def models(tables: Tables) -> list[str]:
    """The models whose vectors are kept: the one in use, then one that will take its place."""
    return [name.rpartition("/")[0] for name in numbers(tables)]


def waiting(tables: Tables, model: str) -> int:
    """How many memories wait for this model's vectors; 0 as well where there is no room for any."""
    query = "SELECT count(*) FROM unembedded WHERE model = ?"
    [(count,)] = tables.execute(query, (in_line(tables, model),)).fetchall()
    return count


def in_line(tables: Tables, model: str | None) -> int | None:
    """The number of the model whose line is meant; the newest for None; None if there is none."""
    known = numbers(tables).items()
    named = [number for name, number in known if model in (None, name.rpartition("/")[0])]
    return named[-1] if named else None


def comparable(tables: Tables, vector: bytes, model: str | None) -> int | None:
    """The number of the model that a question's vector can be compared with, if any.

    Without a name that is the model in use, as far as the width is right.
    """
    known = numbers(tables)
    if model is None:
        name = next(iter(known), "")
        return known[name] if name.endswith(_name("", len(vector))) else None
    return known.get(_name(model, len(vector)))


def put(
    tables: Tables,
    vectors: Mapping[int, Sequence[bytes]],
    model: str,
    dimensions: int,
    *,
    complete: bool,
) -> bool:
    """Keep vectors of memories; False where the model has no room or the width is not right."""
    number = numbers(tables).get(_name(model, dimensions))
    if number is None or any(len(one) != dimensions for own in vectors.values() for one in own):
        return False
    tables.put_vectors(vectors, number, complete=complete)
    if complete:
        finish(tables)
    return True


def _name(model: str, dimensions: int) -> str:
    return f"{model}/{dimensions}"
