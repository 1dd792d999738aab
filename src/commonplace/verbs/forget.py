"""Forget, bring back, and remove for good."""

from __future__ import annotations

from ..engine import revisions
from ..engine.catch_up import with_index
from ..engine.commit import commit, event, follow
from ..model import identity
from ..model.codec import to_millisecond
from ..model.errors import CommonplaceError, Conflict
from ..model.memory import LIVE
from ..model.results import Forgotten, Purged, Restored
from ..model.scope import Tenant
from ..ports.record_store import Put
from ..ports.search_index import Where
from ..rules import access, proposals
from .find import get

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..engine.engine import Engine
    from ..model.memory import Event, Memory
    from ..ports.record_store import Lease


def forget(engine: Engine, ref: str) -> Forgotten:
    """Stop recalling a memory; it stays in the book and can be restored."""
    memory = get(engine, ref)
    access.require_writable(engine.context, memory.scope)
    with engine.store.lease() as lease:
        old = _current(engine, memory)
        now = to_millisecond(engine.now())
        gone = old.but(status="deleted", deleted_at=now, updated=now)
        events = [event(engine, "forgotten", gone, before=old)]
        done = commit(engine, lease, [Put(gone, expect=old)], events)
    return Forgotten(done.stored[0].memory)


def restore(engine: Engine, ref: str) -> Restored:
    """Recall a forgotten, archived or superseded memory again."""
    memory = get(engine, ref)
    access.require_writable(engine.context, memory.scope)
    with engine.store.lease() as lease:
        old = _current(engine, memory)
        successors = with_index(engine, lambda: _successors(engine, old))
        for newer in successors:
            if newer.status in LIVE:
                raise Conflict(
                    f"A newer version, {newer.id}, has taken this memory's place.",
                    hint=f"Forget that one first, or undo the change with `revert {newer.id}`.",
                )
        now = to_millisecond(engine.now())
        back = old.but(status="active", deleted_at=None, superseded_by=None, updated=now)
        # Readers take a memory for superseded as long as a successor claims its place.
        claims = [
            newer
            for newer in successors
            if revisions.replaces(newer, old) and access.may_write(engine.context, newer.scope)
        ]
        puts = [
            Put(back, expect=old),
            *(Put(one.but(superseded_by=old.id, updated=now), expect=one) for one in claims),
        ]
        done = commit(engine, lease, puts, _restored(engine, puts))
    return Restored(done.stored[0].memory)


def purge(engine: Engine, ref: str) -> Purged:
    """Remove a memory and its earlier versions for good, leaving only content-free tombstones.

    What was merged into it counts as one of those; all go as far as the caller may write them. One
    part that fails does not keep the others from being done: the tombstones hold, and `sync`
    removes what is left.
    """
    memory = get(engine, ref)
    access.require_writable(engine.context, memory.scope)
    with engine.store.lease() as lease:
        doomed = [memory, *with_index(engine, lambda: revisions.all_earlier(engine, memory))]
        doomed += _copies(engine, doomed)
        doomed += _proposals(engine, doomed)
        ids = [one.id for one in doomed]
        derived = _derived(engine, ids)
        engine.ledger.append([event(engine, "purged", one) for one in doomed])
        _remove(engine, doomed, lease)
    return Purged(tuple(ids), tuple(derived))


def _copies(engine: Engine, doomed: Sequence[Memory]) -> list[Memory]:
    """The same texts elsewhere, as after a promotion: their tombstones would hide them anyway.

    A fact of another place is another fact, unless it was made from this one.
    """
    where = Where(content_hashes=tuple({identity.content_hash(one.content) for one in doomed}))
    same = engine.index.select(where, visible=engine.visible, limit=1_000)
    digests = {engine.digest(one) for one in doomed}
    tenants = {Tenant.of(one.scope) for one in doomed}
    known = {one.id for one in doomed}
    copies: list[Memory] = []
    for one in sorted(same, key=lambda one: one.id):  # A copy is made after what it is a copy of.
        made_from = Tenant.of(one.scope) in tenants and not known.isdisjoint(one.derived_from)
        alike = engine.digest(one) in digests or made_from
        if alike and one.id not in known and access.may_write(engine.context, one.scope):
            copies.append(one)
            known.add(one.id)
    return copies


def _proposals(engine: Engine, doomed: Sequence[Memory]) -> list[Memory]:
    """What was proposed about purged memories names them by their words, and goes too."""
    known = {one.id for one in doomed}
    found: dict[str, Memory] = {}
    for origin in known:
        where = Where(derived_from=origin, kinds=(proposals.KIND,))
        for one in engine.index.select(where, visible=engine.visible, limit=1_000):
            if one.id not in known and access.may_write(engine.context, one.scope):
                found[one.id] = one
    return list(found.values())


def _remove(engine: Engine, doomed: Sequence[Memory], lease: Lease) -> None:
    ids = [one.id for one in doomed]
    texts = [text for one in doomed for text in _texts(one)]
    # Whoever may purge only what is theirs removes no question that somebody else has asked.
    own = None if engine.context.role == "owner" else Tenant.of(engine.context.scope)
    failures = attempted(
        lambda: engine.ledger.scrub(ids, texts, within=own),
        lambda: engine.store.erase(ids, lease=lease),
        lambda: follow(engine),
        lambda: engine.index.forget(ids),
    )
    if failures:
        raise failures[0]


def attempted(*steps: Callable[[], object]) -> list[CommonplaceError]:
    """Do every step, whatever becomes of the others; returns what went wrong."""
    failures: list[CommonplaceError] = []
    for step in steps:
        try:
            step()
        except CommonplaceError as error:
            failures.append(error)
    return failures


def _current(engine: Engine, memory: Memory) -> Memory:
    return engine.store.read([memory.id], visible=engine.visible).get(memory.id, memory)


def _successors(engine: Engine, old: Memory) -> list[Memory]:
    """Everything that took a memory's place, and what took theirs."""
    claimed = engine.index.select(Where(supersedes=old.id), visible=engine.visible)
    current = engine.store.read([one.id for one in claimed], visible=engine.visible)
    return list(
        {one.id: one for one in (*revisions.later(engine, old), *current.values())}.values()
    )


def _restored(engine: Engine, puts: Sequence[Put]) -> list[Event]:
    ids = [put.memory.id for put in puts]
    return [
        event(
            engine,
            "restored",
            put.memory,
            before=put.expect,
            related=[id for id in ids if id != put.memory.id],
        )
        for put in puts
    ]


def _derived(engine: Engine, ids: list[str]) -> list[str]:
    found: list[str] = []
    for origin in ids:
        children = engine.index.select(Where(derived_from=origin), visible=engine.visible)
        found += [child.id for child in children if child.id not in ids]
    return found


def _texts(memory: Memory) -> list[str]:
    return [text for text in (memory.content, memory.value, memory.summary) if text]
