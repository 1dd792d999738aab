"""The ledger of a book on a server: one chain of events, tombstones, counters and logs for all."""

# ruff: noqa: S608 - every piece of SQL here is our own; values are always bound.

from __future__ import annotations

import os

from ....model.codec import iso
from ....model.errors import BadScope, LedgerUnavailable
from ....model.scope import Scope
from ....rules import audit
from ...common.ledger.event_table import LedgerDatabase, emptied, readable
from ...common.ledger.table_ledger import COLUMNS, HEADS, NAME, OneChain
from ...common.ledger.usage import KEEP
from .database import PostgresDatabase, many, of_tenant, only, seen_by, storable, task_parent
from .usage import PostgresUsage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime
    from typing import Any

    from ....model.memory import Event, Retrieval, Use
    from ....model.results import Spend, Spent, Verified
    from ....model.scope import Tenant, Visible
    from .database import PostgresAddress, PostgresConnection


_ALONE = "SELECT pg_advisory_xact_lock(hashtextextended(current_schema, 1))"
_LAST = "SELECT line FROM events WHERE number = %s OR number = (SELECT max(number) FROM events)"


class PostgresLedger(OneChain):
    """Keeps what is neither truth nor derivable, for a book that many machines share."""

    def __init__(self, address: PostgresAddress, *, state: str, keep: int = KEEP) -> None:
        self._where = address.url
        self._database = PostgresDatabase(address, LedgerUnavailable)
        self._local = LedgerDatabase(os.path.join(state, "ledger.db"), durable=False)
        self._local.add_tables(HEADS)
        self._usage = PostgresUsage(self._database, keep=keep)

    def append(self, events: Sequence[Event]) -> None:
        """Add events to the book's chain, durably and in order."""
        if not events:
            return
        seen = self._seen()
        tries = 0

        def work(db: PostgresConnection) -> list[audit.Linked]:
            nonlocal tries
            tries += 1
            # One at a time: each event's hash covers the one before.
            db.execute(_ALONE)
            last = _lines(db.execute(_LAST, (seen.number,)).fetchall())
            if tries > 1 and (done := _already(db, events)):
                return done
            # Numbers go on behind all others, even in a chain that is not what it was.
            head = max([seen, *(one.head for one in last)], key=lambda head: head.number)
            linked = audit.link(events, head)
            _add(db, linked)
            return [*last, *linked]

        self._remember(audit.furthest(seen, self._database.run(work)))

    def events(
        self,
        *,
        visible: Visible,
        ids: Collection[str] | None = None,
        memories: Collection[str] | None = None,
        since: datetime | None = None,
        limit: int = 100,
    ) -> list[Event]:
        """Events newest first, by event id or by memory id."""
        condition, values = seen_by(visible)
        conditions, values = [condition], {**values, "limit": max(limit, 0)}
        if ids is not None:
            conditions.append("id = ANY(%(ids)s)")
            values["ids"] = storable(ids)
        if memories is not None:
            conditions.append(
                "number IN (SELECT event FROM event_memories WHERE memory = ANY(%(memories)s))"
            )
            values["memories"] = storable(memories)
        if since is not None:
            conditions.append("at >= %(since)s")
            values["since"] = iso(since)
        query = (
            f"SELECT line FROM events WHERE {' AND '.join(conditions)}"
            " ORDER BY at DESC, number DESC LIMIT %(limit)s"
        )
        rows = self._database.run(lambda db: db.execute(query, values).fetchall(), visible=visible)
        return [one.event for one in _lines(rows)]

    def verify(self) -> Verified:
        """Check the chain for changed, removed and reordered events."""
        seen = self._seen()
        query = f"SELECT {COLUMNS} FROM events ORDER BY number"
        rows = self._database.run(lambda db: db.execute(query).fetchall())
        return self._verified(rows, seen, self._where)

    def buried(self, keys: Collection[str]) -> set[str]:
        """Which of these memory ids or content digests were purged."""
        rows = self._database.run(
            lambda db: db.execute(
                "SELECT key FROM tombstones WHERE key = ANY(%s)", (storable(keys),)
            ).fetchall()
        )
        return {key for (key,) in rows}

    def burials(self) -> int:
        """How many tombstones there are: rows are never removed, so the last one tells."""
        query = "SELECT coalesce(max(number), 0) FROM tombstones"
        return self._database.run(lambda db: db.execute(query).fetchall())[0][0]

    def count_use(self, ids: Collection[str], *, at: datetime) -> None:
        """Count one recall of each memory."""
        self._usage.count_use(ids, at=at)

    def uses(self, ids: Collection[str]) -> Mapping[str, Use]:
        """How often each memory was recalled, through whichever server."""
        return self._usage.uses(ids)

    def log(self, retrieval: Retrieval) -> None:
        """Remember what was asked and answered, up to a bounded number."""
        self._usage.log(retrieval)

    def retrievals(self, *, visible: Visible, limit: int = 20) -> list[Retrieval]:
        """Logged recalls, newest first."""
        return self._usage.retrievals(visible=visible, limit=limit)

    def record_spend(self, spend: Spend) -> None:
        """Remember what one question to a model cost."""
        self._usage.record_spend(spend)

    def spent(self, since: datetime | None = None, *, subject: str | None = None) -> Spent:
        """What questions to models cost since a moment."""
        return self._usage.spent(since, subject)

    def spends(self) -> Sequence[Spend]:
        """Every question to a model that is remembered, in order."""
        return self._usage.spends()

    def scrub(
        self, ids: Collection[str], texts: Collection[str], *, within: Tenant | None = None
    ) -> None:
        """Remove purged memories and their text from counters and logs."""
        self._usage.scrub(ids, texts, within=within)

    def lines(self, after: Mapping[str, int] | None = None) -> Iterator[tuple[str, str]]:
        """Every event as it stands in the chain, in order."""
        last = (after or {}).get(NAME, 0)
        query = "SELECT number, line FROM events WHERE number > %s ORDER BY number LIMIT 1000"
        while rows := self._database.run(
            lambda db, last=last: db.execute(query, (last,)).fetchall()
        ):
            last = rows[-1][0]
            yield from ((NAME, line) for _, line in rows)

    def all_uses(self) -> Mapping[str, Use]:
        """Every counter there is."""
        return self._usage.all_uses()

    def take_over(self, lines: Iterable[tuple[str, str]], uses: Mapping[str, Use]) -> None:
        """Go on with another ledger's events and counters; doing it again changes nothing."""
        from ...common.ledger.table_ledger import by_chain, not_yet

        chains, others = by_chain(lines, is_ours=lambda name: name == NAME)
        linked = list(readable(chains.get(NAME, ())))

        def work(db: PostgresConnection) -> None:
            db.execute(_ALONE)
            _add(db, linked, again=True)

        self._database.run(work)
        self._remember(audit.furthest(self._seen(), linked))
        self.append(not_yet(others, self))
        self._usage.set_uses(uses)

    def count_writes(self, tenant: Tenant, *, since: datetime) -> int:
        """How many changes of a tenant's memories were audited since then."""

        return self._database.run(lambda db: count_writes(db, tenant, since))

    def wipe(self, tenant: Tenant, *, erasure: Event) -> int:
        """Remove what a tenant asked, and the words in its events."""

        def work(db: PostgresConnection) -> int:
            forget_questions(db, tenant)
            return empty(db, tenant, erasure)

        return self._database.run(work)

    def close(self) -> None:
        """Let go of files and connections."""
        self._database.close()
        self._local.close()


def _add(db: PostgresConnection, linked: Sequence[audit.Linked], *, again: bool = False) -> None:
    """Add events; those that may be there already must be the same ones."""
    columns = [(one, _columns(one.event)) for one in linked]
    rest = " ON CONFLICT DO NOTHING" if again else ""
    many(
        db,
        f"INSERT INTO events VALUES (%s, %s, %s, %s, %s, %s, %s){rest}",
        [(one.number, *named, audit.to_line(one)) for one, named in columns],
    )
    many(
        db,
        f"INSERT INTO event_memories VALUES (%s, %s, %s, %s){rest}",
        [
            (memory, one.number, named[3], named[4])
            for one, named in columns
            for memory in dict.fromkeys((one.event.memory, *one.event.related))
        ],
    )
    purges = [one.event for one in linked if one.event.action == audit.PURGED]
    # Under the lock of the chain, so that counting them gives a new number.
    many(
        db,
        "INSERT INTO tombstones SELECT coalesce(max(number), 0) + 1, %s FROM tombstones"
        " ON CONFLICT (key) DO NOTHING",
        [(key,) for event in purges for key in (event.memory, event.digest) if key],
    )


def _already(db: PostgresConnection, events: Sequence[Event]) -> list[audit.Linked]:
    """The events as a commit whose answer got lost has added them, if it has."""
    rows = db.execute(
        "SELECT line FROM events WHERE id = ANY(%s) ORDER BY number", ([e.id for e in events],)
    ).fetchall()
    return _lines(rows)


def _lines(rows: Sequence[tuple[Any, ...]]) -> list[audit.Linked]:
    return list(readable(line for (line,) in rows))


def _columns(event: Event) -> tuple[str, str, str, str, str | None]:
    try:
        parent = task_parent(Scope.parse(event.scope))
    except BadScope:
        parent = None
    return (event.id, iso(event.at), event.memory, event.scope, parent)


# What one tenant has in the ledger on a server: counting its writes, taking its words out.


_EMPTY = "SELECT empty_event(%s, %s, %s)"


def count_writes(db: PostgresConnection, tenant: Tenant, since: datetime) -> int:
    """How many changes of a tenant's memories there are since then."""
    condition, values = of_tenant(tenant)
    refused, contradicted = audit.marks(audit.TOLD_ONLY)
    query = (
        "SELECT count(*) FROM events WHERE at >= %(since)s AND strpos(line, %(refused)s) = 0"
        f" AND strpos(line, %(contradicted)s) = 0 AND {condition}"
    )
    told = {"since": iso(since), "refused": refused, "contradicted": contradicted}
    return only(db, query, values | told)


def empty(db: PostgresConnection, tenant: Tenant, erasure: Event) -> int:
    """Take the words out of a tenant's events and of those of memories erased with it."""
    condition, values = of_tenant(tenant)
    rows = db.execute(
        f"SELECT line FROM events WHERE {condition} OR memory IN (SELECT memory FROM events"
        " WHERE number IN (SELECT event FROM event_memories WHERE memory = %(erasure)s))",
        values | {"erasure": erasure.id},
    ).fetchall()
    changed = list(emptied((line for (line,) in rows), tenant, erasure))
    for one in changed:
        db.execute(_EMPTY, (one.number, one.event.scope, audit.to_line(one)))
    return len(changed)


def forget_questions(db: PostgresConnection, tenant: Tenant) -> None:
    """Remove every question that a tenant asked."""
    condition, values = of_tenant(tenant)
    db.execute(f"DELETE FROM retrievals WHERE {condition}", values)
