"""The ledger of a one-file book: its events in that file, counters and log beside the index."""

from __future__ import annotations

import os

from ..errors import Busy
from ..model import Problem, Verified
from ..rules import chain
from .database import LedgerDatabase
from .history import History, agrees, readable
from .kept import KeptLedger
from .usage import KEEP, Usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ..model import Event, Use
    from ..scope import Tenant
    from ..sqlite import Database

NAME = "book"
"""The one chain of a one-file book."""

_HEAD = """
CREATE TABLE IF NOT EXISTS heads(name TEXT PRIMARY KEY, number INTEGER NOT NULL, hash TEXT NOT NULL)
WITHOUT ROWID
"""


class SqliteLedger(KeptLedger):
    """Keeps what is neither truth nor derivable, for a book that is one SQLite file."""

    def __init__(self, path: str, *, state: str, keep: int = KEEP) -> None:
        # Events and tombstones go where the book goes; what recalls leave behind stays here.
        self._book = LedgerDatabase(path, durable=True)
        try:
            self._local = LedgerDatabase(os.path.join(state, "ledger.db"), durable=False)
        except BaseException:
            self._book.close()
            raise
        self._history = History(self._book)
        self._usage = Usage(self._local, keep=keep)
        self._local.add_tables(_HEAD)

    def append(self, events: Sequence[Event]) -> None:
        """Add events to the book's chain, durably and in order."""
        if not events:
            return
        with self._book.writing() as db:
            seen = self._seen()
            new = self._since(db, seen.number)
            # Numbers go on behind all others, even in a chain that is not what it was.
            last = max([seen, *(one.head for one in new)], key=lambda head: head.number)
            linked = chain.link(events, last)
            self._history.add(db, NAME, linked)
        self._remember(chain.furthest(seen, [*new, *linked]))

    def verify(self) -> Verified:
        """Check the chain for changed, removed and reordered events."""
        seen = self._seen()
        with self._book.reading() as db:
            rows = db.execute(
                "SELECT line, number, id, at, memory, scope, task_parent FROM events"
                " WHERE chain=? ORDER BY number",
                (NAME,),
            ).fetchall()
        lines = [f"{row[0]}\n" for row in rows]
        where = os.path.basename(self._book.path)
        checked = chain.verify(lines, name=NAME, where=where, seen=seen if seen.number else None)
        columns = {row[1]: row[2:] for row in rows}
        astray = [
            Problem(
                where, f"Event {one.number} is filed under something else.", chain.HINT, "error"
            )
            for one in checked.linked
            if not agrees(one, columns.get(one.number, ()))
        ]
        return Verified(len(rows), (*checked.problems, *astray))

    def mend(self) -> int:
        """A chain inside the book cannot be overwritten by a stale copy of a part of it."""
        return 0

    def take_over(self, lines: Iterable[tuple[str, str]], uses: Mapping[str, Use]) -> None:
        """Go on with another ledger's events and counters; doing it again changes nothing."""
        from .taking_over import by_chain, not_yet

        chains, others = by_chain(lines, is_ours=lambda name: name == NAME)
        linked = list(readable(chains.get(NAME, ())))
        with self._book.writing() as db:
            self._history.add(db, NAME, linked)
        self._remember(chain.furthest(self._seen(), linked))
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

    def _since(self, db: Database, number: int) -> list[chain.Linked]:
        """The readable events from that number on."""
        rows = db.execute(
            "SELECT line FROM events WHERE chain=? AND number >= ? ORDER BY number", (NAME, number)
        ).fetchall()
        return list(readable(line for (line,) in rows))

    def _seen(self) -> chain.Head:
        """The furthest head of the chain that this device has seen."""
        with self._local.reading() as db:
            row = db.execute("SELECT number, hash FROM heads WHERE name=?", (NAME,)).fetchone()
        return chain.Head(*row) if row else chain.start(NAME)

    def _remember(self, head: chain.Head) -> None:
        with self._local.writing() as db:
            db.execute(
                "INSERT INTO heads VALUES(?, ?, ?) ON CONFLICT(name) DO UPDATE"
                " SET number=excluded.number, hash=excluded.hash WHERE excluded.number > number",
                (NAME, head.number, head.hash),
            )
