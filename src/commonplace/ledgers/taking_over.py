"""Sorting out another ledger's events: whole chains that can go on, and events to link anew."""

from __future__ import annotations

from ..scope import EVERYTHING
from .history import readable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ..model import Event
    from ..ports.auditing import Ledger

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
