"""The inbox: what waits for a person's word, and what becomes of it.

Proposals of tidying and memories that were staged because something more trusted says otherwise
lie in it together. A yes goes through the same verbs as anything a person does; a no is remembered.
"""

from __future__ import annotations

from ..engine import resolve
from ..engine.catch_up import with_index
from ..engine.commit import commit, event
from ..engine.embed import embed_whole
from ..engine.resolve import PartlySuperseded, partly_superseded
from ..model.codec import to_millisecond
from ..model.errors import BadInput, Conflict, Refused
from ..model.memory import LIVE, Draft
from ..model.scope import Scope
from ..model.value import Value
from ..notes import wikilinks
from ..ports.record_store import Put
from ..ports.search_index import Where
from ..rules import access, proposals
from ..rules.relations import versions
from .find import get

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..engine.engine import Engine
    from ..model.memory import Memory

MOST = 1_000
LISTING = ("archive", "confirm")
"""Proposals that list what they are about, so that a person can strike something out."""


class Waiting(Value):
    """One thing in the inbox, and the memories it is about."""

    memory: Memory
    action: str
    """What a yes would do: archive, merge, contradiction, promote, …; `remember` for a memory."""
    about: tuple[Memory, ...] = ()


class Decided(Value):
    """What a person's word did."""

    memory: Memory
    """What was in the inbox, as it is now."""
    action: str
    accepted: bool
    changed: tuple[Memory, ...] = ()
    """The other memories that were made or changed."""


def inbox(engine: Engine, *, limit: int = MOST) -> list[Waiting]:
    """What waits, newest first."""
    where = Where(statuses=("staged",))
    staged = with_index(
        engine, lambda: engine.index.select(where, visible=engine.visible, limit=limit)
    )
    return [_waiting(engine, memory) for memory in staged]


def look(engine: Engine, ref: str) -> Waiting:
    """One thing in the inbox."""
    return _waiting(engine, _staged(engine, ref))


def accept(engine: Engine, ref: str, *, keep: str | None = None) -> Decided:
    """Do what was proposed. Of a contradiction, `keep` has to name the memory that holds."""
    memory = _staged(engine, ref)
    access.require_writable(engine.context, memory.scope)
    if keep is not None and proposals.action_of(memory) != "contradiction":
        raise BadInput("Only of a contradiction one side is kept.", hint="Leave out `keep`.")
    if memory.kind != proposals.KIND:
        return _remember(engine, memory)
    action = proposals.action_of(memory)
    targets = _still_listed(memory, _targets(engine, memory))
    if action == "contradiction":
        targets = _kept_first(engine, targets, keep)
    make = _MAKE.get(action)
    made = make(engine, memory, targets) if make else None
    changes = _CHANGE.get(action, _leave)(engine, targets) if make is None else []
    closed = _closed(engine, memory, became=made)
    partly = partly_superseded(engine, targets[0], targets[1:]) if action == "contradiction" else []
    apart = {one.old.id for one in partly}
    changes = [put for put in changes if put.memory.id not in apart]
    done = _commit(engine, "accepted", [Put(closed, expect=memory), *changes], partly)
    made_ids = {one.made.new.id for one in partly}
    for one in done:
        if one.id in made_ids:
            embed_whole(engine, one)
    return Decided(done[0], action, True, (*((made,) if made else ()), *done[1:]))


def reject(engine: Engine, ref: str) -> Decided:
    """Leave everything as it is; the same is not proposed again."""
    memory = _staged(engine, ref)
    access.require_writable(engine.context, memory.scope)
    now = to_millisecond(engine.now())
    gone = memory.but(status="deleted", deleted_at=now, updated=now)
    # What was only marked because of the question is as good as before.
    freed = [
        Put(target.but(status="active"), expect=target)
        for target in _targets(engine, memory)
        if memory.kind == proposals.KIND
        and target.status in ("stale", "review")
        and access.may_write(engine.context, target.scope)
    ]
    done = _commit(engine, "rejected", [Put(gone, expect=memory), *freed])
    return Decided(done[0], _action(memory), False, tuple(done[1:]))


def _staged(engine: Engine, ref: str) -> Memory:
    memory = get(engine, ref)
    if memory.status != "staged":
        raise Conflict(
            f"{memory.slug or memory.id} does not wait in the inbox.",
            hint="See `commonplace inbox list`.",
        )
    return memory


def _waiting(engine: Engine, memory: Memory) -> Waiting:
    return Waiting(memory, _action(memory), tuple(_targets(engine, memory)))


def _action(memory: Memory) -> str:
    return proposals.action_of(memory) if memory.kind == proposals.KIND else "remember"


def _targets(engine: Engine, memory: Memory) -> list[Memory]:
    found = engine.store.read(memory.derived_from, visible=engine.visible)
    return [found[id] for id in memory.derived_from if id in found]


def _still_listed(memory: Memory, targets: Sequence[Memory]) -> list[Memory]:
    """Without those that a person took off the list of what is to go, or still holds."""
    if proposals.action_of(memory) not in LISTING:
        return list(targets)
    listed = {wikilinks.normalized(link.target) for link in wikilinks.parse(memory.content)}
    return [
        one
        for one in targets
        if not listed.isdisjoint(map(wikilinks.normalized, (one.id, one.slug, one.title)))
    ]


def _kept_first(engine: Engine, targets: Sequence[Memory], keep: str | None) -> list[Memory]:
    """Which side holds is for the person to say: a plain yes does not tell."""
    names = ", ".join(target.slug or target.id for target in targets)
    if keep is None:
        raise BadInput("Only one of these can hold.", hint=f"Say which to keep: {names}.")
    kept = get(engine, keep)
    if all(target.id != kept.id for target in targets):
        raise BadInput(f"{keep[:80]!r} is not one of the two.", hint=f"Keep one of: {names}.")
    return sorted(targets, key=lambda target: target.id != kept.id)


def _remember(engine: Engine, memory: Memory) -> Decided:
    """A staged memory becomes an ordinary one, and takes the place of what its key said before."""
    active = memory.but(status="active", updated=to_millisecond(engine.now()))
    puts = [Put(active, expect=memory)]
    for known in _same_key(engine, memory):
        puts.append(Put(versions.retired(known, active), expect=known))
        active = active.but(supersedes=known.id, version=known.version + 1)
        puts[0] = Put(active, expect=memory)
    done = _commit(engine, "accepted", puts)
    return Decided(done[0], "remember", True, tuple(done[1:]))


def _same_key(engine: Engine, memory: Memory) -> list[Memory]:
    if memory.key is None:
        return []
    where = Where(key=memory.key, scopes=(str(memory.scope),), statuses=LIVE)
    found = with_index(engine, lambda: engine.index.select(where, visible=engine.visible))
    known = engine.store.read([one.id for one in found], visible=engine.visible)
    return [one for one in known.values() if one.namespace == memory.namespace][:1]


def _closed(engine: Engine, memory: Memory, *, became: Memory | None) -> Memory:
    now = to_millisecond(engine.now())
    if became is None:
        return memory.but(status="archived", updated=now)
    return memory.but(status="superseded", superseded_by=became.id, updated=now)


def _commit(
    engine: Engine, action: str, puts: Sequence[Put], partly: Sequence[PartlySuperseded] = ()
) -> list[Memory]:
    """One decision: everything it changes is undone together."""
    also = [put for one in partly for put in one.made.puts]
    for put in (*puts, *also):
        access.require_writable(engine.context, put.memory.scope)
    ids = [put.memory.id for put in puts] + [one.made.new.id for one in partly]
    with engine.store.lease() as lease:
        events = [
            event(
                engine,
                action,
                put.memory,
                before=put.expect,
                related=[id for id in ids if id != put.memory.id],
            )
            for put in puts
        ]
        events += resolve.partial_events(engine, partly, puts[0].memory)
        done = commit(engine, lease, [*puts, *also], events)
    return [one.memory for one in done.stored]


# What a yes changes


def _archive(engine: Engine, targets: Sequence[Memory]) -> list[Put]:
    now = to_millisecond(engine.now())
    return [
        Put(one.but(status="archived", always_load=False, updated=now), expect=one)
        for one in targets
        if one.status in LIVE
    ]


def _confirm(engine: Engine, targets: Sequence[Memory]) -> list[Put]:
    now = to_millisecond(engine.now())
    return [
        Put(one.but(status="active", review_after=None, updated=now), expect=one)
        for one in targets
        if one.status in LIVE
    ]


def _supersede(engine: Engine, targets: Sequence[Memory]) -> list[Put]:
    """The first holds, the others give way."""
    if len(targets) < 2:
        raise _gone()
    now = to_millisecond(engine.now())
    first, *others = targets
    puts = [
        Put(versions.retired(one, first).but(updated=now), expect=one)
        for one in others
        if one.status in LIVE
    ]
    if first.status in ("review", "stale"):
        puts.append(Put(first.but(status="active", updated=now), expect=first))
    return puts


def _leave(engine: Engine, targets: Sequence[Memory]) -> list[Put]:
    """Seen, and fine as it is."""
    return [Put(one.but(status="active"), expect=one) for one in targets if one.status == "review"]


# What a yes makes


def _merge(engine: Engine, memory: Memory, targets: Sequence[Memory]) -> Memory:
    from ..engine.drafts import summarized
    from .maintain.plan import merged

    live = [one for one in targets if one.status in LIVE]
    if len(live) < 2:
        raise _gone()
    text = proposals.proposed_text(memory)
    new, puts = merged(live, text, id=engine.id(), now=to_millisecond(engine.now()))
    puts[0] = Put(summarized(engine, new))
    related = [one.id for one in live]
    with engine.store.lease() as lease:
        events = [
            event(engine, "merged", new, related=related),
            *(
                event(engine, "superseded", put.memory, before=put.expect, related=(new.id,))
                for put in puts[1:]
            ),
        ]
        done = commit(engine, lease, puts, events)
    return done.stored[0].memory


def _promote(engine: Engine, memory: Memory, targets: Sequence[Memory]) -> Memory:
    from .promote import promote

    live = [one for one in targets if one.status in LIVE]
    if not live:
        raise _gone()
    return promote(engine, live[0].id, Scope.parse(proposals.proposed_text(memory))).memory


def _learn(engine: Engine, memory: Memory, targets: Sequence[Memory]) -> Memory:
    from .save import save

    return save(
        engine,
        Draft(
            content=proposals.proposed_text(memory),
            scope=memory.scope,
            kind=proposals.kind_of(memory),
            basis="stated",
            sensitivity=memory.sensitivity,
            derived_from=tuple(one.id for one in targets),
        ),
    ).memory


def _gone() -> Refused:
    return Refused(
        "What this was about has changed since.", hint="Reject it; tidying looks again tonight."
    )


_CHANGE: dict[str, Callable[[Engine, Sequence[Memory]], list[Put]]] = {
    "archive": _archive,
    "confirm": _confirm,
    "contradiction": _supersede,
    "supersede": _supersede,
}
_MAKE: dict[str, Callable[[Engine, Memory, Sequence[Memory]], Memory]] = {
    "merge": _merge,
    "promote": _promote,
    "pattern": _learn,
}
