"""The one way a change reaches the book: audit events first, then the records, then the index.

The records are the commit point. A process killed with SIGKILL

- between events and records leaves events of a change that did not happen, never a change without
  an event; `engine.interrupted` marks them before anybody reads them;
- while a vault writes one record leaves what `backends/vault/writer.py` explains;
- between two records, which a vault writes one by one, leaves a new version beside the old one,
  which readers already take for superseded. `verbs.sync.mend` retires the old one, and `maintain`
  retires the parts of a merge;
- between records and index leaves an index that is behind the store. The next read or write calls
  `catch_up.index_new_changes`, which indexes every change since the revision that the index has;
- between index and vector leaves a memory that is found by its words alone, until the next
  `embed.embed_pending` (a background thread or process, `sync` or `maintain`);
- between a save's answer and its review leaves both of two memories of which one replaces the
  other, until `maintain` compares them.
"""

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
from ..rules import authority
from ..rules import limits as rules
from ..rules.audit import REFUSED
from .catch_up import index_new_changes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Sequence
    from datetime import datetime
    from typing import TypeVar

    from ..model.memory import Memory
    from ..model.scope import Scope
    from ..ports.record_store import Lease, Put
    from .change_set import ChangeSet
    from .engine import Engine

    T = TypeVar("T")


UNDOABLE_FIELDS = frozenset({
    "scope", "status", "superseded_by", "deleted_at", "updated", "slug", "title", "aliases", "tags",
    "topic", "tier", "kind", "owner", "sensitivity", "always_load", "confidence", "importance",
    "trust", "source", "source_tasks", "source_agent", "valid_from", "valid_until", "review_after",
    "expires", "commit",
})  # fmt: skip
"""Metadata that changes in place; events keep the old values, so that a change can be undone."""


class Committed(Value):
    """The records as written."""

    memories: dict[str, Memory]
    """By the id they had in the ChangeSet, in the order they were written."""
    indexed: bool
    """False when the records are safe but the index could not follow; `sync` repairs it."""

    @property
    def first(self) -> Memory:
        """The record that was written first."""
        return next(iter(self.memories.values()))


def commit(
    engine: Engine, lease: Lease, changes: ChangeSet, *, same_meaning: bool = False
) -> Committed:
    """Write the events and records of a change set, and let the index follow.

    Raises NotAllowed if a person's memory would be changed by others. `same_meaning` is for repairs
    and new keys, which change no word of anybody.
    """
    puts, at = list(changes.puts.values()), engine.now()
    if not same_meaning:
        authority.require_authority(engine.source, puts, at)
    events = [
        event(
            engine,
            one.action,
            one.memory,
            before=one.before,
            related=one.related,
            automatic=one.automatic,
            at=at,
        )
        for one in changes.events
    ]
    if engine.settings.limits.is_set and not all(one.automatic for one in events):
        _refuse_over_limits(engine, puts)
    engine.ledger.append(events)
    try:
        stored = engine.store.write(puts, lease=lease)
    except BaseException:
        engine.ledger.append([abandoned_event(engine, event) for event in events])
        raise
    written = {put.memory.id: one.memory for put, one in zip(puts, stored, strict=True)}
    return Committed(written, index_changes(engine))


def decide_and_commit(
    engine: Engine, scopes: Iterable[Scope], decide: Callable[[], tuple[ChangeSet, T]]
) -> tuple[Committed, T]:
    """Decide under the lease of the tenants of these scopes, and commit what was decided.

    Changes that reach other tenants are decided again, under the lease of those as well.
    """
    wanted = set(scopes)
    while True:
        with engine.store.lease(scopes=wanted) as lease:
            changes, decided = decide()
            if not changes.puts:
                return Committed({}, indexed=True), decided
            if lease.covers(changes.scopes):
                return commit(engine, lease, changes), decided
        wanted |= changes.scopes


def index_changes(engine: Engine) -> bool:
    """Index what was just written; a failing index never fails the write.

    A broken index is left for the next reader to rebuild: a writer holds the lease.
    """
    try:
        index_new_changes(engine, look=False)
    except (Unavailable, Busy, Damaged):
        return False
    return True


def event(
    engine: Engine,
    action: str,
    memory: Memory,
    *,
    before: Memory | None = None,
    related: Iterable[str] = (),
    automatic: bool = False,
    at: datetime | None = None,
) -> Event:
    """The audit event of one change; it names the memory and holds none of its text."""
    return Event(
        id=engine.id(),
        at=at or engine.now(),
        action=action,
        memory=memory.id,
        scope=str(memory.scope),
        by=engine.source,
        automatic=automatic or engine.all_automatic,
        before=_changed_metadata(before, memory) if before else "{}",
        related=tuple(related),
        digest=engine.content_fingerprint(memory),
    )


def _changed_metadata(before: Memory, after: Memory) -> str:
    old, new = to_fields(before), to_fields(after)
    changed = {
        name: old.get(name) for name in sorted(UNDOABLE_FIELDS) if old.get(name) != new.get(name)
    }
    return json.dumps(changed, ensure_ascii=False)


def abandoned_event(engine: Engine, event: Event) -> Event:
    """The event that says that another one's change was not made."""
    return event.but(id=engine.id(), at=engine.now(), action="abandoned", related=(event.id,))


def _refuse_over_limits(engine: Engine, puts: Sequence[Put]) -> None:
    """Raise Refused when a write would pass a limit of a tenant.

    Called inside the lease, so that the writes of all processes are counted.
    """
    limits = engine.settings.limits
    by_tenant: dict[Tenant, list[Put]] = {}
    for put in puts:
        by_tenant.setdefault(Tenant.of(put.memory.scope), []).append(put)
    for tenant, theirs in by_tenant.items():
        if limits.writes_a_minute:
            since = engine.now() - timedelta(seconds=rules.MINUTE_S)
            lately = engine.ledger.count_writes(tenant, since=since)
            if sentence := rules.too_fast(limits, tenant, lately=lately, new=len(theirs)):
                hint = "Wait a minute, or write many texts as one."
                raise Refused(sentence, hint=hint).because("limit")
        created = [put.memory for put in theirs if put.expect is None]
        if created and limits.limits_room:
            held = engine.store.totals(tenant, sized=limits.bytes > 0)
            if sentence := rules.too_much(limits, tenant, held=held, new=_totals(created)):
                hint = "Purge what is no longer needed, or ask for more."
                raise Refused(sentence, hint=hint).because("limit")


def _totals(memories: Sequence[Memory]) -> Totals:
    sizes = (len(to_json(one).encode("utf-8", "replace")) for one in memories)
    return Totals(len(memories), sum(sizes))


@contextmanager
def audited_refusals(engine: Engine) -> Generator[None]:
    """Write an audit event whenever a gate refuses what is written in the block."""
    try:
        yield
    except Refused as error:
        # The refusal holds, whether or not the event can be written.
        with suppress(Unavailable, Busy, Damaged):
            reasons = dict.fromkeys(error.reasons)
            engine.ledger.append([_refusal_event(engine, error, one) for one in reasons])
        raise


def _refusal_event(engine: Engine, error: Refused, reason: str) -> Event:
    details = {"reason": reason, "texts": str(error.reasons.count(reason))}
    return Event(
        id=engine.id(),
        at=engine.now(),
        action=REFUSED,
        # No memory came of it; an id of its own keeps events of different writes apart.
        memory=engine.id(),
        scope=str(engine.context.scope),
        by=engine.source,
        automatic=engine.all_automatic,
        before=json.dumps(details),
    )
