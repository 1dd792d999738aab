"""The ledger of a book in a database: one chain of events in the book itself.

How far this device has seen the chain is kept outside the book: somebody who can rewrite the
whole chain there cannot rewrite that. A crash between the commit of an event and that note only
leaves the note behind; the next append moves it on.
"""

from __future__ import annotations

from ...model.errors import Busy
from ...model.memory import Problem
from ...model.results import Verified
from ...rules import audit
from ..common.ledger.event_table import by_chain, checked_values, readable
from ..common.ledger.table_ledger import TableLedger
from ..common.sqlite_file import retrying

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ...model.memory import Event, Use
    from ...model.scope import Tenant
    from ..common.ledger.database import LedgerConnection, LedgerDatabase, SqliteLedgerDatabase

CHAIN = "book"
"""The name of the chain."""
_HEADS = """
CREATE TABLE IF NOT EXISTS heads(name TEXT PRIMARY KEY, number INTEGER NOT NULL, hash TEXT NOT NULL)
WITHOUT ROWID
"""


class SqlLedger(TableLedger):
    """Events, tombstones, counters and logs of a book in a database."""

    def __init__(
        self,
        book: LedgerDatabase,
        usage: LedgerDatabase,
        device: SqliteLedgerDatabase,
        *,
        location: str,
        keep: int,
    ) -> None:
        super().__init__(book, usage, keep=keep)
        self._book = book
        self._device = device
        self._location = location
        device.add_tables(_HEADS)

    def _own_chain(self) -> str:
        return CHAIN

    def append(self, events: Sequence[Event]) -> None:
        """Add events to the book's chain, durably and in order."""
        if not events:
            return
        seen = self._seen_head()
        tries = 0

        def work(db: LedgerConnection) -> list[audit.Linked]:
            nonlocal tries
            tries += 1
            self._lock_chain(db)
            last, known = self._events.chain_end(db, CHAIN, seen.number)
            # After a commit whose answer got lost, the events are there already.
            if tries > 1 and (added := self._events.with_ids(db, [event.id for event in events])):
                return added
            # Numbers go on behind all others, even when the last event does not read.
            head = max([seen, *(one.head for one in known)], key=lambda head: head.number)
            linked = audit.link_events(events, head.but(number=max(head.number, last)))
            self._events.add(db, CHAIN, linked)
            return [*known, *linked]

        self._remember_head(audit.furthest_head(seen, self._book.write(work)))

    def verify(self) -> Verified:
        """Check the chain for changed, removed and reordered events."""
        seen, where = self._seen_head(), self._location
        rows = self._book.read(lambda db: self._events.rows_to_check(db, CHAIN))
        lines = [f"{line}\n" for line, *_ in rows]
        checked = audit.verify_chain(
            lines, name=CHAIN, where=where, seen=seen if seen.number else None
        )
        columns = {number: tuple(values) for _, number, *values in rows}
        misfiled = [
            Problem(
                where, f"Event {one.number} is filed under something else.", audit.HINT, "error"
            )
            for one in checked.linked
            if columns.get(one.number) != checked_values(one.event)
        ]
        return Verified(len(rows), (*checked.problems, *misfiled))

    def restore_lost_events(self) -> int:
        """Nothing: no stale copy of a file can overwrite a part of a chain in a database."""
        return 0

    def import_history(self, lines: Iterable[tuple[str, str]], uses: Mapping[str, Use]) -> None:
        """Add another ledger's events and counters; doing it again changes nothing."""
        chains, others = by_chain(lines, is_ours=lambda name: name == CHAIN)
        linked = list(readable(chains.get(CHAIN, ())))

        def work(db: LedgerConnection) -> None:
            self._lock_chain(db)
            self._events.add(db, CHAIN, linked)

        self._book.write(work)
        self._remember_head(audit.furthest_head(self._seen_head(), linked))
        self.append(self._missing(others))
        self._set_uses(uses)

    def wipe(self, tenant: Tenant, *, erasure: Event) -> int:
        """Remove a tenant's recalls, and the words in its events."""
        emptied = self._book.write(lambda db: self._events.empty(db, tenant, erasure))
        self._delete_retrievals(tenant)
        if not self._book.sweep():
            raise Busy(
                "The words are out of the audit log, but a long read kept them in the file's own.",
                hint="Erase the user again when nothing else uses the book.",
            )
        return emptied

    def close(self) -> None:
        """Let go of files and connections."""
        self._book.close()
        self._device.close()

    def _lock_chain(self, db: LedgerConnection) -> None:
        """Let other writers wait: each event's hash covers the one before."""
        if statement := self._book.dialect.lock_chain:
            db.execute(statement)

    @retrying
    def _seen_head(self) -> audit.Head:
        """The furthest head of the chain that this device has seen."""
        with self._device.reading() as db:
            row = db.execute("SELECT number, hash FROM heads WHERE name=?", (CHAIN,)).fetchone()
            return audit.Head(*row) if row else audit.empty_chain(CHAIN)

    @retrying
    def _remember_head(self, head: audit.Head) -> None:
        with self._device.writing(lasting=False) as db:
            db.execute(
                "INSERT INTO heads VALUES(?, ?, ?) ON CONFLICT(name) DO UPDATE"
                " SET number=excluded.number, hash=excluded.hash WHERE excluded.number > number",
                (CHAIN, head.number, head.hash),
            )
