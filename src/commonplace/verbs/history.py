"""The versions and audited changes of a memory, and the latest changes to curated memories."""

from __future__ import annotations

from ..engine import revisions
from ..engine.branch_view import present_branch
from ..engine.catch_up import catch_up_or_rebuild, with_index
from ..engine.interrupted import abandon_unwritten
from ..engine.stale_marks import warnings_of
from ..model.codec import require_moment
from ..model.value import Value
from ..rules import audit
from .find import get, shown_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from ..engine.engine import Engine
    from ..model.memory import Event, Memory


MOST_EVENTS = 1_000
MOST_CHANGES = 100_000


class History(Value):
    """Every version of a memory, oldest first, and the audited changes to them, newest first."""

    versions: tuple[Memory, ...]
    events: tuple[Event, ...]
    by_hand: tuple[str, ...] = ()
    """Versions that were edited by hand since the last change on record, or written by hand."""
    replaced_on: Mapping[str, str] = {}
    """Versions that hold where the caller works, by id: the unmerged branch that replaced each,
    empty if that is gone."""
    warnings: Mapping[str, str] = {}
    """Versions whose branch is not merged where the caller works, or in the folder of their
    project, by id, in words."""


def history(engine: Engine, ref: str) -> History:
    """All versions of a memory, and their changes."""
    memory = get(engine, ref)
    chain = with_index(engine, lambda: revisions.all_versions(engine, memory))
    events = read_events(engine, *(one.id for one in chain))
    by_hand = [one.id for one in chain if _by_hand(engine, one, _without_abandoned(events, one.id))]
    shown = shown_here(engine, chain)
    branches = {one.id: present_branch(engine, one) for one in chain}
    replaced_on = {
        old.id: branches.get(old.superseded_by or "", "")
        for old, now in zip(chain, shown, strict=True)
        if old.status != now.status
    }
    warnings = warnings_of(engine, chain)
    return History(shown, tuple(events), tuple(by_hand), replaced_on, warnings)


def _by_hand(engine: Engine, memory: Memory, changes: list[Event]) -> bool:
    return not changes or edited_by_hand(engine, memory, changes)


def edited_by_hand(engine: Engine, memory: Memory, changes: Iterable[Event]) -> bool:
    """Whether the text differs from that of the last change; `changes` are newest first."""
    known = (audit.ANCHORED, *audit.NO_CHANGE)
    digests = (one.digest for one in changes if one.digest and one.action not in known)
    last = next(digests, None)
    return last is not None and last != engine.content_fingerprint(memory)


def read_events(engine: Engine, *involved: str) -> list[Event]:
    """The events that name one of these memories or events, newest first."""
    return engine.ledger.events(visible=engine.visible, memories=involved, limit=MOST_EVENTS)


def changes_of(engine: Engine, id: str) -> list[Event]:
    """The changes of one memory, newest first, without abandoned ones."""
    return _without_abandoned(read_events(engine, id), id)


def _without_abandoned(events: Iterable[Event], id: str) -> list[Event]:
    return audit.without_abandoned(one for one in events if one.memory == id)


class CuratedChange(Value):
    """One change to a curated memory, and the command that undoes it."""

    event: Event
    memory: Memory | None
    """None if it is no longer in the book."""
    revert: str
    """The command that undoes the change; empty if none can."""


def changes(
    engine: Engine,
    since: datetime,
    *,
    owners: tuple[str, ...] = ("curated",),
    automatic: bool | None = None,
    limit: int = 1_000,
) -> list[CuratedChange]:
    """Changes since a moment to memories with these owners, newest first."""
    require_moment(since)
    catch_up_or_rebuild(engine)
    abandon_unwritten(engine)
    events = engine.ledger.events(visible=engine.visible, since=since, limit=MOST_CHANGES)
    happened = [
        one
        for one in audit.without_abandoned(events)
        if one.action not in audit.NO_CHANGE and (automatic is None or one.automatic == automatic)
    ]
    memories = engine.store.read({one.memory for one in happened}, visible=engine.visible)
    found = [
        CuratedChange(
            one, memories.get(one.memory), _revert_command(one) if one.memory in memories else ""
        )
        for one in happened
        if one.memory not in memories or memories[one.memory].owner in owners
    ]
    return found[:limit]


def _revert_command(event: Event) -> str:
    return f"commonplace revert {event.id}" if event.action in audit.UNDOABLE_ACTIONS else ""


def audit_log(engine: Engine, *, since: datetime | None = None, limit: int = 100) -> list[Event]:
    """Audited changes, newest first; what a killed writer left is marked as abandoned."""
    abandon_unwritten(engine)
    return engine.ledger.events(visible=engine.visible, since=since, limit=limit)
