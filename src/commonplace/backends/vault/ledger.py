"""The ledger of a vault: event files inside it, counters and the retrieval log beside the index.

The event files are the truth. A crash between a file and its table, or the loss of the tables,
costs no event: the next refresh reads the file again.
"""

from __future__ import annotations

import os

from ..common.ledger import event_table, table_ledger
from ..common.ledger.database import SqliteLedgerDatabase
from ..common.sqlite_file import retrying
from .event_files import EventFiles
from .identity import device_name, is_device_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ...model.memory import Event, Use
    from ...model.results import Verified
    from ...model.scope import Tenant


class VaultLedger(table_ledger.TableLedger):
    """The ledger of a book that is a folder."""

    def __init__(self, root: str, *, state: str, keep: int = table_ledger.KEEP) -> None:
        self._state = state
        # Counters and the log of questions are lost with the file, but no memory and no event.
        self._database = SqliteLedgerDatabase(os.path.join(state, "ledger.db"), durable=False)
        self._database.add_tables(event_table.SCHEMA + table_ledger.SCHEMA)
        super().__init__(self._database, self._database, keep=keep)
        self._files = EventFiles(root, state=state, database=self._database, events=self._events)

    def _own_chain(self) -> str:
        return device_name(self._state)

    def append(self, events: Sequence[Event]) -> None:
        """Add events to this device's chain, durably and in order."""
        self._files.append(events)

    @retrying
    def verify(self) -> Verified:
        """Check every device's chain for changed, removed and reordered events."""
        count, problems = self._files.verify()
        from ...model.results import Verified

        return Verified(count, tuple(problems))

    @retrying
    def restore_lost_events(self) -> int:
        """Put back events of this device that a stale copy of its file had lost.

        Removes conflict copies of event files that hold nothing more than the originals.
        """
        restored = self._files.restore_lost_events()
        self._files.remove_copies()
        return restored

    @retrying
    def import_history(self, lines: Iterable[tuple[str, str]], uses: Mapping[str, Use]) -> None:
        """Add another ledger's events and counters; doing it again changes nothing."""
        chains, others = event_table.by_chain(lines, is_ours=is_device_name)
        for name, whole in chains.items():
            self._files.put_back(name, whole)
        self._files.refresh()
        self.append(self._missing(others))
        self._set_uses(uses)

    @retrying
    def wipe(self, tenant: Tenant, *, erasure: Event) -> int:
        """Remove a tenant's recalls, and the words in its events."""
        self._files.refresh()
        emptied = self._files.empty(tenant, erasure)
        self._delete_retrievals(tenant)
        return emptied

    def close(self) -> None:
        """Let go of files and connections."""
        self._database.close()

    @retrying
    def _refresh(self) -> None:
        self._files.refresh()
