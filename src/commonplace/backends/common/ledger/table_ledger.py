"""Events, recalls, uses of memories and spending, read from the tables of any ledger."""

# ruff: noqa: S608 - every piece of SQL here is our own; values are always bound.

from __future__ import annotations

from ....model.codec import iso, moment
from ....model.errors import Busy
from ....model.identity import content_hash, normalized
from ....model.memory import Outcomes, Retrieval, Use
from ....model.scope import EVERYTHING, Scope
from ....rules.ranking.threshold import FADING, OUTCOMES
from ..sql_dialect import storable, task_parent, unicode_text
from ..sqlite_file import retrying
from .digest_log import DIGESTS, DigestLog
from .event_table import PAGE, EventTable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from datetime import datetime

    from ....model.memory import Event, HandedDigest
    from ....model.results import Spend, Spent
    from ....model.scope import Tenant, Visible
    from .database import LedgerConnection, LedgerDatabase


KEEP = 10_000
"""How many recalls are remembered."""
TRIM_EVERY = 64
"""The retrieval log is cut to its size once in so many recalls."""
SCHEMA = f"""
CREATE TABLE IF NOT EXISTS uses(
  memory TEXT PRIMARY KEY, count INTEGER NOT NULL, last TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS retrievals(
  number INTEGER PRIMARY KEY, id TEXT NOT NULL, at TEXT NOT NULL, query TEXT NOT NULL,
  scope TEXT NOT NULL, task_parent TEXT, results TEXT NOT NULL, details TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS outcomes(
  scope TEXT PRIMARY KEY, task_parent TEXT,
  used REAL NOT NULL, ignored REAL NOT NULL, corrected REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS spend(
  number INTEGER PRIMARY KEY, at TEXT NOT NULL, operation TEXT NOT NULL, model TEXT NOT NULL,
  subject TEXT NOT NULL, input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL,
  cost REAL NOT NULL, failure TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS spend_by_time ON spend(at);
{DIGESTS}
"""
"""For SQLite; PostgreSQL has its own schema."""
_COUNT_USE = """
INSERT INTO uses(memory, count, last) VALUES (?, 1, ?) ON CONFLICT (memory) DO UPDATE SET
  count = uses.count + 1,
  last = CASE WHEN excluded.last > uses.last THEN excluded.last ELSE uses.last END
"""
_SET_USE = """
INSERT INTO uses(memory, count, last) VALUES (?, ?, ?)
ON CONFLICT (memory) DO UPDATE SET count = excluded.count, last = excluded.last
"""
_COUNT_OUTCOME = f"""
INSERT INTO outcomes(scope, task_parent, used, ignored, corrected) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (scope) DO UPDATE SET
  used = outcomes.used * {FADING} + excluded.used,
  ignored = outcomes.ignored * {FADING} + excluded.ignored,
  corrected = outcomes.corrected * {FADING} + excluded.corrected
"""
_SPEND = "at, operation, model, subject, input_tokens, output_tokens, cost, failure"
_SUMS = (
    "count(*), coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0),"
    " coalesce(sum(cost), 0), count(*) FILTER (WHERE failure <> '')"
)


def _use_rows(ids: Collection[str], at: datetime) -> list[tuple[str, str]]:
    # In one order for all, so that two that count the same memories never wait for each other.
    return [(id, iso(at)) for id in sorted(set(storable(ids)))]


class TableLedger:
    """The part of a ledger that looks things up and counts.

    Counters and the retrieval log never hold a recall up: a use may go uncounted and a recall
    unlogged. Spending is always recorded, because a cap depends on it.
    """

    def __init__(self, events: LedgerDatabase, usage: LedgerDatabase, *, keep: int) -> None:
        self._events = EventTable(events)
        self._usage = usage
        self._digests = DigestLog(usage, keep=keep, trim_every=TRIM_EVERY)
        self._keep = keep

    def _refresh(self) -> None:
        """Read events that others brought meanwhile; only files can bring any."""

    def _own_chain(self) -> str:
        """The name of the chain that this device writes."""
        raise NotImplementedError

    @retrying
    def own_events(self, after: int, *, visible: Visible) -> list[tuple[int, Event]]:
        """The events of the chain that this device writes, behind a number, with their numbers."""
        self._refresh()
        found = self._events.events_after(self._own_chain(), after)
        return [
            (one.number, one.event)
            for one in found
            if visible is EVERYTHING or visible.allows(Scope.parse(one.event.scope))
        ]

    @retrying
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
        self._refresh()
        return self._events.find(
            visible=visible, ids=ids, memories=memories, since=since, limit=limit
        )

    @retrying
    def purged_keys(self, keys: Collection[str]) -> set[str]:
        """Which of these memory ids or content digests were purged."""
        self._refresh()
        return self._events.purged_keys(keys)

    @retrying
    def tombstone_count(self) -> int:
        """How many tombstones are known; grows when another device's purges arrive."""
        self._refresh()
        return self._events.tombstone_count()

    def lines(self, after: Mapping[str, int] | None = None) -> Iterator[tuple[str, str]]:
        """The name of its chain and the line of every event, each chain in order."""
        self._refresh()
        return self._events.every_line(after)

    @retrying
    def count_writes(self, tenant: Tenant, *, since: datetime) -> int:
        """How many changes of a tenant's memories were audited since then."""
        return self._events.count_writes(tenant, since)

    def _missing(self, events: Sequence[Event]) -> list[Event]:
        """Those events that this ledger does not have."""
        known: set[str] = set()
        for start in range(0, len(events), PAGE):
            ids = [event.id for event in events[start : start + PAGE]]
            known |= {one.id for one in self.events(visible=EVERYTHING, ids=ids, limit=2 * PAGE)}
        return [event for event in events if event.id not in known]

    def count_use(self, ids: Collection[str], *, at: datetime) -> None:
        """Count one recall of each memory."""
        if rows := _use_rows(ids, at):
            self._usage.write_cheaply(lambda db: db.executemany(_COUNT_USE, rows))

    @retrying
    def uses(self, ids: Collection[str]) -> dict[str, Use]:
        """How often each memory was recalled."""
        dialect = self._usage.dialect
        values = (dialect.bind_list(storable(ids)),)
        return {id: Use() for id in ids} | self._uses(f"WHERE memory {dialect.in_list}", values)

    @retrying
    def all_uses(self) -> dict[str, Use]:
        """Every counter there is."""
        return self._uses("", ())

    def _uses(self, condition: str, values: tuple[object, ...]) -> dict[str, Use]:
        query = f"SELECT memory, count, last FROM uses {condition}"

        def read(db: LedgerConnection) -> dict[str, Use]:
            rows = db.execute(query, values).fetchall()
            return {id: Use(count, moment(last)) for id, count, last in rows}

        return self._usage.read(read)

    @retrying
    def _set_uses(self, uses: Mapping[str, Use]) -> None:
        """Replace counters with those of another ledger."""
        rows = [(id, use.count, iso(use.last)) for id, use in sorted(uses.items()) if use.last]
        self._usage.write(lambda db: db.executemany(_SET_USE, rows))

    def count_outcomes(self, outcomes: Sequence[tuple[str, str]]) -> None:
        """Count what became of memories handed over; earlier outcomes fade."""
        rows = [
            (scope, task_parent(scope), *(float(outcome == one) for one in OUTCOMES))
            for scope, outcome in outcomes
        ]
        if rows:
            self._usage.write_cheaply(lambda db: db.executemany(_COUNT_OUTCOME, rows))

    @retrying
    def outcomes(self, scopes: Collection[str] | None = None) -> dict[str, Outcomes]:
        """The outcomes of these scopes, or of all."""
        dialect = self._usage.dialect
        query, values = "SELECT scope, used, ignored, corrected FROM outcomes", ()
        if scopes is not None:
            query += f" WHERE scope {dialect.in_list}"
            values = (dialect.bind_list(storable(scopes)),)
        rows = self._usage.read(lambda db: db.execute(f"{query} ORDER BY 1", values).fetchall())
        return {scope: Outcomes(*counts) for scope, *counts in rows}

    def log(self, retrieval: Retrieval, used: Collection[str] = ()) -> None:
        """Add a recall to the log, drop the oldest, and count the memories it used."""
        if self._keep <= 0:
            self.count_use(used, at=retrieval.at)
            return
        uses = _use_rows(used, retrieval.at)
        dialect, scope = self._usage.dialect, retrieval.scope
        packed = dialect.pack_retrieval([
            retrieval.id, iso(retrieval.at), unicode_text(retrieval.query), retrieval.results,
            unicode_text(retrieval.details),
        ])  # fmt: skip
        columns = ("scope", "task_parent", *dialect.retrieval_columns)
        query = (
            f"INSERT INTO retrievals({', '.join(columns)})"
            f" VALUES ({', '.join('?' * len(columns))}) RETURNING number"
        )

        def write(db: LedgerConnection) -> None:
            [(number,)] = db.execute(query, (scope, task_parent(scope), *packed)).fetchall()
            if number % min(TRIM_EVERY, self._keep) == 0:
                db.execute("DELETE FROM retrievals WHERE number <= ?", (number - self._keep,))
            db.executemany(_COUNT_USE, uses)

        self._usage.write_cheaply(write)

    @retrying
    def retrievals(self, *, visible: Visible, limit: int = 20) -> list[Retrieval]:
        """Logged recalls, newest first."""
        condition, values = self._usage.dialect.visible_rows(visible)
        rest = (
            f"WHERE {condition} AND number > (SELECT coalesce(max(number), 0) FROM retrievals) - ?"
            " ORDER BY number DESC LIMIT ?"
        )
        bound = (*values, self._keep, max(limit, 0))
        found = self._usage.read(lambda db: self._logged(db, rest, bound), visible=visible)
        return [one for _, one in found]

    def _logged(
        self, db: LedgerConnection, rest: str = "", values: tuple[object, ...] = ()
    ) -> list[tuple[int, Retrieval]]:
        """Logged recalls with their numbers."""
        dialect = self._usage.dialect
        columns = ", ".join(dialect.retrieval_columns)
        found: list[tuple[int, Retrieval]] = []
        for number, scope, *packed in db.execute(
            f"SELECT number, scope, {columns} FROM retrievals {rest}", values
        ).fetchall():
            id, at, query, results, details = dialect.unpack_retrieval(packed)
            scores = tuple((memory, score) for memory, score in results)
            found.append((number, Retrieval(id, moment(at), query, scope, scores, details)))
        return found

    def mark_digests(self, ids: Collection[str], *, late: bool) -> None:
        """Mark logged digests as late, or as handed over after all."""
        self._digests.mark(ids, late=late)

    def log_digest(self, digest: HandedDigest) -> None:
        """Add a digest to the log and drop the oldest."""
        self._digests.add(digest)

    @retrying
    def digests(
        self, *, visible: Visible, id: str | None = None, limit: int = 20
    ) -> list[HandedDigest]:
        """Logged digests, newest first, or the one with this id."""
        return self._digests.find(visible=visible, id=id, limit=limit)

    @retrying
    def record_spend(self, spend: Spend) -> None:
        """Record the cost of one question to a model."""
        row = (
            iso(spend.at), spend.operation, spend.model, _text(spend.subject),
            spend.input_tokens, spend.output_tokens, spend.cost, _text(spend.failure),
        )  # fmt: skip
        query = f"INSERT INTO spend({_SPEND}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
        self._usage.write(lambda db: db.execute(query, row))

    @retrying
    def spent(self, since: datetime | None = None, *, subject: str | None = None) -> Spent:
        """The cost of questions to models since a moment, about one subject or all."""
        from ....model.results import Spent

        values = ["" if since is None else iso(since)]
        where = "FROM spend WHERE at >= ?"
        if subject is not None:
            where += " AND subject = ?"
            values.append(subject)

        def read(db: LedgerConnection) -> Spent:
            [(count, *sums)] = db.execute(f"SELECT {_SUMS} {where}", values).fetchall()
            last = db.execute(
                f"SELECT failure {where} ORDER BY number DESC LIMIT 1", values
            ).fetchone()
            tokens_in, tokens_out, cost, failed = sums
            failure = last[0] if last else ""
            return Spent(count, int(tokens_in), int(tokens_out), float(cost), failed, failure)

        return self._usage.read(read)

    @retrying
    def spends(self) -> Sequence[Spend]:
        """Every recorded question to a model, in order."""
        from ....model.results import Spend

        query = f"SELECT {_SPEND} FROM spend ORDER BY number"
        return self._usage.read(
            lambda db: [Spend(moment(at), *rest) for at, *rest in db.execute(query).fetchall()]
        )

    @retrying
    def scrub(
        self, ids: Collection[str], texts: Collection[str], *, within: Tenant | None = None
    ) -> None:
        """Remove purged memories, recalls that returned or quote them, and lines of digests."""
        gone = frozenset(ids)
        purged = [text for text in map(normalized, texts) if text]
        # Imported here, because reading and logging quote nothing.
        from .quotes import quotes_any

        bind_list, in_list = self._usage.dialect.bind_list, self._usage.dialect.in_list
        subjects = bind_list(storable({*ids, *map(content_hash, texts)}))

        def work(db: LedgerConnection) -> None:
            db.execute(f"DELETE FROM uses WHERE memory {in_list}", (bind_list(storable(gone)),))
            db.execute(f"UPDATE spend SET subject = '' WHERE subject {in_list}", (subjects,))
            numbers = [
                number
                for number, one in self._logged(db)
                if any(id in gone for id, _ in one.results)
                or (
                    (within is None or within.has(one.scope))
                    and quotes_any(one.query, one.details, purged)
                )
            ]
            db.execute(f"DELETE FROM retrievals WHERE number {in_list}", (bind_list(numbers),))
            self._digests.scrub(db, gone, texts, within=within)

        self._usage.write(work)
        self._sweep_usage()

    @retrying
    def _delete_retrievals(self, tenant: Tenant) -> None:
        """Remove every recall and digest of a tenant, and what was learned from them."""
        condition, values = self._usage.dialect.tenant_rows(tenant)

        def work(db: LedgerConnection) -> None:
            for table in ("retrievals", "digests", "outcomes"):
                db.execute(f"DELETE FROM {table} WHERE {condition}", values)

        self._usage.write(work)
        self._sweep_usage()

    def _sweep_usage(self) -> None:
        if not self._usage.sweep():
            raise Busy(
                "The queries are deleted, but a long read of the ledger kept them in its log.",
                hint="They go when every process that has the book open has closed it.",
            )


def _text(given: str) -> str:
    """Text that a column of either engine can hold."""
    return unicode_text(given).replace("\0", "?")
