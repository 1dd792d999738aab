"""Copy a memory to a broader scope, or let it hold on every branch of its repository.

No other verb moves a memory between scopes.
"""

from __future__ import annotations

from ..engine.catch_up import with_index
from ..engine.change_set import ChangeSet
from ..engine.commit import audited_refusals, commit
from ..engine.drafts import refuse_purged, screen_version
from ..engine.embed import embed_one
from ..engine.propose import wait_for_person
from ..model import identity
from ..model.codec import to_millisecond
from ..model.errors import BadInput, Conflict, NotFound, Refused
from ..model.identity import normalized
from ..model.memory import LIVE
from ..model.results import Promoted
from ..model.scope import EVERYTHING, Scope
from ..ports.search_index import Where
from ..rules import access, authority, proposals
from ..rules.relations import replacement
from .find import get

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..engine.engine import Engine
    from ..model.memory import Memory


def promote(
    engine: Engine, ref: str, to: Scope | str | None = None, *, branch: str | None = None
) -> Promoted:
    """Copy a memory to a scope above its own, linked back to where it came from.

    If the target scope has the same text, that memory is refreshed; if it has another value of the
    same fact, the promoted value replaces it, or is refused if it counts for less. Without a scope
    the memory itself holds on every branch from now on.
    """
    origin = _meant(engine, ref, branch)
    if to is None:
        return _untie(engine, origin)
    target = Scope.of(to)
    access.require_promotable(origin.scope, target)
    access.require_writable(engine.context, target)
    if authority.actor_of(engine.source) != authority.PERSON and _loads_order(
        _copy(engine, origin, target)
    ):
        wait_for_person(engine, _proposed(engine, origin, target), origin)
    with engine.store.lease(scopes=[origin.scope, target]) as lease:
        origin = engine.store.read([origin.id], visible=engine.visible).get(origin.id, origin)
        if origin.status not in LIVE:
            raise Refused(
                f"{origin.id} is {origin.status}, and only a live memory is promoted.",
                hint="Bring it back with `restore` first.",
            )
        copy = _copy(engine, origin, target)
        with audited_refusals(engine):
            copy = screen_version(engine, origin, copy)
            refuse_purged(engine, [copy])
        known = with_index(engine, lambda: _known(engine, copy))
        changes, promoted = _plan(copy, known, origin)
        made = commit(engine, lease, changes).memories[promoted]
    embed_one(engine, made)
    return Promoted(made, origin.id)


def _meant(engine: Engine, ref: str, branch: str | None) -> Memory:
    """The memory of that name; by its exact text also one of a branch that is not merged here.

    A key means none of those: other branches may have other values.
    """
    try:
        return get(engine, ref, branch=branch)
    except NotFound as error:
        if branch or not error.branch:
            raise
        there = get(engine, ref, branch=error.branch)
        if normalized(there.content) != normalized(ref):
            raise
        return there


def _untie(engine: Engine, memory: Memory) -> Promoted:
    """Let a memory hold on every branch."""
    access.require_writable(engine.context, memory.scope)
    with engine.store.lease(scopes=[memory.scope]) as lease:
        memory = engine.store.read([memory.id], visible=engine.visible).get(memory.id, memory)
        if memory.commit is None:
            raise BadInput(
                f"{memory.id} holds on every branch already.",
                hint="Name a broader scope with --to, such as --to /.",
            )
        free = memory.but(commit=None, updated=to_millisecond(engine.now()))
        changes = ChangeSet()
        changes.change("generalized", free, before=memory)
        made = commit(engine, lease, changes).memories[memory.id]
    return Promoted(made, memory.id)


def _loads_order(copy: Memory) -> bool:
    return copy.status in LIVE and copy.key is None and authority.must_be_confirmed(copy)


def _proposed(engine: Engine, origin: Memory, target: Scope) -> Memory:
    """The proposal to begin every session of a broader scope with an order."""
    name, text = origin.slug or origin.id, str(target)
    return proposals.make_proposal(
        "promote",
        [origin],
        id=proposals.proposal_id("promote", [origin], text),
        now=to_millisecond(engine.now()),
        reason=f"An agent ({engine.source}) wants to promote [[{name}]], with which sessions would"
        " begin then.",
        text=text,
        source=engine.source,
    )


def _copy(engine: Engine, origin: Memory, target: Scope) -> Memory:
    id = engine.id()
    return origin.but(
        id=id,
        scope=target,
        trust=authority.least_trust((origin.trust, authority.trust_of(engine.source))),
        slug=identity.slug(origin.title or origin.key or origin.content[:300], id),
        derived_from=(origin.id,),
        supersedes=None,
        superseded_by=None,
        version=1,
        updated=to_millisecond(engine.now()),
        imported_id=None,
        episode=None,
        position=None,
        repository=None,
        commit=None,
        branch=None,
    )


def _known(engine: Engine, copy: Memory) -> Memory | None:
    """The memory of the target scope with the same text, or with a value of the same fact."""
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


def _plan(copy: Memory, known: Memory | None, origin: Memory) -> tuple[ChangeSet, str]:
    """The changes of a promotion, and the id of the promoted memory."""
    changes = ChangeSet()
    if known is None:
        changes.change("promoted", copy, related=(origin.id,))
        return changes, copy.id
    if identity.wording(known) == identity.wording(copy):
        changes.refresh(known, copy, related=(origin.id,))
        return changes, known.id
    if not replacement.supersedes(copy, known):
        raise Conflict(
            f"{known.scope} already has a value for {copy.key!r} that outweighs this one.",
            hint=f"Put that one right with `correct {known.id}`.",
        )
    made = changes.replace(copy, known, action="promoted", related=(origin.id,))
    return changes, made.new.id
