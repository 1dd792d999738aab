"""The ledger of a vault: event files inside it, counters and the retrieval log beside the index."""

from __future__ import annotations

import os

from ...model.errors import Damaged
from ..common.ledger.event_table import EventTable, LedgerDatabase
from ..common.ledger.table_ledger import TableLedger
from ..common.ledger.usage import KEEP, Usage
from .event_files import EventFiles
from .identity import is_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ...model.memory import Event, Use
    from ...model.results import Verified
    from ...model.scope import Tenant


class VaultLedger(TableLedger):
    """Keeps what is neither truth nor derivable, for a book that is a folder."""

    def __init__(self, root: str, *, state: str, keep: int = KEEP) -> None:
        # Not durable: the event files are, and everything here from them can be read again.
        path = os.path.join(state, "ledger.db")
        try:
            self._database = LedgerDatabase(path, durable=False)
        except Damaged:
            # Counters and the log of questions are lost with it, but no memory and no event.
            os.replace(path, f"{path}.damaged")
            self._database = LedgerDatabase(path, durable=False)
        self._history = EventTable(self._database)
        self._files = EventFiles(root, state=state, database=self._database, history=self._history)
        self._usage = Usage(self._database, keep=keep)

    def append(self, events: Sequence[Event]) -> None:
        """Add events to this device's chain, durably and in order."""
        self._files.append(events)

    def verify(self) -> Verified:
        """Check every device's chain for changed, removed and reordered events."""
        count, problems = self._files.verify()
        from ...model.results import Verified

        return Verified(count, tuple(problems))

    def mend(self) -> int:
        """Put back events of this device that a stale copy of its file had lost."""
        return self._files.mend()

    def take_over(self, lines: Iterable[tuple[str, str]], uses: Mapping[str, Use]) -> None:
        """Go on with another ledger's events and counters; doing it again changes nothing."""
        from ..common.ledger.table_ledger import by_chain, not_yet

        chains, others = by_chain(lines, is_ours=is_name)
        for name, whole in chains.items():
            self._files.put_back(name, whole)
        self._files.refresh()
        self.append(not_yet(others, self))
        self._usage.set_uses(uses)

    def wipe(self, tenant: Tenant, *, erasure: Event) -> int:
        """Remove what a tenant asked, and the words in its events."""
        self._files.refresh()
        emptied = self._files.empty(tenant, erasure)
        self._usage.wipe(tenant)
        return emptied

    def _refresh(self) -> None:
        self._files.refresh()

    def close(self) -> None:
        """Let go of files and connections."""
        self._database.close()
