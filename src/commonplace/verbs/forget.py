"""Forget a memory, restore it, or purge it for good."""

from __future__ import annotations

from ..engine import revisions
from ..engine.branch_view import branch_view, held_elsewhere, holds_here, present_branch
from ..engine.catch_up import find_purged, with_index
from ..engine.change_set import ChangeSet
from ..engine.commit import commit, decide_and_commit, event, index_changes
from ..engine.observed import observed
from ..engine.propose import require_or_propose
from ..model import identity
from ..model.codec import to_millisecond
from ..model.errors import CommonplaceError, Conflict, NotFound
from ..model.memory import LIVE
from ..model.results import Forgotten, Purged, Restored
from ..model.scope import Tenant
from ..ports.record_store import Put
from ..ports.search_index import Where
from ..rules import access, audit, authority, proposals
from ..rules.relations.replacement import replaces, retired_version
from .find import get, in_use_again, saying_the_same, shown_here
from .history import changes_of
from .waiting_turns import remove_bisected_digests, remove_late_answers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..engine.engine import Engine
    from ..model.memory import Memory
    from ..ports.record_store import Lease


@observed
def forget(engine: Engine, ref: str, *, branch: str | None = None) -> Forgotten:
    """Stop recalling a memory; it stays in the book and can be restored.

    With `branch` one that was learned there, else one that holds where the caller works. What it
    replaced on its branch alone holds again, because other branches have never lost it.
    """
    memory = get(engine, ref, branch=branch)
    access.require_writable(engine.context, memory.scope)
    require_or_propose(engine, "forget", memory, text="")

    def decide() -> tuple[ChangeSet, None]:
        old = _current(engine, memory)
        now = to_millisecond(engine.now())
        gone = old.but(status="deleted", deleted_at=now, updated=now)
        changes = ChangeSet()
        changes.change("forgotten", gone, before=old)
        for held in with_index(engine, lambda: held_elsewhere(engine, old)):
            stored = _current(engine, held)
            back = stored.but(status="active", superseded_by=None, updated=now)
            changes.change("restored", back, before=stored, related=(old.id,))
        return changes, None

    committed, _ = decide_and_commit(engine, [memory.scope], decide)
    done = committed.first
    return Forgotten(done, "" if branch else _other_branch(engine, done))


def _other_branch(engine: Engine, memory: Memory) -> str:
    """The branch that a memory was learned on, if it exists and is not the caller's."""
    checkout = engine.checkout
    if checkout is None or not memory.commit or not memory.branch:
        return ""
    head, branch = checkout.head(), present_branch(engine, memory)
    if head is None or head.branch == branch:
        return ""
    return branch if branch and checkout.tip(branch) else ""


def restore(engine: Engine, ref: str) -> Restored:
    """Recall a forgotten, archived or superseded memory again."""
    memory = get(engine, ref)
    access.require_writable(engine.context, memory.scope)
    _require_retired(engine, memory)
    require_or_propose(engine, "restore", memory, decided=_ended_by_person(engine, memory))
    with engine.store.lease() as lease:
        old = _current(engine, memory)
        _require_retired(engine, old)
        successors = with_index(engine, lambda: _successors(engine, old))
        apart = branch_view(engine, [old, *successors])
        elsewhere = [newer for newer in successors if apart.hides(newer) and not apart.hides(old)]
        for newer in successors:
            if newer.status in LIVE and newer not in elsewhere:
                undo = old.id if newer.id == old.superseded_by else newer.id
                raise Conflict(
                    f"A newer version, {newer.id}, has taken this memory's place.",
                    hint=f"Forget that one first, or undo the change with `revert {undo}`.",
                )
        ends = {one.id for one in successors}
        for again in saying_the_same(engine, old):
            if again.id not in ends and again.created > old.updated:
                raise in_use_again(old, again)
        now = to_millisecond(engine.now())
        back = old.but(status="active", deleted_at=None, superseded_by=None, updated=now)
        if any(newer.status in LIVE for newer in elsewhere):
            # It holds again here, and where its successor is merged the successor does.
            back = old.but(status="superseded", deleted_at=None, updated=now)
        # Readers take a memory for superseded as long as a successor claims its place.
        claims = [
            newer
            for newer in successors
            if newer not in elsewhere
            and replaces(newer, old)
            and access.may_write(engine.context, newer.scope)
        ]
        puts = [
            Put(back, expect=old),
            *(Put(one.but(superseded_by=old.id, updated=now), expect=one) for one in claims),
        ]
        before = engine.store.read([old.supersedes or ""], visible=engine.visible)
        # Forgetting a branch's version lets the one before it hold again.
        puts += [
            Put(retired_version(one, back), expect=one)
            for one in before.values()
            if one.status in LIVE and replaces(back, one)
        ]
        changes = ChangeSet()
        changes.change_together("restored", puts)
        done = commit(engine, lease, changes).first
    return Restored(*shown_here(engine, [done]))


def _require_retired(engine: Engine, memory: Memory) -> None:
    """Refuse to restore a memory in use, and a proposal, which a person alone accepts."""
    if memory.status == "active" or with_index(engine, lambda: holds_here(engine, memory)):
        raise Conflict(
            f"{memory.slug or memory.id} is in use already; nothing was changed.",
            hint="`revert` undoes its last change.",
        )
    if memory.status == "staged":
        raise Conflict(
            "This memory is a proposal that waits for a decision.",
            hint="A person accepts or rejects it in the inbox: `commonplace inbox`.",
        )


def _ended_by_person(engine: Engine, memory: Memory) -> bool:
    """Whether a person forgot, archived or replaced a memory."""
    changes = changes_of(engine, memory.id)
    last = next((one.by for one in changes if one.action not in audit.TEXT_UNCHANGED), "")
    return memory.status not in LIVE and authority.actor_of(last) == authority.PERSON


@observed
def purge(engine: Engine, ref: str) -> Purged:
    """Remove a memory and its earlier versions for good, leaving only content-free tombstones.

    Memories that were merged into it count as earlier versions; all go if the caller may write
    them. If one step fails the others are still done; a second purge or `sync` removes the rest.
    """
    authority.require_person(engine.source, "purge a memory")
    return purge_together(engine, [_purgeable(engine, ref)])


def purge_together(engine: Engine, memories: Sequence[Memory]) -> Purged:
    """Remove several memories, each with its earlier versions, copies and proposals."""
    for memory in memories:
        access.require_writable(engine.context, memory.scope)
    with engine.store.lease() as lease:
        replaced = with_index(
            engine,
            lambda: [old for one in memories for old in revisions.all_replaced(engine, one)],
        )
        doomed = list({one.id: one for one in (*memories, *replaced)}.values())
        copies, elsewhere = _equal_texts(engine, doomed)
        doomed += copies
        asked = _proposals(engine, doomed)
        doomed += asked
        ids = [one.id for one in doomed]
        derived = _derived(engine, ids)
        engine.ledger.append(
            [
                event(engine, "purged", one).but(digest=engine.place_fingerprint(one))
                for one in doomed
            ]
        )
        _remove(engine, doomed, lease)
    return Purged(tuple(ids), tuple(derived), tuple(one.id for one in asked), tuple(elsewhere))


def _purgeable(engine: Engine, ref: str) -> Memory:
    """The memory of that name, else the one whose purge was killed before its text was gone."""
    try:
        return get(engine, ref)
    except NotFound:
        where = Where(name=ref)
        named = engine.index.select(where, visible=engine.visible, limit=20)
        ids = [ref, *(one.id for one in named)]
        found = list(engine.store.read(ids, visible=engine.visible).values())
        purged = find_purged(engine, found)
        if left := [one for one in found if one.id in purged]:
            return left[0]
        raise


def _equal_texts(engine: Engine, doomed: Sequence[Memory]) -> tuple[list[Memory], list[Memory]]:
    """Memories with the same texts: those that go along, and those elsewhere, which stay.

    The same text in the same scope goes, because the tombstone would hide it anyway, and so does
    what was promoted from one of them, or what one of them was promoted from.
    """
    where = Where(content_hashes=tuple({identity.content_hash(one.content) for one in doomed}))
    same = engine.index.select(where, visible=engine.visible, limit=1_000)
    places = {engine.place_fingerprint(one) for one in doomed}
    tenants = {Tenant.of(one.scope) for one in doomed}
    known = {one.id for one in doomed}
    origins = {id for one in doomed for id in one.derived_from}
    gone: list[Memory] = []
    stay: list[Memory] = []
    for one in sorted(same, key=lambda one: one.id):  # A copy is made after what it is a copy of.
        if one.id in known or not access.may_write(engine.context, one.scope):
            continue
        kin = one.id in origins or not known.isdisjoint(one.derived_from)
        if engine.place_fingerprint(one) in places or (kin and Tenant.of(one.scope) in tenants):
            gone.append(one)
            known.add(one.id)
        elif one.status in LIVE and one.value is None and one.episode is None:
            stay.append(one)
    return gone, stay


def _proposals(engine: Engine, doomed: Sequence[Memory]) -> list[Memory]:
    """Proposals about the purged memories, which quote them."""
    known = {one.id for one in doomed}
    found: dict[str, Memory] = {}
    for origin in known:
        where = Where(derived_from=origin, kinds=(proposals.PROPOSAL_KIND,))
        for one in engine.index.select(where, visible=engine.visible, limit=1_000):
            if one.id not in known and access.may_write(engine.context, one.scope):
                found[one.id] = one
    return list(found.values())


def _remove(engine: Engine, doomed: Sequence[Memory], lease: Lease) -> None:
    ids = [one.id for one in doomed]
    texts = [text for one in doomed for text in _texts(one)]
    # A caller who is not the owner removes only its own tenant's questions from the log.
    own = None if engine.context.role == "owner" else Tenant.of(engine.context.scope)
    failures = run_all(
        lambda: engine.ledger.scrub(ids, texts, within=own),
        lambda: engine.store.erase(ids, lease=lease),
        lambda: index_changes(engine),
        lambda: engine.index.forget(ids),
        lambda: remove_late_answers(engine.settings.state),
        lambda: remove_bisected_digests(engine.state),
    )
    if failures:
        raise failures[0]


def run_all(*steps: Callable[[], object]) -> list[CommonplaceError]:
    """Run every step, even after one has failed; returns the failures."""
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
    """All memories that replaced one, directly or in turn."""
    claimed = engine.index.select(Where(supersedes=old.id), visible=engine.visible)
    current = engine.store.read([one.id for one in claimed], visible=engine.visible)
    return list(
        {
            one.id: one for one in (*revisions.later_versions(engine, old), *current.values())
        }.values()
    )


def _derived(engine: Engine, ids: list[str]) -> list[str]:
    found: list[str] = []
    for origin in ids:
        children = engine.index.select(Where(derived_from=origin), visible=engine.visible)
        found += [child.id for child in children if child.id not in ids]
    return found


def _texts(memory: Memory) -> list[str]:
    return [text for text in (memory.content, memory.value, memory.summary) if text]
