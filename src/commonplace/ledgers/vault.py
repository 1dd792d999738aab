"""The ledger of a vault: event files inside it, counters and the retrieval log beside the index."""

from __future__ import annotations

import os

from ..errors import Damaged
from ..model import Verified
from .database import LedgerDatabase
from .events import EventFiles
from .history import History
from .kept import KeptLedger
from .usage import KEEP, Usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..model import Event


class VaultLedger(KeptLedger):
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
        self._history = History(self._database)
        self._files = EventFiles(root, state=state, database=self._database, history=self._history)
        self._usage = Usage(self._database, keep=keep)

    def append(self, events: Sequence[Event]) -> None:
        """Add events to this device's chain, durably and in order."""
        self._files.append(events)

    def verify(self) -> Verified:
        """Check every device's chain for changed, removed and reordered events."""
        count, problems = self._files.verify()
        return Verified(count, tuple(problems))

    def mend(self) -> int:
        """Put back events of this device that a stale copy of its file had lost."""
        return self._files.mend()

    def _refresh(self) -> None:
        self._files.refresh()

    def close(self) -> None:
        """Let go of files and connections."""
        self._database.close()
