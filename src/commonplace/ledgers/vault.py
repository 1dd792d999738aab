"""The ledger of a vault: event files inside it, counters and the retrieval log beside the index."""

from __future__ import annotations

import os

from ..errors import Damaged
from ..model import Verified
from .database import LedgerDatabase
from .events import EventFiles
from .history import History
from .usage import KEEP, Usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

    from ..model import Event, Retrieval, Use
    from ..scope import Visible


class VaultLedger:
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

    def events(
        self,
        *,
        visible: Visible,
        ids: Collection[str] | None = None,
        memories: Collection[str] | None = None,
        since: datetime | None = None,
        limit: int = 100,
    ) -> list[Event]:
        """Events newest first, from every device, by event id or by memory id."""
        self._files.refresh()
        return self._history.find(
            visible=visible, ids=ids, memories=memories, since=since, limit=limit
        )

    def verify(self) -> Verified:
        """Check every device's chain for changed, removed and reordered events."""
        count, problems = self._files.verify()
        return Verified(count, tuple(problems))

    def mend(self) -> int:
        """Put back events of this device that a stale copy of its file had lost."""
        return self._files.mend()

    def buried(self, keys: Collection[str]) -> set[str]:
        """Which of these memory ids or content digests were purged, on any device."""
        self._files.refresh()
        return self._history.buried(keys)

    def burials(self) -> int:
        """How many tombstones are known; grows when another device's purges arrive."""
        self._files.refresh()
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

    def scrub(self, ids: Collection[str], texts: Collection[str]) -> None:
        """Remove purged memories and their text from counters and logs."""
        self._usage.scrub(ids, texts)

    def close(self) -> None:
        """Let go of files and connections."""
        self._database.close()
