"""The ledger of a one-file book: its events in that file, counters and log beside the index."""

from __future__ import annotations

import os

from ....model.errors import Busy
from ....rules import audit
from ...common.ledger.event_table import EventTable, LedgerDatabase, readable
from ...common.ledger.table_ledger import COLUMNS, HEADS, NAME, OneChain, TableLedger
from ...common.ledger.usage import KEEP, Usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ....model.memory import Event, Use
    from ....model.results import Verified
    from ....model.scope import Tenant
    from ...common.sqlite import SqliteConnection


class SqliteLedger(OneChain, TableLedger):
    """Keeps what is neither truth nor derivable, for a book that is one SQLite file."""

    def __init__(self, path: str, *, state: str, keep: int = KEEP) -> None:
        # Events and tombstones go where the book goes; what recalls leave behind stays here.
        self._book = LedgerDatabase(path, durable=True)
        try:
            self._local = LedgerDatabase(os.path.join(state, "ledger.db"), durable=False)
        except BaseException:
            self._book.close()
            raise
        self._history = EventTable(self._book)
        self._usage = Usage(self._local, keep=keep)
        self._local.add_tables(HEADS)

    def append(self, events: Sequence[Event]) -> None:
        """Add events to the book's chain, durably and in order."""
        if not events:
            return
        with self._book.writing() as db:
            seen = self._seen()
            new = self._since(db, seen.number)
            # Numbers go on behind all others, even in a chain that is not what it was.
            last = max([seen, *(one.head for one in new)], key=lambda head: head.number)
            linked = audit.link(events, last)
            self._history.add(db, NAME, linked)
        self._remember(audit.furthest(seen, [*new, *linked]))

    def verify(self) -> Verified:
        """Check the chain for changed, removed and reordered events."""
        seen = self._seen()
        with self._book.reading() as db:
            rows = db.execute(
                f"SELECT {COLUMNS} FROM events WHERE chain=? ORDER BY number",  # noqa: S608 (ours)
                (NAME,),
            ).fetchall()
        return self._verified(rows, seen, os.path.basename(self._book.path))

    def take_over(self, lines: Iterable[tuple[str, str]], uses: Mapping[str, Use]) -> None:
        """Go on with another ledger's events and counters; doing it again changes nothing."""
        from ...common.ledger.table_ledger import by_chain, not_yet

        chains, others = by_chain(lines, is_ours=lambda name: name == NAME)
        linked = list(readable(chains.get(NAME, ())))
        with self._book.writing() as db:
            self._history.add(db, NAME, linked)
        self._remember(audit.furthest(self._seen(), linked))
        self.append(not_yet(others, self))
        self._usage.set_uses(uses)

    def wipe(self, tenant: Tenant, *, erasure: Event) -> int:
        """Remove what a tenant asked, and the words in its events."""
        with self._book.writing() as db:
            emptied = self._history.empty(db, tenant, erasure)
        self._usage.wipe(tenant)
        if not self._book.sweep():
            raise Busy(
                "The words are out of the audit log, but a long read kept them in the file's own.",
                hint="Erase the user again when nothing else uses the book.",
            )
        return emptied

    def close(self) -> None:
        """Let go of files and connections."""
        self._book.close()
        self._local.close()

    def _since(self, db: SqliteConnection, number: int) -> list[audit.Linked]:
        """The readable events from that number on."""
        rows = db.execute(
            "SELECT line FROM events WHERE chain=? AND number >= ? ORDER BY number", (NAME, number)
        ).fetchall()
        return list(readable(line for (line,) in rows))
