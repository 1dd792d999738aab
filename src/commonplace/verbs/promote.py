"""Carry a memory to a broader scope: the one way across."""

from __future__ import annotations

from ..engine.catch_up import with_index
from ..engine.commit import commit, event
from ..engine.embed import embed_whole
from ..model import identity
from ..model.codec import to_millisecond
from ..model.errors import Conflict, Refused
from ..model.memory import LIVE
from ..model.results import Promoted
from ..model.scope import EVERYTHING, Scope
from ..ports.record_store import Put
from ..ports.search_index import Where
from ..rules import access
from ..rules.relations import versions
from .find import get

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..engine.engine import Engine
    from ..model.memory import Event, Memory


def promote(engine: Engine, ref: str, to: Scope | str) -> Promoted:
    """Copy a memory to a scope above its own, linked back to where it came from.

    The same text up there is refreshed, and another value of the same fact is replaced if the
    promoted one outweighs it.
    """
    origin, target = get(engine, ref), Scope.of(to)
    access.require_promotable(origin.scope, target)
    access.require_writable(engine.context, target)
    with engine.store.lease() as lease:
        origin = engine.store.read([origin.id], visible=engine.visible).get(origin.id, origin)
        if origin.status not in LIVE:
            raise Refused(
                f"{origin.id} is {origin.status}, and only a live memory is promoted.",
                hint="Bring it back with `restore` first.",
            )
        copy = _copy(engine, origin, target)
        known = with_index(engine, lambda: _known(engine, copy))
        puts, events = _plan(engine, copy, known, origin)
        done = commit(engine, lease, puts, events)
    promoted = events[0].memory
    written = zip(puts, done.stored, strict=True)
    made = next(stored.memory for put, stored in written if put.memory.id == promoted)
    embed_whole(engine, made)
    return Promoted(made, origin.id)


def _copy(engine: Engine, origin: Memory, target: Scope) -> Memory:
    id = engine.id()
    return origin.but(
        id=id,
        scope=target,
        slug=identity.slug(origin.title or origin.key or origin.content[:300], id),
        derived_from=(origin.id,),
        supersedes=None,
        superseded_by=None,
        version=1,
        updated=to_millisecond(engine.now()),
        imported_id=None,
        episode=None,
        position=None,
    )


def _known(engine: Engine, copy: Memory) -> Memory | None:
    """What the target scope already says: the same text, or a value of the same fact."""
    scopes, text = (str(copy.scope),), identity.content_hash(copy.content)
    wanted = [Where(scopes=scopes, statuses=LIVE, content_hashes=(text,))]
    if copy.key is not None:
        wanted.append(Where(scopes=scopes, statuses=LIVE, key=copy.key))
    for where in wanted:
        found = engine.index.select(where, visible=EVERYTHING)
        current = engine.store.read([one.id for one in found], visible=EVERYTHING)
        for one in current.values():
            same = (one.key, one.namespace) == (copy.key, copy.namespace)
            if copy.key is None:
                same = identity.wording(one) == identity.wording(copy)
            if one.status in LIVE and one.episode is None and same:
                return one
    return None


def _plan(
    engine: Engine, copy: Memory, known: Memory | None, origin: Memory
) -> tuple[list[Put], list[Event]]:
    """What to write, and its events; the first is that of the promoted memory."""
    if known is None:
        return [Put(copy)], [event(engine, "promoted", copy, related=(origin.id,))]
    if identity.wording(known) == identity.wording(copy):
        fresh = versions.refreshed(known, copy)
        told = event(engine, "deduplicated", fresh, before=known, related=(origin.id,))
        return [Put(fresh, expect=known)], [told]
    if not versions.supersedes(copy, known):
        raise Conflict(
            f"{known.scope} already has a value for {copy.key!r} that outweighs this one.",
            hint=f"Put that one right with `correct {known.id}`.",
        )
    replaced = versions.replacement(copy, known)
    new, gone = replaced.new, replaced.gone
    return list(replaced.puts), [
        event(engine, "promoted", new, related=(origin.id, gone.id)),
        event(engine, "superseded", gone, before=known, related=(new.id,)),
    ]
