"""Looks at a large vault in part, and says when a look at everything is due again.

Answers from a vault with more than `listing.LARGE` notes look at folders and at the notes they
show. The first one after a while leaves a look at everything, which a process or thread does once
the answer is given; if that one is killed, the next answer does it. The times are counters in the
manifest, so that all processes of a device share them.
"""

from __future__ import annotations

import time

from ...model.errors import Busy, Damaged, Unavailable
from ...model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from ..common.lease import SqliteLeases
    from ..common.sqlite import SqliteConnection

FRESH_NS = 1_000_000_000
"""A look at everything is good for so long."""
PAUSE_FACTOR = 20
"""In the long run, looks at everything take one part in so many of the time."""
SPARE_LOOKS = 3
"""Looks that may follow each other without such a pause, as for the first answers of an hour."""

_NAMES = ("looked", "look_cost", "look_paid", "look_left")


class LookTimes(Value):
    """The times of looks at everything, in nanoseconds."""

    looked: int
    """When the last one began."""
    cost: int
    """How long one took that found nothing."""
    paid: int
    """From when on another one is within its share of the time."""
    left: int
    """When an answer last left one to be done; 0 once that one is done."""

    def is_due(self, now: int) -> bool:
        """Whether an answer should leave a look at everything."""
        return now >= self.looked + FRESH_NS and now >= self.paid

    def allow_part(self, now: int) -> bool:
        """Whether folders are enough: no look was left undone, and the clock was not set back."""
        return not self.left and self.looked <= now


def read_times(db: SqliteConnection) -> LookTimes | None:
    """The times of a large vault; None for any other."""
    rows = db.execute("SELECT name, value FROM counters WHERE name >= 'look' AND name < 'lool'")
    found = dict(rows.fetchall())
    return LookTimes(*(found[name] for name in _NAMES)) if "looked" in found else None


def record_look(db: SqliteConnection, began: int, now: int, cost: int | None) -> None:
    """Record a look at everything, within a transaction; `cost` is None if it found changes."""
    before = read_times(db) or LookTimes(0, 0, 0, 0)
    cost = before.cost if cost is None else cost
    spare = now - SPARE_LOOKS * PAUSE_FACTOR * cost
    paid = min(max(before.paid, spare), now) + PAUSE_FACTOR * cost
    # One that was left meanwhile is still to be done, unless the clock was set back since.
    left = before.left if began < before.left <= now else 0
    db.executemany(
        "INSERT OR REPLACE INTO counters VALUES(?, ?)",
        list(zip(_NAMES, (began, cost, paid, left), strict=True)),
    )


def forget_looks(db: SqliteConnection) -> None:
    """Remove the times of a vault that is not large any more."""
    db.execute("DELETE FROM counters WHERE name >= 'look' AND name < 'lool'")


def leave_look(db: SqliteConnection, now: int) -> bool:
    """Leave a look at everything to be done; False if it was done or left meanwhile."""
    db.execute(
        "UPDATE counters SET value=?1 WHERE name='look_left' AND value=0"
        " AND ?1 >= (SELECT value + ?2 FROM counters WHERE name='looked')",
        (now, FRESH_NS),
    )
    return db.changes() == 1


class VaultPartialLook:
    """A look at the folders of a large vault, without edits in place."""

    def __init__(
        self,
        times: LookTimes,
        leases: SqliteLeases,
        missed_edits: Callable[[Collection[str]], bool],
    ) -> None:
        self._times = times
        self._leases = leases
        self._missed_edits = missed_edits

    def missed_edits(self, ids: Collection[str]) -> bool:
        """Whether a note with one of these memories was edited in place."""
        return self._missed_edits(ids)

    def leave_rest(self) -> bool:
        """Leave a look at every file to be done; False if it is not due or somebody does it."""
        now_ns = time.time_ns()
        if not self._times.is_due(now_ns):
            return False
        try:
            with self._leases.reading():
                return leave_look(self._leases.connection, now_ns)
        except (Busy, Damaged, Unavailable):
            return False  # The next answer tries again.

    def rest_is_left(self) -> bool:
        """Whether no look at every file was done since `leave_rest`."""
        with self._leases.reading():
            times = read_times(self._leases.connection)
        return times is not None and times.left > 0
