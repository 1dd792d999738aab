"""Memories as the index holds them: by row, by condition, and counted."""

# ruff: noqa: S608 - every piece of SQL here is our own; a caller's values are always bound.

from __future__ import annotations

import json

from ...ports import Where
from .conditions import Condition, condition, reach
from .rows import decoded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from ...model import Memory
    from ...scope import Visible
    from ...sqlite import Database

MOST_SPEAKERS = 200
ORDERS = {
    "newest": "m.created DESC, m.id DESC",
    "oldest": "m.created, m.id",
    "updated": "m.updated DESC, m.id DESC",
    "name": "m.name, m.id",
}
_SIGNED = (
    "SELECT memory FROM signatures WHERE scope = ? AND signature = ? ORDER BY memory DESC LIMIT ?"
)
AXES = {"scope": "scopes.path", "kind": "m.kind", "status": "m.status", "topic": "m.topic"}


def load(db: Database, rows: Sequence[int]) -> dict[int, Memory]:
    """The memories in these rows."""
    return {
        row: _effective(db, decoded(document), status)
        for row, document, status in db.execute(
            "SELECT m.memory, d.json, m.status FROM json_each(?) AS wanted"
            " CROSS JOIN memories AS m ON m.memory = wanted.value"
            " JOIN documents AS d ON d.memory = m.memory",
            (json.dumps(rows),),
        ).fetchall()
    }


def select(
    db: Database, where: Where, visible: Visible, *, order: str, limit: int, offset: int
) -> list[Memory]:
    """Memories that meet the conditions, in order."""
    seen = reach(db, visible)
    if seen.nothing:
        return []
    wanted = seen.condition() & condition(where)
    rows = [
        row
        for (row,) in db.execute(
            f"SELECT m.memory FROM memories AS m WHERE {wanted.sql}"
            f" ORDER BY {ORDERS[order]} LIMIT ? OFFSET ?",
            (*wanted.values, max(0, limit), max(0, offset)),
        )
    ]
    found = load(db, rows)
    return [found[row] for row in rows]


def alike(
    db: Database,
    signatures: Mapping[str, Collection[int]],
    visible: Visible,
    where: Where,
    most: int,
) -> list[Memory]:
    """Memories with these signatures: of each signature the newest, so that no crowd costs more."""
    seen = reach(db, visible)
    scopes = db.execute(
        "SELECT scope, path FROM scopes WHERE path IN (SELECT value FROM json_each(?))",
        (json.dumps(list(signatures)),),
    ).fetchall()
    asked = ((scope, one, most) for scope, path in scopes for one in signatures[path])
    found = {row for (row,) in db.executemany(_SIGNED, asked)}
    if seen.nothing or not found:
        return []
    wanted = seen.condition() & condition(where)
    kept = db.execute(
        "SELECT m.memory FROM json_each(?) AS found"
        f" CROSS JOIN memories AS m ON m.memory = found.value WHERE {wanted.sql}",
        (json.dumps(sorted(found, reverse=True)), *wanted.values),
    )
    return list(load(db, [row for (row,) in kept]).values())


def count(db: Database, where: Where, visible: Visible, by: str) -> dict[str, int]:
    """How many memories meet the conditions, by one of their axes."""
    seen = reach(db, visible)
    if seen.nothing:
        return {}
    wanted = seen.condition() & condition(where) & Condition(f"{AXES[by]} IS NOT NULL")
    return dict(
        db.execute(
            f"SELECT {AXES[by]}, count(*) FROM memories AS m JOIN scopes ON scopes.scope = m.scope"
            f" WHERE {wanted.sql} GROUP BY 1 ORDER BY 1",
            wanted.values,
        ).fetchall()
    )


def speakers(db: Database, visible: Visible) -> list[str]:
    """Who is heard in the visible conversations."""
    seen = reach(db, visible)
    if seen.nothing:
        return []
    wanted = seen.condition()
    return [
        speaker
        for (speaker,) in db.execute(
            f"SELECT DISTINCT m.speaker FROM memories AS m"
            f" WHERE m.speaker IS NOT NULL AND {wanted.sql} ORDER BY 1 LIMIT {MOST_SPEAKERS}",
            wanted.values,
        )
    ]


def unembedded(
    db: Database, visible: Visible, limit: int, ids: Collection[str] | None, model: int | None
) -> dict[int, Memory]:
    """Memories in line for vectors, newest first: what was just said is asked about first.

    A text that changes moves to another row, so the row says which text was embedded. Before
    there is any model, everything waits.
    """
    seen = reach(db, visible)
    if seen.nothing:
        return {}
    wanted = seen.condition() & condition(Where(ids=None if ids is None else tuple(ids)))
    line = "" if model is None else "JOIN unembedded AS u ON m.memory = u.memory AND u.model = ?"
    rows = db.execute(
        f"SELECT m.memory FROM memories AS m {line} WHERE {wanted.sql}"
        " ORDER BY m.memory DESC LIMIT ?",
        (*(() if model is None else (model,)), *wanted.values, limit),
    )
    return load(db, [row for (row,) in rows])


def _effective(db: Database, memory: Memory, status: str) -> Memory:
    """The memory as readers see it: superseded as soon as its successor exists."""
    if memory.status == status:
        return memory
    newer = db.execute(
        "SELECT id FROM memories WHERE supersedes = ? ORDER BY created DESC, id DESC LIMIT 1",
        (memory.id,),
    ).get
    return memory.but(status=status, superseded_by=memory.superseded_by or newer)
