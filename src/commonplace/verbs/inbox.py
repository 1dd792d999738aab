"""The inbox: list what waits for a person's decision, accept it or reject it.

It holds the proposals of maintenance and of agents, and memories that were staged: a more trusted
one contradicts them, or they would be loaded unasked and no person has confirmed them. It also
lists preferences, profile lines and stated insights in use that no person has confirmed. Accepting
uses the same verbs as a person would; a rejection is remembered.
"""

from __future__ import annotations

import json

from ..engine.catch_up import with_index
from ..engine.change_set import ChangeSet
from ..engine.commit import audited_refusals, commit
from ..engine.drafts import screen_accepted, summarized
from ..engine.embed import embed_one
from ..engine.revisions import next_version
from ..engine.stale_marks import anchored_again
from ..model.codec import to_millisecond
from ..model.errors import BadInput, Conflict, Refused
from ..model.identity import content_hash
from ..model.memory import LIVE, Draft
from ..model.scope import EVERYTHING, Scope
from ..model.value import Value
from ..notes import profile, wikilinks
from ..ports.record_store import Put
from ..ports.search_index import Where
from ..rules import access, authority, proposals
from ..rules.audit import CONTRADICTED
from ..rules.relations import merge, replacement
from ..rules.talk.exchange import exchanged_value
from .correct import correct, edit
from .find import get, shown_here
from .forget import forget, restore
from .history import changes_of
from .inbox_count import INSIGHTS, PREFERENCES, PROFILE_LINES, STAGED
from .settled import why_settled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from ..engine.engine import Engine
    from ..model.memory import Memory

MOST = 1_000
MOST_VERSIONS = 20
"""Edits of one entry in the inbox that are followed back."""
MOST_NAMED = 80
"""Characters of another memory in the reason for a question."""
BOTH = "both"
"""The value of `keep` that ends a dispute without taking anything away."""
PAGES = ("profile", "override")
"""Kinds of which a scope has one page, `profile.md` or `overrides/…`, that is the person's."""
CHOICE = "contradiction"
"""The action that needs a choice between memories, which no yes for all of them makes."""
LISTING = ("archive", "confirm", proposals.FORGET_ABOUT)
"""Actions whose proposals list their memories, so that a person can delete lines."""


class InboxEntry(Value):
    """A staged memory or proposal, and the memories it is about or would replace."""

    memory: Memory
    action: str
    """Effect of accepting: archive, merge, promote, …; `remember` for a staged memory, `confirm`
    for a preference or a line of the profile that no person wrote."""
    about: tuple[Memory, ...] = ()
    why: str = ""
    """Why a person is asked about a memory; a proposal says so itself, unless it is settled."""
    settled: bool = False
    """Whether what an agent asks for is so already: the request can only be put away."""

    @property
    def disputes(self) -> bool:
        """Whether memories contradict each other in it, so that a person may let all of them hold.

        A memory that names what it replaces, or has its key, leaves no such choice.
        """
        if self.action == CHOICE:
            return True
        replaces = self.memory.key is not None or self.memory.supersedes is not None
        return self.action == "remember" and bool(self.about) and not replaces


class Decided(Value):
    """Result of accepting or rejecting."""

    memory: Memory
    """The staged memory or proposal after the decision."""
    action: str
    accepted: bool
    changed: tuple[Memory, ...] = ()
    """Other memories that were created or changed."""


def inbox(engine: Engine, *, limit: int = MOST) -> list[InboxEntry]:
    """Everything that waits for a decision, newest first."""
    waiting = with_index(
        engine,
        lambda: [
            memory
            for where in (STAGED, PROFILE_LINES, PREFERENCES, INSIGHTS)
            for memory in engine.index.select(where, visible=engine.visible, limit=MOST)
            if where is STAGED or authority.awaits_confirmation(memory)
        ],
    )
    waiting.sort(key=lambda memory: (memory.created, memory.id), reverse=True)
    return [_waiting(engine, memory) for memory in waiting[:limit]]


def inbox_entry(engine: Engine, ref: str) -> InboxEntry:
    """One entry of the inbox."""
    return _waiting(engine, _staged(engine, ref))


def accept(engine: Engine, ref: str, *, keep: str | None = None) -> Decided:
    """Do what was proposed. For a contradiction `keep` names the memory that holds, or `both`."""
    memory = _staged(engine, ref)
    authority.require_person(engine.source, "decide about a proposal")
    access.require_writable(engine.context, memory.scope)
    action = _action(memory)
    if keep is not None and action != CHOICE:
        if keep != BOTH or not _waiting(engine, memory).disputes:
            raise BadInput("`keep` is for contradictions only.", hint="Leave out `keep`.")
    elif keep == BOTH:
        return reject(engine, ref)  # The question goes; the memories stay as they were before it.
    if memory.kind != proposals.PROPOSAL_KIND:
        return _remember(engine, memory, beside_others=keep == BOTH)
    if action in proposals.AGENTS_ACTS:
        return _carry_out(engine, memory, action)
    targets = _targets(engine, memory)
    if settled := why_settled(engine, memory, targets):
        raise _nothing_left(memory, settled)
    targets = _still_listed(memory, targets)
    if action == CHOICE:
        targets = _kept_first(engine, targets, keep)
    create = _CREATE.get(action)
    created = create(engine, memory, targets) if create else None
    puts = _CHANGE.get(action, _as_before)(engine, memory, targets) if create is None else []
    closed = _closed(engine, memory, became=created)
    partial = ChangeSet()
    rewritten = _replace_parts(engine, partial, memory, targets) if action == CHOICE else {}
    puts = [put for put in puts if put.memory.id not in rewritten]
    changes = ChangeSet()
    changes.change_together(
        "accepted", [Put(closed, expect=memory), *puts], also=list(rewritten.values())
    )
    changes.extend(partial)
    done = _commit(engine, changes, rewritten)
    return Decided(done[0], action, True, (*((created,) if created else ()), *done[1:]))


def reject(engine: Engine, ref: str) -> Decided:
    """Change nothing that was proposed; it is not proposed again."""
    memory = _staged(engine, ref)
    authority.require_person(engine.source, "decide about a proposal")
    access.require_writable(engine.context, memory.scope)
    now = to_millisecond(engine.now())
    gone = memory.but(status="deleted", deleted_at=now, updated=now)
    asked = _targets(engine, memory) if memory.kind == proposals.PROPOSAL_KIND else []
    freed = _as_before(engine, memory, asked)
    changes = ChangeSet()
    changes.change_together("rejected", [Put(gone, expect=memory), *freed])
    done = _commit(engine, changes)
    return Decided(done[0], _action(memory), False, tuple(done[1:]))


def ask_which_holds(engine: Engine, new: Memory, old: Memory) -> None:
    """Put the question which of two memories holds into the inbox, unless it is there already."""
    where = Where(kinds=(proposals.PROPOSAL_KIND,), derived_from=new.id, statuses=("staged",))
    waiting = with_index(engine, lambda: engine.index.select(where, visible=engine.visible))
    if any(old.id in one.derived_from for one in waiting):
        return
    changes = ChangeSet()
    changes.record(CONTRADICTED, new, related=(old.id,), automatic=True)
    changes.mark_for_review([new], because_of=old)
    changes.ask_which_holds(new, [old], now=new.updated)
    with engine.store.lease(scopes=changes.scopes) as lease:
        commit(engine, lease, changes)


def _staged(engine: Engine, ref: str) -> Memory:
    memory = get(engine, ref)
    if memory.status != "staged" and not authority.awaits_confirmation(memory):
        raise _not_waiting(engine, memory)
    return memory


def _not_waiting(engine: Engine, memory: Memory) -> Conflict:
    name = memory.slug or memory.id
    last = next(iter(changes_of(engine, memory.id)), None)
    if last is not None and last.action in ("accepted", "rejected"):
        return Conflict(
            f"{name} was {last.action} before, and does not wait in the inbox.",
            hint=f"`commonplace revert {name}` puts it back into the inbox.",
        )
    return Conflict(f"{name} does not wait in the inbox.", hint="See `commonplace inbox list`.")


def _waiting(engine: Engine, memory: Memory) -> InboxEntry:
    action = _action(memory)
    about = _targets(engine, memory)
    if action == "remember":
        about = _replaced(engine, memory) or _contradicted(engine, memory)
    settled = why_settled(engine, memory, about) if memory.kind == proposals.PROPOSAL_KIND else ""
    why = settled or _why(engine, memory, action)
    return InboxEntry(memory, action, tuple(about), why, bool(settled))


def _why(engine: Engine, memory: Memory, action: str) -> str:
    """Why a person is asked about a memory; empty for a proposal, whose text says it."""
    if action == "confirm":
        return authority.why_confirm(memory)
    if action != "remember" or memory.kind == proposals.PROPOSAL_KIND:
        return ""
    if outweighed := _outweighed_by(engine, memory):
        return outweighed
    if authority.must_be_confirmed(memory):
        return authority.why_staged(memory)
    # Imported here: the patterns take time to compile, and few memories are staged.
    from ..rules.content_rule import waiting_reason

    return waiting_reason(memory) or _why_forgotten(engine, memory)


def _outweighed_by(engine: Engine, memory: Memory) -> str:
    """Which memory a staged one differs from, as the event of its staging names it."""
    events = [one for one in changes_of(engine, memory.id) if one.action == "staged"]
    named = engine.store.read([id for one in events for id in one.related], visible=engine.visible)
    for one in named.values():
        said = " ".join((one.title or one.content).split())
        said = said if len(said) <= MOST_NAMED else f"{said[: MOST_NAMED - 1].rstrip()}…"
        whose = "a person wrote or confirmed" if authority.is_persons(one) else "is trusted more"
        return f"It differs from “{said}”, which {whose}."
    return ""


def _why_forgotten(engine: Engine, memory: Memory) -> str:
    where = Where(
        scopes=(str(memory.scope),),
        content_hashes=(content_hash(memory.content),),
        statuses=("deleted",),
    )
    found = with_index(engine, lambda: engine.index.select(where, visible=engine.visible, limit=1))
    return authority.FORGOTTEN if found else "No person has confirmed it yet."


def _action(memory: Memory) -> str:
    if memory.kind == proposals.PROPOSAL_KIND:
        return proposals.action_of(memory)
    return "confirm" if authority.awaits_confirmation(memory) else "remember"


def _targets(engine: Engine, memory: Memory) -> list[Memory]:
    found = engine.store.read(memory.derived_from, visible=engine.visible)
    return [found[id] for id in memory.derived_from if id in found]


def _still_listed(memory: Memory, targets: Sequence[Memory]) -> list[Memory]:
    """The targets, without those that a person deleted from the proposal's list."""
    if proposals.action_of(memory) not in LISTING:
        return list(targets)
    listed = {
        wikilinks.normalized_name(link.target) for link in wikilinks.find_links(memory.content)
    }
    return [
        one
        for one in targets
        if not listed.isdisjoint(map(wikilinks.normalized_name, (one.id, one.slug, one.title)))
    ]


def _kept_first(engine: Engine, targets: Sequence[Memory], keep: str | None) -> list[Memory]:
    """The targets, the one that the person keeps first."""
    names = ", ".join(target.slug or target.id for target in targets)
    if keep is None:
        raise BadInput("Say which of these holds.", hint=f"Keep `{BOTH}`, or one of: {names}.")
    kept = get(engine, keep)
    if all(target.id != kept.id for target in targets):
        raise BadInput(
            f"{keep[:80]!r} is not one of these memories.",
            hint=f"Keep `{BOTH}`, or one of: {names}.",
        )
    return sorted(targets, key=lambda target: target.id != kept.id)


def _remember(engine: Engine, memory: Memory, *, beside_others: bool = False) -> Decided:
    """Make a staged memory active; it replaces the current value of its key.

    Memories that it contradicts lose what is no longer so, unless it is to hold `beside_others`.
    """
    if memory.kind in PAGES and (page := _persons_page(engine, memory)):
        return _add_to_page(engine, memory, page)
    twins = _same_text(engine, memory)
    if kept := next((one for one in twins if authority.is_persons(one)), None):
        return _became(engine, memory, kept)
    now = to_millisecond(engine.now())
    with audited_refusals(engine):
        clean = screen_accepted(engine, memory)
    active = clean.but(status="active", trust="user", updated=now)
    if memory.kind in PAGES:
        active = active.but(owner="curated")
    puts = [Put(active, expect=memory)]
    puts += [Put(replacement.retired_version(one, active), expect=one) for one in twins]
    for known in _replaced(engine, memory):
        if replacement.is_line(known):
            return _set_line(engine, memory, known)
        puts.append(Put(replacement.retired_version(known, active), expect=known))
        active = active.but(supersedes=known.id, version=known.version + 1)
        puts[0] = Put(active, expect=memory)
    retired = {put.memory.id for put in puts}
    wrong = [] if beside_others else _contradicted(engine, memory)
    wrong = [one for one in wrong if one.id not in retired]
    partial = ChangeSet()
    rewritten = _replace_parts(engine, partial, memory, [active, *wrong])
    puts += [
        Put(replacement.retired_version(one, active), expect=one)
        for one in wrong
        if one.id not in rewritten
    ]
    changes = ChangeSet()
    changes.change_together("accepted", puts, also=list(rewritten.values()))
    changes.extend(partial)
    done = _commit(engine, changes, rewritten)
    return Decided(done[0], _action(memory), True, tuple(done[1:]))


def _contradicted(engine: Engine, memory: Memory) -> list[Memory]:
    """Memories in use, of the same scope, because of which a staged one without a key waits."""
    if memory.key is not None or memory.supersedes is not None:
        return []
    events = [one for one in changes_of(engine, memory.id) if one.action == CONTRADICTED]
    named = engine.store.read([id for one in events for id in one.related], visible=engine.visible)
    return [one for one in named.values() if one.status in LIVE and one.scope == memory.scope]


def _same_text(engine: Engine, memory: Memory) -> list[Memory]:
    """Memories in use that say what a staged one says: accepting it must not say it twice."""
    where = Where(
        scopes=(str(memory.scope),),
        content_hashes=(content_hash(memory.content),),
        statuses=LIVE,
    )
    found = with_index(engine, lambda: engine.index.select(where, visible=engine.visible))
    known = engine.store.read([one.id for one in found], visible=engine.visible).values()
    own = (memory.id, memory.supersedes)
    return [
        one
        for one in known
        if one.id not in own and (one.key, one.namespace) == (memory.key, memory.namespace)
    ]


def _persons_page(engine: Engine, line: Memory) -> Memory | None:
    where = Where(kinds=(line.kind,), scopes=(str(line.scope),), statuses=LIVE, trusts=("user",))
    found = with_index(engine, lambda: engine.index.select(where, visible=engine.visible, limit=1))
    return found[0] if found else None


def _add_to_page(engine: Engine, line: Memory, page: Memory) -> Decided:
    """Add an agent's line to the profile or override of the person who accepts it."""
    text = f"{page.content.rstrip()}\n{line.content}"
    if line.kind == "profile":
        text = profile.with_lines(page.content, line.content)
    made = edit(engine, page.id, content=text)
    return _became(engine, line, made)


def _set_line(engine: Engine, value: Memory, line: Memory) -> Decided:
    """Write an accepted value into the person's line of `facts.md`, which stays in its place."""
    return _became(engine, value, edit(engine, line.id, content=value.content, expect=line))


def _became(engine: Engine, staged: Memory, made: Memory) -> Decided:
    """Close a staged memory whose text an edit of the person's own note has taken in."""
    changes = ChangeSet()
    closed = _closed(engine, staged, became=made)
    changes.change_together("accepted", [Put(closed, expect=staged)])
    return Decided(_commit(engine, changes)[0], _action(staged), True, (made,))


def _carry_out(engine: Engine, proposal: Memory, action: str) -> Decided:
    """Make the change that an agent proposed, as the person who accepts it."""
    targets = _targets(engine, proposal)
    if settled := why_settled(engine, proposal, targets):
        raise _nothing_left(proposal, settled)
    target = targets[0]
    text, fields = proposals.changed_text(proposal), proposals.changed_fields(proposal)
    if _was_changed(proposal, target, action):
        raise Conflict(
            f"{target.slug or target.id} was changed after this was proposed.",
            hint="Reject the proposal, or make the change yourself.",
        )
    done = _ACTS[action](engine, target, text, fields)
    # A rename has rewritten the link in the proposal itself.
    proposal = get(engine, proposal.id)
    changes = ChangeSet()
    changes.change_together("accepted", [Put(_closed(engine, proposal, became=done), proposal)])
    closed = _commit(engine, changes)[0]
    return Decided(closed, action, True, (done,))


def _nothing_left(proposal: Memory, why: str) -> Conflict:
    name = proposal.slug or proposal.id
    return Conflict(why, hint=f"Put the request away: commonplace inbox reject {name}")


def _was_changed(proposal: Memory, target: Memory, action: str) -> bool:
    """Whether the memory is no longer as it was when the change was proposed."""
    if target.superseded_by is not None or (target.status not in LIVE) != (action == "restore"):
        return action != "revert"
    if proposals.changed_text(proposal) is not None:
        return proposals.replaced_text(proposal) != target.content
    return action == "edit" and proposals.fields_have_changed(proposal, target)


def _edit(engine: Engine, target: Memory, text: str | None, fields: Mapping[str, Any]) -> Memory:
    changes = dict(fields) if text is None else {**fields, "content": text}
    return edit(engine, target.id, expect=target, **changes)


def _correct(engine: Engine, target: Memory, text: str | None, fields: Mapping[str, Any]) -> Memory:
    return correct(engine, target.id, text or "").memory


def _forget(engine: Engine, target: Memory, text: str | None, fields: Mapping[str, Any]) -> Memory:
    return forget(engine, target.id).memory


def _restore(engine: Engine, target: Memory, text: str | None, fields: Mapping[str, Any]) -> Memory:
    return restore(engine, target.id).memory


def _rename(engine: Engine, target: Memory, text: str | None, fields: Mapping[str, Any]) -> Memory:
    from .links import rename

    return rename(engine, target.id, str(fields.get("name", "")))


def _revert(engine: Engine, target: Memory, text: str | None, fields: Mapping[str, Any]) -> Memory:
    from .undo import undo

    undone = undo(engine, str(fields.get("event", "")))
    return next((one for one in undone.memories if one.id == target.id), target)


_ACTS: dict[str, Callable[[Engine, Memory, str | None, Mapping[str, Any]], Memory]] = {
    "edit": _edit,
    "correct": _correct,
    "forget": _forget,
    "restore": _restore,
    "rename": _rename,
    "revert": _revert,
}


def _replaced(engine: Engine, memory: Memory) -> list[Memory]:
    """The memory that a staged one replaces: the one it names, or the value of its key."""
    name = memory.supersedes
    for _ in range(MOST_VERSIONS):
        named = engine.store.read([name], visible=engine.visible) if name is not None else {}
        if live := [one for one in shown_here(engine, [*named.values()]) if one.status in LIVE]:
            return [named[one.id] for one in live]
        # After an edit in the inbox it names its own earlier version, which names the memory.
        name = next((one.supersedes for one in named.values()), None)
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


def _replace_parts(
    engine: Engine, changes: ChangeSet, proposal: Memory, targets: Sequence[Memory]
) -> dict[str, str]:
    """Rewrite facts, and targets that say more than what the first one contradicts.

    Returns the ids of their new versions by their own. The events name the proposal, so that they
    are undone together with the decision.
    """
    holds, *others = targets
    versions_by_id: dict[str, str] = {}
    for old in others:
        text = _text_after(engine, holds, old) if old.status in LIVE else ""
        if text:
            version = next_version(engine, old, text)
            version = version.but(status="active" if old.status == "review" else old.status)
            if not replacement.is_line(old):  # A line of `facts.md` has no room for its origin.
                # A later correction of the memory that holds then reaches this version, too.
                version = version.but(
                    derived_from=tuple(dict.fromkeys((*old.derived_from, holds.id)))
                )
            made = changes.replace(version, old, action="edited", related=(proposal.id,))
            versions_by_id[old.id] = made.new.id
    return versions_by_id


def _text_after(engine: Engine, holds: Memory, old: Memory) -> str:
    """The text of a memory once another one holds; empty if nothing of it stays.

    A fact keeps its key, with the value that holds; it ends where no part of the other memory
    certainly is that value.
    """
    if old.value is None or holds.key is not None:
        # The rules alone overlook most changes in other words, and the whole memory would go.
        judge = engine.reasoner.judge
        return merge.corrected_text(holds.content, old.content, judge, certain=True)
    return exchanged_value(old.value, holds.content, key=old.key or "")


def _commit(
    engine: Engine, changes: ChangeSet, rewritten: Mapping[str, str] | None = None
) -> list[Memory]:
    """Write the changes; the new texts of `rewritten` memories get their vectors."""
    for put in changes.puts.values():
        access.require_writable(engine.context, put.memory.scope)
    with engine.store.lease(scopes=changes.scopes) as lease:
        done = list(commit(engine, lease, changes).memories.values())
    for one in done:
        if rewritten and one.id in rewritten.values():
            embed_one(engine, one)
    return done


def _archive(engine: Engine, proposal: Memory, targets: Sequence[Memory]) -> list[Put]:
    now = to_millisecond(engine.now())
    return [
        Put(one.but(status="archived", always_load=False, updated=now), expect=one)
        for one in targets
        if one.status in LIVE
    ]


def _forget_together(engine: Engine, proposal: Memory, targets: Sequence[Memory]) -> list[Put]:
    now = to_millisecond(engine.now())
    return [
        Put(one.but(status="deleted", deleted_at=now, updated=now), expect=one)
        for one in targets
        if one.status in (*LIVE, "archived") and one.superseded_by is None
    ]


def _confirm(engine: Engine, proposal: Memory, targets: Sequence[Memory]) -> list[Put]:
    now = to_millisecond(engine.now())
    return [
        Put(
            anchored_again(engine, one).but(
                status="active", trust="user", review_after=None, updated=now
            ),
            expect=one,
        )
        for one in targets
        if one.status in LIVE
    ]


def _supersede(engine: Engine, proposal: Memory, targets: Sequence[Memory]) -> list[Put]:
    """The first target holds; the others are retired."""
    if len(targets) < 2:
        raise _gone()
    now = to_millisecond(engine.now())
    first, *others = targets
    puts = [
        Put(replacement.retired_version(one, first).but(updated=now), expect=one)
        for one in others
        if one.status in LIVE
    ]
    asked = first.status == "review" and _others_wait(engine, proposal, first, "contradiction")
    if first.status in ("review", "stale") and not asked:
        puts.append(Put(first.but(status="active", updated=now), expect=first))
    return puts


def _as_before(engine: Engine, proposal: Memory, targets: Sequence[Memory]) -> list[Put]:
    """The targets that this proposal alone holds in review or stale, as they were before it."""
    puts: list[Put] = []
    for target in targets:
        held_by = _HELD_BY.get(target.status)
        if held_by is None or not access.may_write(engine.context, target.scope):
            continue
        if _others_wait(engine, proposal, target, held_by):
            continue
        puts.append(Put(target.but(status=_status_before(engine, proposal, target)), target))
    return [put for put in puts if put.memory != put.expect]


def _others_wait(engine: Engine, proposal: Memory, target: Memory, action: str) -> bool:
    """Whether another proposal of that action about the memory is in the inbox."""
    where = Where(kinds=(proposals.PROPOSAL_KIND,), derived_from=target.id, statuses=("staged",))
    waiting = with_index(engine, lambda: engine.index.select(where, visible=EVERYTHING))
    return any(one.id != proposal.id and proposals.action_of(one) == action for one in waiting)


def _status_before(engine: Engine, proposal: Memory, target: Memory) -> str:
    """The status of a memory before a question marked it for review, or a proposal as stale."""
    for event in changes_of(engine, target.id):
        if event.action != _MARKED_BY[target.status]:
            continue
        by_proposal = event.at >= proposal.created if target.status == "stale" else event.automatic
        # A correction marks what was derived from the wrong memory, too, and asks nobody.
        before = json.loads(event.before).get("status") or "active"
        return before if by_proposal else target.status
    return "active" if target.status == "review" else target.status


def _merge(engine: Engine, memory: Memory, targets: Sequence[Memory]) -> Memory:
    from .maintain.plan import merged_memory

    live = [one for one in targets if one.status in LIVE]
    if len(live) < 2:
        raise _gone()
    text = proposals.proposed_text(memory)
    new = merged_memory(live, text, id=engine.id(), now=to_millisecond(engine.now()))
    with audited_refusals(engine):
        new = screen_accepted(engine, new)
    changes = ChangeSet()
    changes.merge(summarized(engine, new), live)
    with engine.store.lease(scopes=changes.scopes) as lease:
        return commit(engine, lease, changes).first


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
        "The memories of this proposal have changed since.",
        hint="Reject it; the next `maintain` looks at them again.",
    )


_HELD_BY = {"review": "contradiction", "stale": "archive"}
"""The proposals because of which a memory has a status until they are decided."""
_MARKED_BY = {"review": "reviewed", "stale": "staled"}
_CHANGE: dict[str, Callable[[Engine, Memory, Sequence[Memory]], list[Put]]] = {
    "archive": _archive,
    proposals.FORGET_ABOUT: _forget_together,
    "confirm": _confirm,
    "contradiction": _supersede,
    "supersede": _supersede,
}
_CREATE: dict[str, Callable[[Engine, Memory, Sequence[Memory]], Memory]] = {
    "merge": _merge,
    "promote": _promote,
    "pattern": _learn,
}
