"""The tables of audit events and tombstones: added to, searched and emptied of erased words."""

# ruff: noqa: S608 - every piece of SQL here is our own; values are always bound.

from __future__ import annotations

from ....model.codec import iso
from ....model.quick_json import write_json
from ..sql_dialect import storable, task_parent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime
    from typing import Any

    from ....model.memory import Event
    from ....model.scope import Tenant, Visible
    from ....rules import audit
    from .database import LedgerConnection, LedgerDatabase


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
"""For SQLite; PostgreSQL has its own schema."""
CHECKED = ("id", "at", "memory", "scope", "task_parent")
"""The columns that repeat what an event's line says."""
PAGE = 1000
LAST_KEY = (1 << 63) - 1
"""No event has a key above this."""


class EventTable:
    """The events of one or more chains. An event stays, also when its file is gone."""

    def __init__(self, database: LedgerDatabase) -> None:
        self._database = database
        self._dialect = database.dialect

    def add(
        self,
        db: LedgerConnection,
        chain: str,
        linked: Sequence[audit.Linked],
        lines: Sequence[str] | None = None,
    ) -> None:
        """Add events to a chain, inside a transaction; those already there stay as they are.

        `lines` are the events as text, where the caller has it already.
        """
        # Imported here and below, because no recall needs it.
        from ....rules import audit

        if not linked:
            return
        self.bury(db, (one.event for one in linked))
        new = self._new_rows(db, chain, linked, lines or [audit.to_line(one) for one in linked])
        self._insert(db, "events", self._dialect.event_columns, new)
        memories = [
            {**row, "memory": memory, "event": row[self._dialect.event_key]}
            for row in new
            for memory in row["memories"]
        ]
        self._insert(db, "event_memories", self._dialect.event_memory_columns, memories)

    def _new_rows(
        self,
        db: LedgerConnection,
        chain: str,
        linked: Sequence[audit.Linked],
        lines: Sequence[str],
    ) -> list[dict[str, Any]]:
        """A row for each event that is not in the table, with all columns of either engine."""
        places = {
            (one.number, one.event.id): (one, line) for one, line in zip(linked, lines, strict=True)
        }
        numbers = [one.number for one in linked]
        # In one trip to a server, where other writers of the chain wait meanwhile.
        rows = db.execute(
            "SELECT last.key, known.number, known.id FROM"
            f" (SELECT coalesce(max({self._dialect.event_key}), 0) AS key FROM events) AS last"
            f" LEFT JOIN (SELECT number, id FROM {self._dialect.events}"
            " WHERE chain = ? AND number >= ? AND number <= ?) AS known ON true",
            (chain, min(numbers), max(numbers)),
        ).fetchall()
        last = rows[0][0]
        for _, *place in rows:
            places.pop((place[0], place[1]), None)
        return [
            {
                "row": last + count,
                "chain": chain,
                "number": one.number,
                **dict(zip(CHECKED, checked_values(one.event), strict=True)),
                "line": line,
                "memories": dict.fromkeys((one.event.memory, *one.event.related)),
            }
            for count, (one, line) in enumerate(places.values(), 1)
        ]

    def _insert(
        self,
        db: LedgerConnection,
        table: str,
        columns: Sequence[str],
        rows: Sequence[Mapping[str, object]],
    ) -> None:
        marks = ", ".join("?" * len(columns))
        db.executemany(
            f"INSERT INTO {table}({', '.join(columns)}) VALUES({marks}) ON CONFLICT DO NOTHING",
            [tuple(row[column] for column in columns) for row in rows],
        )

    def bury(self, db: LedgerConnection, events: Iterable[Event]) -> None:
        """Add the tombstones of purges: the memory's id, and the digest of its text."""
        from ....rules import audit

        keys = [
            (key,)
            for event in events
            if event.action == audit.PURGED
            for key in (event.memory, event.digest)
            if key
        ]
        # No other transaction writes, so that counting tombstones gives a new number.
        db.executemany(
            "INSERT INTO tombstones(number, key) SELECT coalesce(max(number), 0) + 1, ?"
            " FROM tombstones WHERE true ON CONFLICT (key) DO NOTHING",
            keys,
        )

    def chain_end(
        self, db: LedgerConnection, chain: str, seen: int
    ) -> tuple[int, list[audit.Linked]]:
        """The last number of a chain, and its events with that number and the one seen."""
        rows = db.execute(
            f"SELECT number, line FROM {self._dialect.events} WHERE chain = ? AND (number = ? OR"
            f" number = (SELECT max(number) FROM {self._dialect.events} WHERE chain = ?))"
            " ORDER BY number",
            (chain, seen, chain),
        ).fetchall()
        return max((number for number, _ in rows), default=0), list(
            readable(line for _, line in rows)
        )

    def with_ids(self, db: LedgerConnection, ids: Collection[str]) -> list[audit.Linked]:
        """The events with these ids, in the order of their chain."""
        rows = db.execute(
            f"SELECT line FROM events WHERE id {self._dialect.in_list} ORDER BY number",
            (self._dialect.bind_list(ids),),
        )
        return list(readable(line for (line,) in rows))

    def rows_to_check(self, db: LedgerConnection, chain: str) -> list[tuple[Any, ...]]:
        """Line, number and repeated columns of every event of a chain, in order."""
        return db.execute(
            f"SELECT line, number, {', '.join(CHECKED)} FROM {self._dialect.events}"
            " WHERE chain = ? ORDER BY number",
            (chain,),
        ).fetchall()

    def lines(self, db: LedgerConnection, chain: str) -> list[str]:
        """Every event of a chain, in order."""
        rows = db.execute("SELECT line FROM events WHERE chain = ? ORDER BY number", (chain,))
        return [line for (line,) in rows]

    def every_line(self, after: Mapping[str, int] | None = None) -> Iterator[tuple[str, str]]:
        """The name of its chain and the line of every event, each chain in order."""
        query = f"SELECT DISTINCT chain FROM {self._dialect.events} ORDER BY chain"
        for (name,) in self._database.read(lambda db: db.execute(query).fetchall()):
            for line in self._lines_after(name, (after or {}).get(name, 0)):
                yield name, line

    def events_after(self, chain: str, number: int) -> Iterator[audit.Linked]:
        """The events of a chain behind a number, in order."""
        return readable(self._lines_after(chain, number))

    def _lines_after(self, chain: str, number: int) -> Iterator[str]:
        key = self._dialect.event_key
        query = (
            f"SELECT number, {key}, line FROM {self._dialect.events}"
            f" WHERE chain = ? AND (number, {key}) > (?, ?) ORDER BY number, {key} LIMIT {PAGE}"
        )
        last: tuple[int, int] = (number, LAST_KEY)
        while rows := self._database.read(
            lambda db, last=last: db.execute(query, (chain, *last)).fetchall()
        ):
            last = rows[-1][:2]
            yield from (line for _, _, line in rows)

    def count_writes(self, tenant: Tenant, since: datetime) -> int:
        """How many changes of a tenant's memories there are since then."""
        from ....rules import audit

        condition, values = self._dialect.tenant_rows(tenant)
        marks = audit.action_marks(audit.NO_CHANGE)
        absent = "".join(f" AND {self._dialect.position}(line, ?) = 0" for _ in marks)
        query = f"SELECT count(*) FROM events WHERE at >= ?{absent} AND {condition}"
        bound = (iso(since), *marks, *values)
        return self._database.read(lambda db: db.execute(query, bound).fetchall())[0][0]

    def empty(self, db: LedgerConnection, tenant: Tenant, erasure: Event) -> int:
        """Take the words out of a tenant's events and of those of memories erased with it."""
        from ....rules import audit

        condition, values = self._dialect.tenant_rows(tenant)
        key, changed = self._dialect.event_key, 0
        rows = db.execute(
            f"SELECT {key}, line FROM events WHERE {condition} OR memory IN"
            f" (SELECT memory FROM events WHERE {key} IN"
            " (SELECT event FROM event_memories WHERE memory = ?))",
            (*values, erasure.id),
        ).fetchall()
        for row, line in rows:
            for one in emptied([line], tenant, erasure):
                self._dialect.empty_event(db, row, one.event.scope, audit.to_line(one))
                changed += 1
        return changed

    def emptied_lines(self, db: LedgerConnection) -> dict[str, str]:
        """The lines of events whose words were taken out, by their ids."""
        from ....rules import audit

        mark = write_json(write_json({audit.ERASED: ""})[:-2])[1:-1]
        query = f"SELECT id, line FROM events WHERE {self._dialect.position}(line, ?) > 0"
        return dict(db.execute(query, (mark,)).fetchall())

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
        dialect = self._dialect
        condition, values = dialect.visible_rows(visible)
        conditions, bound = [condition], [*values]
        if ids is not None:
            conditions.append(f"id {dialect.in_list}")
            bound.append(dialect.bind_list(storable(ids)))
        if memories is not None:
            conditions.append(
                f"{dialect.event_key} IN"
                f" (SELECT event FROM event_memories WHERE memory {dialect.in_list})"
            )
            bound.append(dialect.bind_list(storable(memories)))
        if since is not None:
            conditions.append("at >= ?")
            bound.append(iso(since))
        query = (
            f"SELECT line FROM {dialect.events} WHERE {' AND '.join(conditions)}"
            f" ORDER BY at DESC, chain, number DESC, {dialect.event_key} DESC LIMIT ?"
        )
        rows = self._database.read(
            lambda db: db.execute(query, (*bound, max(limit, 0))).fetchall(), visible=visible
        )
        return [one.event for one in readable(line for (line,) in rows)]

    def purged_keys(self, keys: Collection[str]) -> set[str]:
        """Which of these memory ids or digests were purged."""
        query = f"SELECT key FROM tombstones WHERE key {self._dialect.in_list}"
        bound = (self._dialect.bind_list(storable(keys)),)
        rows = self._database.read(lambda db: db.execute(query, bound).fetchall())
        return {key for (key,) in rows}

    def tombstone_count(self) -> int:
        """How many tombstones there are: rows are never removed, so the last number says."""
        query = "SELECT coalesce(max(number), 0) FROM tombstones"
        return self._database.read(lambda db: db.execute(query).fetchall())[0][0]


def checked_values(event: Event) -> tuple[str | None, ...]:
    """The values of `CHECKED` that belong to an event."""
    return (event.id, iso(event.at), event.memory, event.scope, task_parent(event.scope))


def readable(lines: Iterable[str]) -> Iterator[audit.Linked]:
    """The events of these lines; `verify` reports those that do not read."""
    from ....rules import audit

    for line in lines:
        try:
            yield audit.from_line(line)
        except ValueError:
            continue


def emptied(lines: Iterable[str], tenant: Tenant, erasure: Event) -> Iterator[audit.Linked]:
    """Those events that say more than an erasure leaves, without their words."""
    from ....rules import audit

    for one in readable(lines):
        event, scope = one.event, one.event.scope
        # Later events belong to a user who came back.
        if event.at > erasure.at or event.action == audit.ERASED or audit.erasure_of(event):
            continue
        scope_left = erasure.scope if tenant.has(scope) else scope
        if (scope_left, "{}") != (scope, event.before):
            yield audit.erased_event(one, erasure, scope=scope_left)


def by_chain(
    lines: Iterable[tuple[str, str]], *, is_ours: Callable[[str], bool]
) -> tuple[dict[str, list[str]], list[Event]]:
    """The chains that a ledger can continue, and the events of all others by their time."""
    chains: dict[str, list[str]] = {}
    others: list[str] = []
    for name, line in lines:
        if is_ours(name):
            chains.setdefault(name, []).append(line)
        else:
            others.append(line)
    events = [one.event for one in readable(others)]
    return chains, sorted(events, key=lambda event: (event.at, event.id))
