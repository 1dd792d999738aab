"""Audit events in a table: found by id, by memory and by time, and the tombstones among them."""

from __future__ import annotations

import json
from _thread import RLock
from contextlib import contextmanager
from functools import lru_cache

from ....model.codec import iso
from ....model.errors import BadScope, LedgerUnavailable
from ....model.scope import Scope
from ....rules import audit
from ..sqlite import called, connect, mapped, of_tenant, seen_by, sweep, task_parent, transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime
    from typing import Any

    from ....model.memory import Event
    from ....model.scope import Tenant, Visible
    from ..sqlite import SqliteConnection


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


class EventTable:
    """The events of one or more chains. What was once seen stays, whatever becomes of its file."""

    def __init__(self, database: LedgerDatabase) -> None:
        self._database = database
        database.add_tables(SCHEMA)

    def add(
        self,
        db: SqliteConnection,
        name: str,
        linked: Iterable[audit.Linked],
        lines: Sequence[str] | None = None,
    ) -> None:
        """Take up events of a chain, inside a transaction; one already known is left as it is.

        `lines` are the events as they are written, where somebody has written them already.
        """
        given = list(linked)
        lines = [audit.to_line(one) for one in given] if lines is None else lines
        last = db.execute("SELECT coalesce(max(row), 0) FROM events").get
        db.executemany(
            "INSERT OR IGNORE INTO events VALUES(NULL, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (name, one.number, *_columns(one.event), line)
                for one, line in zip(given, lines, strict=True)
            ],
        )
        added = db.execute("SELECT number, id, row FROM events WHERE row > ?", (last,))
        rows = {(number, id): row for number, id, row in added}
        new = [(rows.pop(place), one.event) for one in given if (place := _place(one)) in rows]
        db.executemany(
            "INSERT OR IGNORE INTO event_memories VALUES(?, ?)",
            [(memory, row) for row, event in new for memory in (event.memory, *event.related)],
        )
        for _, event in new:
            self.bury(db, event)

    def bury(self, db: SqliteConnection, event: Event) -> None:
        """Remember what a purge removed: its memory's id, and its text by digest."""
        if event.action == audit.PURGED:
            db.executemany(
                "INSERT OR IGNORE INTO tombstones(key) VALUES(?)",
                [(key,) for key in (event.memory, event.digest) if key],
            )

    def lines(self, db: SqliteConnection, name: str) -> list[str]:
        """Everything that is known of a chain, in its order."""
        rows = db.execute("SELECT line FROM events WHERE chain = ? ORDER BY number", (name,))
        return [line for (line,) in rows]

    def every_line(self, after: Mapping[str, int] | None = None) -> Iterator[tuple[str, str]]:
        """Everything that is known of every chain, each in its order."""
        with self._database.reading() as db:
            names = db.execute("SELECT DISTINCT chain FROM events ORDER BY chain").fetchall()
        for (name,) in names:
            for line in self._lines_after(name, (after or {}).get(name, 0)):
                yield name, line

    def _lines_after(self, name: str, number: int) -> Iterator[str]:
        # Any id sorts before the one-character text after all ids.
        last: tuple[Any, ...] = (number, "\U0010ffff")
        while True:
            with self._database.reading() as db:
                rows = db.execute(
                    "SELECT number, id, line FROM events WHERE chain = ? AND (number, id) > (?, ?)"
                    " ORDER BY number, id LIMIT 1000",
                    (name, *last),
                ).fetchall()
            if not rows:
                return
            last = rows[-1][:2]
            yield from (line for _, _, line in rows)

    def count(self, tenant: Tenant, since: datetime) -> int:
        """How many changes of a tenant's memories there are since then."""
        condition, values = of_tenant(tenant)
        refused, contradicted = audit.marks(audit.TOLD_ONLY)
        with self._database.reading() as db:
            return db.execute(
                "SELECT count(*) FROM events WHERE at >= :since AND instr(line, :refused) = 0"  # noqa: S608
                f" AND instr(line, :contradicted) = 0 AND {condition}",
                {**values, "since": iso(since), "refused": refused, "contradicted": contradicted},
            ).get

    def empty(self, db: SqliteConnection, tenant: Tenant, erasure: Event) -> int:
        """Take the words out of a tenant's events and of those of memories erased with it."""
        condition, values = of_tenant(tenant)
        rows = db.execute(
            "SELECT row, line FROM events"  # noqa: S608 (all ours)
            f" WHERE {condition} OR memory IN (SELECT memory FROM events WHERE row IN"
            " (SELECT event FROM event_memories WHERE memory = :erasure))",
            {**values, "erasure": erasure.id},
        ).fetchall()
        changed = 0
        for row, line in rows:
            for one in emptied([line], tenant, erasure):
                _, _, _, scope, parent = _columns(one.event)
                db.execute(
                    "UPDATE events SET scope=?, task_parent=?, line=? WHERE row=?",
                    (scope, parent, audit.to_line(one), row),
                )
                changed += 1
        return changed

    def emptied_lines(self, db: SqliteConnection) -> dict[str, str]:
        """The lines of events whose words were taken out, by their ids."""
        mark = json.dumps(json.dumps({audit.ERASED: ""})[:-2])[1:-1]
        rows = db.execute("SELECT id, line FROM events WHERE instr(line, ?)", (mark,))
        return dict(rows.fetchall())

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


def readable(lines: Iterable[str]) -> Iterator[audit.Linked]:
    """The events of these lines; one that does not read is left to `verify`."""
    for line in lines:
        try:
            yield audit.from_line(line)
        except ValueError:
            continue


def emptied(lines: Iterable[str], tenant: Tenant, erasure: Event) -> Iterator[audit.Linked]:
    """Those of some events that say more than an erasure leaves, without what they said."""
    for one in readable(lines):
        event, scope = one.event, one.event.scope
        # What came later belongs to a user who came back.
        if event.at > erasure.at or event.action == audit.ERASED or audit.erasure_of(event):
            continue
        kept = erasure.scope if tenant.has(scope) else scope
        if (kept, "{}") != (scope, event.before):
            yield audit.emptied(one, erasure, scope=kept)


def agrees(linked: audit.Linked, columns: tuple[Any, ...]) -> bool:
    """Whether the columns (id, at, memory, scope, task_parent) say what the event itself says."""
    return columns == _columns(linked.event)


def _place(linked: audit.Linked) -> tuple[int, str]:
    return linked.number, linked.event.id


def _columns(event: Event) -> tuple[Any, ...]:
    return (event.id, iso(event.at), event.memory, event.scope, _parent(event.scope))


@lru_cache(maxsize=1024)
def _parent(scope: str) -> str | None:
    try:
        return task_parent(Scope.parse(scope))
    except BadScope:
        return None


# A SQLite file that a ledger keeps tables in, shared by the threads of a process.


class LedgerDatabase:
    """One connection, used by one thread at a time; what SQLite raises is put into our words."""

    def __init__(self, path: str, *, durable: bool) -> None:
        self.path = path
        self.what = called(path)
        self.lock = RLock()
        self.connection: SqliteConnection = connect(
            path, durable=durable, failure=LedgerUnavailable
        )

    @contextmanager
    def reading(self) -> Generator[SqliteConnection]:
        """Use the connection."""
        with self.lock, mapped(LedgerUnavailable, self.what):
            yield self.connection

    @contextmanager
    def writing(self) -> Generator[SqliteConnection]:
        """Use the connection in one transaction; no other process writes meanwhile."""
        with self.reading() as db, transaction(db):
            yield db

    def add_tables(self, schema: str) -> None:
        """Make tables that are not there yet."""
        with self.reading() as db:
            db.execute(schema)

    def sweep(self) -> bool:
        """Leave nothing of what was deleted in the file or its log; False when that is in use."""
        with self.reading() as db:
            return sweep(db)

    def close(self) -> None:
        """Let go of the file."""
        with self.lock:
            self.connection.close()
