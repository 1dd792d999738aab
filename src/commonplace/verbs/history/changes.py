"""What changed in curated space, with the way back for each change."""

from __future__ import annotations

from ...rules.actions import ABANDONED, TOLD_ONLY, UNDOABLE
from ...value import Value
from ..catch_up import catch_up

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from ...model import Event, Memory
    from ..engine import Engine

MOST_EVENTS = 100_000


class Changed(Value):
    """One change: what happened to which memory, and how to undo it."""

    event: Event
    memory: Memory | None
    """None when it is no longer in the book."""
    revert: str
    """The command that undoes it; empty where none can."""


def changes(
    engine: Engine,
    since: datetime,
    *,
    owners: tuple[str, ...] = ("curated",),
    automatic: bool | None = None,
    limit: int = 1_000,
) -> list[Changed]:
    """Changes since then to memories with these owners, newest first."""
    catch_up(engine)
    events = engine.ledger.events(visible=engine.visible, since=since, limit=MOST_EVENTS)
    undone = {one.related[0] for one in events if one.action == ABANDONED and one.related}
    happened = [
        one
        for one in events
        if one.action not in (ABANDONED, *TOLD_ONLY)
        and one.id not in undone
        and (automatic is None or one.automatic == automatic)
    ]
    memories = engine.store.read({one.memory for one in happened}, visible=engine.visible)
    found = [
        Changed(one, memories.get(one.memory), _way_back(one))
        for one in happened
        if one.memory not in memories or memories[one.memory].owner in owners
    ]
    return found[:limit]


def _way_back(event: Event) -> str:
    return f"commonplace revert {event.id}" if event.action in UNDOABLE else ""
