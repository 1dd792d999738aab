"""Mark the audit events of writers that were killed before they wrote the records.

An event comes before its record, so a kill in between leaves events of a memory that never was.
They get an `abandoned` event, as those of a failed write do. How far the chain was examined is in
a file of the state folder, so that each event is examined once.
"""

from __future__ import annotations

import os

from ..model.errors import Busy, Damaged, Unavailable
from ..model.identity import is_derived
from ..model.scope import EVERYTHING
from ..rules import audit
from .commit import abandoned_event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..model.memory import Event
    from .engine import Engine


FILE = "events-examined"
"""Holds the number of the last event that was examined."""
_IGNORED = (*audit.TOMBSTONES, audit.REFUSED, audit.MOVED, audit.ABANDONED)


def abandon_unwritten(engine: Engine) -> int:
    """Mark events of memories that no writer wrote; returns their number.

    Only for events of this device: those of another may arrive before its notes do.
    """
    try:
        if not engine.ledger.own_events(_examined(engine), visible=EVERYTHING):
            return 0
        # Under the lease, so that nobody is between his events and his records.
        with engine.store.lease(wait_s=0.0):
            numbered = engine.ledger.own_events(_examined(engine), visible=EVERYTHING)
            unwritten = _unwritten(engine, [event for _, event in numbered])
            engine.ledger.append([abandoned_event(engine, one) for one in unwritten])
            _remember(engine, numbered[-1][0] + len(unwritten) if numbered else 0)
        return len(unwritten)
    except (Unavailable, Busy, Damaged, OSError):
        return 0  # The next reader looks again.


def _unwritten(engine: Engine, events: Sequence[Event]) -> list[Event]:
    over = {of for one in events if one.action == audit.ABANDONED for of in one.related}
    open_events = [one for one in events if one.action not in _IGNORED and one.id not in over]
    named = {one.memory for one in open_events if not is_derived(one.memory)}
    missing = named - engine.store.known(named)
    missing -= engine.ledger.purged_keys(missing)
    # A change that needed the missing memory, as its replacement did, was not made either.
    return [one for one in open_events if not missing.isdisjoint((one.memory, *one.related))]


def _examined(engine: Engine) -> int:
    try:
        with open(os.path.join(engine.state, FILE), encoding="ascii") as file:
            return int(file.read())
    except (FileNotFoundError, ValueError):
        return 0


def _remember(engine: Engine, number: int) -> None:
    path = os.path.join(engine.state, FILE)
    draft = f"{path}.{os.getpid()}.tmp"
    with open(draft, "w", encoding="ascii") as file:
        file.write(str(number))
    os.replace(draft, path)
