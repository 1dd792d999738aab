"""Audit events in a table: found by id, by memory and by time, and the tombstones among them."""

from __future__ import annotations

import json

from ..errors import BadScope
from ..rules import chain
from ..rules.codec import iso
from ..scope import Scope
from ..sqlite import seen_by, task_parent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from datetime import datetime
    from typing import Any

    from ..model import Event
    from ..scope import Visible
    from ..sqlite import Database
    from .database import LedgerDatabase

PURGED = "purged"
"""The action whose events are tombstones."""

SCHEMA = """
CREATE TABLE IF NOT EXISTS events(
  row INTEGER PRIMARY KEY, chain TEXT NOT NULL, number INTEGER NOT NULL, id TEXT NOT NULL,
  at TEXT NOT NULL, memory TEXT NOT NULL, scope TEXT NOT NULL, task_parent TEXT,
  line TEXT NOT NULL,
  UNIQUE(chain, number, id) -- in a chain somebody forged, a number may come twice
);
CREATE INDEX IF NOT EXISTS events_by_id ON events(id);
CREATE INDEX IF NOT EXISTS events_by_time ON events(at);
CREATE TABLE IF NOT EXISTS event_memories(
  memory TEXT NOT NULL, event INTEGER NOT NULL, PRIMARY KEY(memory, event)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tombstones(number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE);
"""


class History:
    """The events of one or more chains. What was once seen stays, whatever becomes of its file."""

    def __init__(self, database: LedgerDatabase) -> None:
        self._database = database
        database.add_tables(SCHEMA)

    def add(self, db: Database, name: str, linked: Iterable[chain.Linked]) -> None:
        """Take up events of a chain, inside a transaction; one already known is left as it is."""
        for one in linked:
            event = one.event
            db.execute(
                "INSERT OR IGNORE INTO events VALUES(NULL, ?, ?, ?, ?, ?, ?, ?, ?)",
                (name, one.number, *_columns(event), chain.to_line(one)),
            )
            if not db.changes():
                continue
            row = db.last_insert_rowid()
            db.executemany(
                "INSERT OR IGNORE INTO event_memories VALUES(?, ?)",
                [(memory, row) for memory in (event.memory, *event.related)],
            )
            self.bury(db, event)

    def bury(self, db: Database, event: Event) -> None:
        """Remember what a purge removed: its memory's id, and its text by digest."""
        if event.action == PURGED:
            db.executemany(
                "INSERT OR IGNORE INTO tombstones(key) VALUES(?)",
                [(key,) for key in (event.memory, event.digest) if key],
            )

    def lines(self, db: Database, name: str) -> list[str]:
        """Everything that is known of a chain, in its order."""
        rows = db.execute("SELECT line FROM events WHERE chain = ? ORDER BY number", (name,))
        return [line for (line,) in rows]

    def find(
        self,
        *,
        visible: Visible,
        ids: Collection[str] | None = None,
        memories: Collection[str] | None = None,
        since: datetime | None = None,
        limit: int = 100,
    ) -> list[Event]:
        """Events newest first; those of a memory include the ones that merely involve it."""
        condition, values = seen_by(visible)
        conditions, bindings = [condition], {**values, "limit": str(max(limit, 0))}
        if ids is not None:
            conditions.append("id IN (SELECT value FROM json_each(:ids))")
            bindings["ids"] = json.dumps(list(ids))
        if memories is not None:
            conditions.append(
                "row IN (SELECT event FROM event_memories"
                " WHERE memory IN (SELECT value FROM json_each(:memories)))"
            )
            bindings["memories"] = json.dumps(list(memories))
        if since is not None:
            conditions.append("at >= :since")
            bindings["since"] = iso(since)
        with self._database.reading() as db:
            rows = db.execute(
                f"SELECT line FROM events WHERE {' AND '.join(conditions)}"  # noqa: S608 (all ours)
                " ORDER BY at DESC, chain, number DESC, row DESC LIMIT CAST(:limit AS INTEGER)",
                bindings,
            ).fetchall()
        return [one.event for one in readable(line for (line,) in rows)]

    def buried(self, keys: Collection[str]) -> set[str]:
        """Which of these memory ids or digests were purged."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT key FROM tombstones WHERE key IN (SELECT value FROM json_each(?))",
                (json.dumps(list(keys)),),
            ).fetchall()
        return {key for (key,) in rows}

    def burials(self) -> int:
        """How many tombstones there are: rows are never removed, so the last one tells."""
        with self._database.reading() as db:
            return db.execute("SELECT coalesce(max(number), 0) FROM tombstones").get


def readable(lines: Iterable[str]) -> Iterator[chain.Linked]:
    """The events of these lines; one that does not read is left to `verify`."""
    for line in lines:
        try:
            yield chain.from_line(line)
        except ValueError:
            continue


def agrees(linked: chain.Linked, columns: tuple[Any, ...]) -> bool:
    """Whether the columns (id, at, memory, scope, task_parent) say what the event itself says."""
    return columns == _columns(linked.event)


def _columns(event: Event) -> tuple[Any, ...]:
    try:
        parent = task_parent(Scope.parse(event.scope))
    except BadScope:
        parent = None
    return (event.id, iso(event.at), event.memory, event.scope, parent)
