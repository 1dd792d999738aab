"""Undo a change together with what came of it; or everything that happened by itself."""

from __future__ import annotations

from ..engine.catch_up import catch_up
from ..model.errors import CommonplaceError
from ..model.memory import LIVE
from ..model.results import Reverted
from ..model.value import Value
from ..ports.search_index import Where
from ..rules.audit import ABANDONED, DERIVING, TOLD_ONLY, UNDOABLE
from .history import revert, undo_event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime

    from ..engine.engine import Engine
    from ..model.memory import Event, Memory


MOST_EVENTS = 1_000_000
MOST_DERIVED = 1_000


class LeftAlone(Value):
    """A change that could not be undone, and why."""

    event: str
    action: str
    memory: str
    why: str


class Undone(Value):
    """What an undo of many changes did, newest first."""

    reverted: tuple[Reverted, ...] = ()
    left_alone: tuple[LeftAlone, ...] = ()


def undo(engine: Engine, ref: str) -> Reverted:
    """Undo one change, or the last change to a memory, and what was derived from it by itself."""
    done = revert(engine, ref)
    also = _cascade(engine, done.memories, look=True)
    return done.but(memories=(*done.memories, *also)) if also else done


def undo_automatic(
    engine: Engine,
    since: datetime,
    *,
    progress: Callable[[int, int], object] = lambda done, of: None,
) -> Undone:
    """Undo every change since then that nobody asked for, newest first."""
    catch_up(engine)
    events = engine.ledger.events(visible=engine.visible, since=since, limit=MOST_EVENTS)
    wanted = _automatic(events)
    reverted: list[Reverted] = []
    left: list[LeftAlone] = []
    for number, event in enumerate(wanted):
        progress(number, len(wanted))
        try:
            memories = undo_event(engine, event)
        except CommonplaceError as error:
            left.append(LeftAlone(event.id, event.action, event.memory, str(error)))
            continue
        if memories is None:
            why = f"A change of the kind {event.action!r} cannot be undone."
            left.append(LeftAlone(event.id, event.action, event.memory, why))
        elif memories:
            also = _cascade(engine, memories, look=False)
            reverted.append(Reverted(event.id, event.action, (*memories, *also)))
    return Undone(tuple(reverted), tuple(left))


def _automatic(newest_first: Iterable[Event]) -> list[Event]:
    """Automatic changes that happened and were not undone already."""
    over: set[str] = set()
    found: list[Event] = []
    for event in newest_first:
        if event.id in over:
            continue
        if event.action in ("reverted", ABANDONED) and event.related:
            over.add(event.related[0])
        elif event.automatic and event.action not in TOLD_ONLY:
            found.append(event)
    return found


def _cascade(engine: Engine, memories: Iterable[Memory], *, look: bool) -> list[Memory]:
    """Take back what was derived, by nobody's wish, from memories that are gone now."""
    also: list[Memory] = []
    gone = [memory.id for memory in memories if memory.status == "deleted"]
    for origin in gone:
        for child in _derived(engine, origin):
            if (maker := _maker(engine, child)) is None:
                continue
            try:
                taken = undo_event(engine, maker, look=look) or ()
            except CommonplaceError:
                continue  # It was changed since, so somebody wants it.
            also += [*taken, *_cascade(engine, taken, look=look)]
    return also


def _derived(engine: Engine, origin: str) -> list[Memory]:
    where = Where(derived_from=origin, statuses=(*LIVE, "staged"))
    return engine.index.select(where, visible=engine.visible, limit=MOST_DERIVED)


def _maker(engine: Engine, memory: Memory) -> Event | None:
    events = engine.ledger.events(visible=engine.visible, memories=[memory.id], limit=MOST_DERIVED)
    return next(
        (
            one
            for one in events
            if one.memory == memory.id and one.action in DERIVING and one.automatic
        ),
        None,
    )


# What changed in curated space, with the way back for each change.


MOST_CHANGES = 100_000


class CuratedChange(Value):
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
) -> list[CuratedChange]:
    """Changes since then to memories with these owners, newest first."""
    catch_up(engine)
    events = engine.ledger.events(visible=engine.visible, since=since, limit=MOST_CHANGES)
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
        CuratedChange(one, memories.get(one.memory), _way_back(one))
        for one in happened
        if one.memory not in memories or memories[one.memory].owner in owners
    ]
    return found[:limit]


def _way_back(event: Event) -> str:
    return f"commonplace revert {event.id}" if event.action in UNDOABLE else ""
