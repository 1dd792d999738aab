"""Memories as the index holds them: by row, by condition, and counted."""

# ruff: noqa: S608 - every piece of SQL here is our own; a caller's values are always bound.

from __future__ import annotations

from ...ports import Where
from ...postgres.database import only
from ..sqlite.reading import AXES, MOST_SPEAKERS, ORDERS
from ..sqlite.rows import decoded
from .conditions import Condition, condition, fit, fitting, reach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from ...model import Memory
    from ...postgres.database import Connection
    from ...scope import Visible

_SIGNED = """
SELECT found.memory FROM unnest(%s::integer[], %s::bigint[]) AS asked (scope, signature)
CROSS JOIN LATERAL (
  SELECT s.memory FROM signatures AS s
  WHERE s.scope = asked.scope AND s.signature = asked.signature
  ORDER BY s.memory DESC LIMIT %s
) AS found
"""


def load(db: Connection, rows: Sequence[int]) -> dict[int, Memory]:
    """The memories in these rows, in their order."""
    found = {
        row: (decoded(bytes(document)), status)
        for row, document, status in db.execute(
            "SELECT m.memory, m.json, m.status FROM memories AS m WHERE m.memory = ANY(%s)",
            (list(rows),),
        ).fetchall()
    }
    return {row: _effective(db, *found[row]) for row in rows if row in found}


def select(
    db: Connection, where: Where, visible: Visible, *, order: str, limit: int, offset: int
) -> list[Memory]:
    """Memories that meet the conditions, in order."""
    seen = reach(db, visible)
    if seen.nothing:
        return []
    wanted = seen.condition() & condition(where)
    rows = db.execute(
        f"SELECT m.memory FROM memories AS m WHERE {wanted.sql}"
        f" ORDER BY {ORDERS[order]} LIMIT %s OFFSET %s",
        (*wanted.values, max(0, limit), max(0, offset)),
    ).fetchall()
    return list(load(db, [row for (row,) in rows]).values())


def alike(
    db: Connection,
    signatures: Mapping[str, Collection[int]],
    visible: Visible,
    where: Where,
    most: int,
) -> list[Memory]:
    """Memories with these signatures: of each signature the newest, so that no crowd costs more."""
    seen = reach(db, visible)
    scopes = db.execute(
        "SELECT scope, path FROM scopes WHERE path = ANY(%s)", (fitting(signatures),)
    ).fetchall()
    asked = [(scope, one) for scope, path in scopes for one in signatures[path]]
    if seen.nothing or not asked:
        return []
    numbers, signs = map(list, zip(*asked, strict=True))
    found = {row for (row,) in db.execute(_SIGNED, (numbers, signs, most))}
    wanted = seen.condition() & condition(where)
    kept = db.execute(
        f"SELECT m.memory FROM memories AS m WHERE m.memory = ANY(%s) AND {wanted.sql}"
        " ORDER BY m.memory DESC",
        (list(found), *wanted.values),
    ).fetchall()
    return list(load(db, [row for (row,) in kept]).values())


def count(db: Connection, where: Where, visible: Visible, by: str) -> dict[str, int]:
    """How many memories meet the conditions, by one of their axes."""
    seen = reach(db, visible)
    if seen.nothing:
        return {}
    wanted = seen.condition() & condition(where) & Condition(f"{AXES[by]} IS NOT NULL")
    rows = db.execute(
        f"SELECT {AXES[by]}, count(*) FROM memories AS m JOIN scopes ON scopes.scope = m.scope"
        f" WHERE {wanted.sql} GROUP BY 1 ORDER BY 1",
        wanted.values,
    )
    return dict(rows.fetchall())


def speakers(db: Connection, visible: Visible) -> list[str]:
    """Who is heard in the visible conversations."""
    seen = reach(db, visible)
    if seen.nothing:
        return []
    wanted = seen.condition()
    rows = db.execute(
        "SELECT DISTINCT m.speaker FROM memories AS m"
        f" WHERE m.speaker IS NOT NULL AND {wanted.sql} ORDER BY 1 LIMIT {MOST_SPEAKERS}",
        wanted.values,
    )
    return [speaker for (speaker,) in rows]


def unembedded(
    db: Connection, visible: Visible, limit: int, ids: Collection[str] | None, model: int | None
) -> dict[int, Memory]:
    """Memories in line for vectors, newest first: what was just said is asked about first.

    A text that changes moves to another row, so the row says which text was embedded. Before
    there is any model, everything waits.
    """
    seen = reach(db, visible)
    if seen.nothing:
        return {}
    wanted = seen.condition() & condition(Where(ids=None if ids is None else tuple(ids)))
    line = "" if model is None else "JOIN unembedded AS u ON m.memory = u.memory AND u.model = %s"
    rows = db.execute(
        f"SELECT m.memory FROM memories AS m {line} WHERE {wanted.sql}"
        " ORDER BY m.memory DESC LIMIT %s",
        (*(() if model is None else (model,)), *wanted.values, limit),
    ).fetchall()
    return load(db, [row for (row,) in rows])


def _effective(db: Connection, memory: Memory, status: str) -> Memory:
    """The memory as readers see it: superseded as soon as its successor exists."""
    if memory.status == status:
        return memory
    newer = only(
        db,
        "SELECT id FROM memories WHERE supersedes = %s ORDER BY created DESC, id DESC LIMIT 1",
        (fit(memory.id),),
    )
    return memory.but(status=status, superseded_by=memory.superseded_by or newer)
