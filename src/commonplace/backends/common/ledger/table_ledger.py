"""What every ledger answers from its tables, wherever its chain of events is kept."""

from __future__ import annotations

from ....model.memory import Problem
from ....model.results import Verified
from ....model.scope import EVERYTHING
from ....rules import audit
from .event_table import agrees, readable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime
    from typing import Any

    from ....model.memory import Event, Retrieval, Use
    from ....model.results import Spend, Spent
    from ....model.scope import Tenant, Visible
    from ....ports.ledger import Ledger
    from .event_table import EventTable, LedgerDatabase
    from .usage import Spending, Usage


class TableLedger:
    """The part of a ledger that looks things up and counts."""

    _history: EventTable
    _usage: Usage

    def _refresh(self) -> None:
        """Take up what others brought meanwhile; for a chain that nobody else writes, nothing."""

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
        return self._history.find(
            visible=visible, ids=ids, memories=memories, since=since, limit=limit
        )

    def buried(self, keys: Collection[str]) -> set[str]:
        """Which of these memory ids or content digests were purged."""
        self._refresh()
        return self._history.buried(keys)

    def burials(self) -> int:
        """How many tombstones are known; grows when another device's purges arrive."""
        self._refresh()
        return self._history.burials()

    def count_use(self, ids: Collection[str], *, at: datetime) -> None:
        """Count one recall of each memory."""
        self._usage.count_use(ids, at=at)

    def uses(self, ids: Collection[str]) -> Mapping[str, Use]:
        """How often each memory was recalled on this device."""
        return self._usage.uses(ids)

    def log(self, retrieval: Retrieval) -> None:
        """Remember what was asked and answered, up to a bounded number."""
        self._usage.log(retrieval)

    def retrievals(self, *, visible: Visible, limit: int = 20) -> list[Retrieval]:
        """Logged recalls, newest first."""
        return self._usage.retrievals(visible=visible, limit=limit)

    def record_spend(self, spend: Spend) -> None:
        """Remember what one question to a model cost."""
        self._spending.record(spend)

    def spent(self, since: datetime | None = None, *, subject: str | None = None) -> Spent:
        """What questions to models cost since a moment, on this device."""
        return self._spending.spent(since, subject)

    def spends(self) -> Sequence[Spend]:
        """Every question to a model that is remembered, in order."""
        return self._spending.every()

    def scrub(
        self, ids: Collection[str], texts: Collection[str], *, within: Tenant | None = None
    ) -> None:
        """Remove purged memories and their text from counters and logs."""
        self._spending.scrub(ids, texts)
        self._usage.scrub(ids, texts, within=within)

    def lines(self, after: Mapping[str, int] | None = None) -> Iterator[tuple[str, str]]:
        """Every event as it stands in its chain: the chain's name and the line, each in order."""
        self._refresh()
        return self._history.every_line(after)

    def all_uses(self) -> Mapping[str, Use]:
        """Every counter there is."""
        return self._usage.all_uses()

    def count_writes(self, tenant: Tenant, *, since: datetime) -> int:
        """How many changes of a tenant's memories were audited since then."""
        return self._history.count(tenant, since)

    @property
    def _spending(self) -> Spending:
        # Imported here because a recall spends nothing.
        from .usage import Spending

        return Spending(self._usage.database)


# The one chain of events of a book in a database, and how far this device has seen it.


NAME = "book"
"""What that chain is called."""
COLUMNS = "line, number, id, at, memory, scope, task_parent"
"""What is checked of an event."""
HEADS = """
CREATE TABLE IF NOT EXISTS heads(name TEXT PRIMARY KEY, number INTEGER NOT NULL, hash TEXT NOT NULL)
WITHOUT ROWID
"""


class OneChain:
    """The part of a ledger that knows its chain by heart.

    What it has seen is kept on the device, outside the book: whoever can rewrite the whole chain
    there cannot rewrite that.
    """

    _local: LedgerDatabase

    def mend(self) -> int:
        """A chain inside the book cannot be overwritten by a stale copy of a part of it."""
        return 0

    def _seen(self) -> audit.Head:
        """The furthest head of the chain that this device has seen."""
        with self._local.reading() as db:
            row = db.execute("SELECT number, hash FROM heads WHERE name=?", (NAME,)).fetchone()
        return audit.Head(*row) if row else audit.start(NAME)

    def _remember(self, head: audit.Head) -> None:
        with self._local.writing() as db:
            db.execute(
                "INSERT INTO heads VALUES(?, ?, ?) ON CONFLICT(name) DO UPDATE"
                " SET number=excluded.number, hash=excluded.hash WHERE excluded.number > number",
                (NAME, head.number, head.hash),
            )

    def _verified(self, rows: Sequence[tuple[Any, ...]], seen: audit.Head, where: str) -> Verified:
        """What is wrong with the events in these rows of `COLUMNS`, which are in order."""
        lines = [f"{row[0]}\n" for row in rows]
        checked = audit.verify(lines, name=NAME, where=where, seen=seen if seen.number else None)
        columns = {row[1]: row[2:] for row in rows}
        what = "Event {} is filed under something else."
        astray = [
            Problem(where, what.format(one.number), audit.HINT, "error")
            for one in checked.linked
            if not agrees(one, columns.get(one.number, ()))
        ]
        return Verified(len(rows), (*checked.problems, *astray))


# Sorting out another ledger's events: whole chains that can go on, and events to link anew.


PAGE = 500


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


def not_yet(events: Sequence[Event], ledger: Ledger) -> list[Event]:
    """Those events that a ledger does not have."""
    known: set[str] = set()
    for start in range(0, len(events), PAGE):
        ids = [event.id for event in events[start : start + PAGE]]
        known |= {e.id for e in ledger.events(visible=EVERYTHING, ids=ids, limit=2 * PAGE)}
    return [event for event in events if event.id not in known]
