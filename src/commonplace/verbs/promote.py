"""Carry a memory to a broader scope: the one way across."""

from __future__ import annotations

from ..model import LIVE, Promoted
from ..ports import Put, Where
from ..rules import identity, scoping, versions
from ..rules.codec import to_millisecond
from ..scope import EVERYTHING, Scope
from .catch_up import catch_up
from .commit import commit, event
from .find import get

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .engine import Engine


def promote(engine: Engine, ref: str, to: Scope | str) -> Promoted:
    """Copy a memory to a scope above its own, linked back to where it came from."""
    origin, target = get(engine, ref), Scope.of(to)
    scoping.require_promotable(origin.scope, target)
    scoping.require_writable(engine.context, target)
    id, now = engine.id(), to_millisecond(engine.now())
    copy = origin.but(
        id=id,
        scope=target,
        slug=identity.slug(origin.title or origin.key or origin.content[:300], id),
        derived_from=(origin.id,),
        supersedes=None,
        superseded_by=None,
        version=1,
        updated=now,
        imported_id=None,
        episode=None,
        position=None,
    )
    with engine.store.lease() as lease:
        catch_up(engine, look=False)
        where = Where(
            scopes=(str(target),), statuses=LIVE, content_hash=identity.content_hash(copy.content)
        )
        known = engine.index.select(where, visible=EVERYTHING, limit=1)
        seen = known[0] if known else None
        put = Put(versions.refreshed(seen, copy) if seen else copy, expect=seen)
        done = commit(
            engine, lease, [put], [event(engine, "promoted", put.memory, related=(origin.id,))]
        )
    return Promoted(done.stored[0].memory, origin.id)
