"""Read memories from the index: by row, by condition, by signature, and counted."""

# ruff: noqa: S608 - every piece of SQL here is our own; a caller's values are always bound.

from __future__ import annotations

from ....ports.search_index import Where
from .tables import Condition, condition, visible_scopes
from .values import decoded

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
_AXES = {
    "scope": "scopes.path",
    "kind": "m.kind",
    "status": "m.status",
    "topic": "m.topic",
    "tier": "m.tier",
    "source": "m.source",
    "tag": "tags.value",
}
_TAGS = " JOIN labels AS tags ON tags.memory = m.memory AND tags.what = 'tag'"


def load(tables: Tables, rows: Sequence[int]) -> dict[int, Memory]:
    """The memories in these rows, in their order."""
    if not rows:
        return {}
    dialect = tables.dialect
    stored = {
        row: (dialect.unpack(document), status)
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
    seen = visible_scopes(tables, visible)
    if seen.nothing:
        return []
    narrow = where.keys or where.heirs_of or where.replaced_by
    wanted = seen.condition(tables.dialect, first=not narrow) & condition(tables.dialect, where)
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
    """Memories with these signatures, the newest of each: a frequent one costs no more."""
    dialect = tables.dialect
    seen = visible_scopes(tables, visible)
    scopes = tables.execute(
        f"SELECT scope, path FROM scopes WHERE path {dialect.one_of}",
        (dialect.texts(signatures),),
    ).fetchall()
    asked = [(scope, one) for scope, path in scopes for one in signatures[path]]
    if seen.nothing or not asked or not (found := tables.rows_with_signatures(asked, most)):
        return []
    wanted = seen.condition(dialect) & condition(dialect, where)
    kept = tables.execute(
        f"SELECT m.memory FROM {dialect.named_rows()} WHERE {wanted.sql} ORDER BY m.memory DESC",
        (dialect.bind(found), *wanted.values),
    ).fetchall()
    return list(load(tables, [row for (row,) in kept]).values())


def count(tables: Tables, where: Where, visible: Visible, by: str) -> dict[str, int]:
    """How many memories meet the conditions, by one of their axes."""
    seen = visible_scopes(tables, visible)
    if seen.nothing:
        return {}
    axis = _AXES[by]
    wanted = seen.condition(tables.dialect) & condition(tables.dialect, where)
    wanted &= Condition(f"{axis} IS NOT NULL")
    rows = tables.execute(
        f"SELECT {axis}, count(*) FROM memories AS m JOIN scopes ON scopes.scope = m.scope"
        f"{_TAGS if by == 'tag' else ''} WHERE {wanted.sql} GROUP BY 1 ORDER BY 1",
        wanted.values,
    )
    return dict(rows.fetchall())


def places(tables: Tables, where: Where, visible: Visible) -> dict[str, str]:
    """The places of memories that meet the conditions, each with the id of one of them."""
    seen = visible_scopes(tables, visible)
    if seen.nothing:
        return {}
    wanted = seen.condition(tables.dialect, first=False) & condition(tables.dialect, where)
    # Joined in this order: the conditions meet few memories, and most memories have a place.
    rows = tables.execute(
        "SELECT learned.value, min(m.id) FROM memories AS m CROSS JOIN labels AS learned"
        " WHERE learned.memory = m.memory AND learned.what = 'learned'"
        f" AND {wanted.sql} GROUP BY 1 ORDER BY 1",
        wanted.values,
    )
    return dict(rows.fetchall())


def speakers(tables: Tables, visible: Visible) -> list[str]:
    """The speakers of the visible conversations."""
    seen = visible_scopes(tables, visible)
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
    """Memories that wait for vectors, newest first, since those are asked about first.

    A changed text gets another row, so the row identifies the embedded text. Before there is any
    model, every memory waits.
    """
    seen = visible_scopes(tables, visible)
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
