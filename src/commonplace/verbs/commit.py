"""The one way a change reaches the book: audit event, then record, then index."""

from __future__ import annotations

import json

from ..errors import Busy, Damaged, Unavailable
from ..model import Event
from ..rules.codec import to_fields
from ..value import Value
from .catch_up import advance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..model import Memory
    from ..ports.records import Lease, Put, Stored
    from .engine import Engine

UNDOABLE = frozenset({
    "status", "superseded_by", "deleted_at", "updated", "slug", "title", "aliases", "tags",
    "topic", "tier", "kind", "owner", "sensitivity", "always_load", "confidence", "trust",
    "source", "source_tasks", "valid_from", "valid_until", "review_after", "expires",
})  # fmt: skip
"""Metadata that changes in place and is kept in the event, so that a change can be undone."""


class Committed(Value):
    """What a commit left behind."""

    stored: tuple[Stored, ...]
    indexed: bool
    """False when the records are safe but the index could not follow; `sync` repairs it."""


def commit(engine: Engine, lease: Lease, puts: Sequence[Put], events: Sequence[Event]) -> Committed:
    """Write records with their events. The record is the commit point.

    Events go first: a crash in between leaves an event of a change that did not happen, never a
    change without an event.
    """
    if engine.settings.limits.any and not all(one.automatic for one in events):
        from .limits import refuse_too_much

        refuse_too_much(engine, puts)
    engine.ledger.append(events)
    try:
        stored = engine.store.write(puts, lease=lease)
    except BaseException:
        engine.ledger.append([_abandoned(engine, event) for event in events])
        raise
    return Committed(tuple(stored), follow(engine))


def follow(engine: Engine) -> bool:
    """Let the index follow what was just written; a failing index never fails the write.

    A broken one is left to the next reader: whoever writes holds the lease and is not kept.
    """
    try:
        advance(engine, look=False)
    except (Unavailable, Busy, Damaged):
        return False
    return True


def event(
    engine: Engine,
    action: str,
    memory: Memory,
    *,
    before: Memory | None = None,
    related: Sequence[str] = (),
    automatic: bool = False,
) -> Event:
    """The audit event of one change; it names the memory and holds none of its text."""
    return Event(
        id=engine.id(),
        at=engine.now(),
        action=action,
        memory=memory.id,
        scope=str(memory.scope),
        by=engine.source,
        automatic=automatic or engine.automatic,
        before=_changed_metadata(before, memory) if before else "{}",
        related=tuple(related),
        digest=engine.digest(memory),
    )


def _changed_metadata(before: Memory, after: Memory) -> str:
    old, new = to_fields(before), to_fields(after)
    changed = {name: old.get(name) for name in sorted(UNDOABLE) if old.get(name) != new.get(name)}
    return json.dumps(changed, ensure_ascii=False)


def _abandoned(engine: Engine, event: Event) -> Event:
    return event.but(id=engine.id(), at=engine.now(), action="abandoned", related=(event.id,))
