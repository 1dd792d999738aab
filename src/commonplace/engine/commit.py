"""The one way a change reaches the book: audit event, then record, then index."""

from __future__ import annotations

import json
from contextlib import contextmanager, suppress
from datetime import timedelta

from ..model.codec import to_fields, to_json
from ..model.errors import Busy, Damaged, Refused, Unavailable
from ..model.memory import Event
from ..model.scope import Tenant
from ..model.value import Value
from ..ports.record_store import Totals
from ..rules import limits as rules
from ..rules.audit import CONTRADICTED, REFUSED
from .catch_up import advance
from .drafts import refusal_of_many

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from ..model.memory import Memory
    from ..ports.record_store import Lease, Put, Stored
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


# Audit events of what changed no memory: a write that a gate refused, a contradiction found.


@contextmanager
def refusals(engine: Engine) -> Generator[None]:
    """Leave an event behind whenever a gate refuses what is written in the block."""
    try:
        yield
    except Refused as error:
        # The refusal holds, whether or not it can be noted.
        with suppress(Unavailable, Busy, Damaged):
            engine.ledger.append([_refused(engine, error, one) for one in _each(error)])
        raise


def contradicted(
    engine: Engine, newer: Memory, older: Sequence[str], *, automatic: bool = True
) -> Event:
    """The event of memories that cannot both be true, whatever is then done about them."""
    return event(engine, CONTRADICTED, newer, related=older, automatic=automatic)


def _each(error: Refused) -> tuple[str, ...]:
    return tuple(dict.fromkeys(error.reasons))


def _refused(engine: Engine, error: Refused, reason: str) -> Event:
    told = {"reason": reason, "texts": str(error.reasons.count(reason))}
    return Event(
        id=engine.id(),
        at=engine.now(),
        action=REFUSED,
        # No memory came of it; a name of its own keeps events of different writes apart.
        memory=engine.id(),
        scope=str(engine.context.scope),
        by=engine.source,
        automatic=engine.automatic,
        before=json.dumps(told),
    )


# Holding tenants to their limits, inside the lease: what is counted is what everybody wrote.


def refuse_too_much(engine: Engine, puts: Sequence[Put]) -> None:
    """Raise Refused when a write that somebody asked for would pass a limit of whoever it is for.

    The book's own upkeep is not asked: what it merges or archives is already there.
    """
    limits = engine.settings.limits
    new: dict[Tenant, list[Put]] = {}
    for put in puts:
        new.setdefault(Tenant.of(put.memory.scope), []).append(put)
    for tenant, theirs in new.items():
        if limits.writes_a_minute:
            since = engine.now() - timedelta(seconds=rules.MINUTE_S)
            lately = engine.ledger.count_writes(tenant, since=since)
            if sentence := rules.too_fast(limits, tenant, lately=lately, new=len(theirs)):
                raise _refusal(sentence, "Wait a minute, or write many texts as one.")
        created = [put.memory for put in theirs if put.expect is None]
        if created and limits.of_room:
            held = engine.store.totals(tenant, sized=limits.bytes > 0)
            if sentence := rules.too_much(limits, tenant, held=held, new=_size(created)):
                raise Refused(
                    sentence, hint="Purge what is no longer needed, or ask for more."
                ).because("limit")


def _refusal(sentence: str, hint: str) -> Refused:
    return Refused(sentence, hint=hint).because("limit")


def _size(memories: Sequence[Memory]) -> Totals:
    stored = (len(to_json(one).encode("utf-8", "replace")) for one in memories)
    return Totals(len(memories), sum(stored))


# Remember something: check, place, pass the gates, write, index.


def refuse_purged(engine: Engine, memories: Sequence[Memory]) -> None:
    """Raise Refused when one of these texts was purged where it would be written."""
    if not engine.ledger.burials():
        return
    digests = [engine.digest(memory) for memory in memories]
    if not (buried := engine.ledger.buried(digests)):
        return
    gone = Refused(
        "This text was purged from the book and stays gone.",
        hint="Word it differently if it should be remembered after all.",
    ).because("purged")
    places = [place for place, digest in enumerate(digests) if digest in buried]
    raise (
        gone if len(memories) == 1 else refusal_of_many(dict.fromkeys(places, gone), len(memories))
    )
