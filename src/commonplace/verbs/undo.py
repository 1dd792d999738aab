"""Undo one change together with what was derived from it, or all automatic changes since a moment.

`_UNDO` names, for every action of an audit event, the function that plans the records of its undo.
"""

from __future__ import annotations

import json

from ..engine import revisions
from ..engine.branch_view import branch_view, holds_here
from ..engine.catch_up import catch_up_or_rebuild, with_index
from ..engine.change_set import ChangeSet
from ..engine.commit import commit
from ..engine.interrupted import abandon_unwritten
from ..engine.propose import require_or_propose
from ..model import identity
from ..model.codec import from_fields, require_moment, to_fields, to_millisecond
from ..model.errors import CommonplaceError, Conflict, NotFound, Refused
from ..model.memory import LIVE
from ..model.results import Reverted
from ..model.value import Value
from ..ports.record_store import Put
from ..ports.search_index import Where
from ..rules import access, audit, authority, proposals
from ..rules.relations.replacement import is_line
from ..rules.screening.screen import credentials_removed
from .find import all_named, in_use_again, newest_version, saying_the_same, shown_here
from .history import changes_of, edited_by_hand, read_events
from .links import with_links

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable
    from datetime import datetime

    from ..engine.engine import Engine
    from ..model.memory import Event, Memory


EVENT_OF_ACT = {
    "edit": "edited", "correct": "corrected", "forget": "forgotten", "restore": "restored",
    "rename": "renamed", "revert": "reverted",
}  # fmt: skip
"""The event that accepting an agent's proposal writes."""
FOLDING = ("retired", "deduplicated")
"""Events of two memories that maintenance made one: of the one that went, and of the other."""
MOST_EVENTS = 1_000_000
MOST_DERIVED = 1_000


class NotUndone(Value):
    """A change that could not be undone, and the reason."""

    event: str
    action: str
    memory: str
    why: str


class Undone(Value):
    """Result of undoing many changes, newest first."""

    reverted: tuple[Reverted, ...] = ()
    left_alone: tuple[NotUndone, ...] = ()


def undo(engine: Engine, ref: str) -> Reverted:
    """Undo one change, or the last change to a memory, and automatic changes derived from it."""
    done = _revert(engine, ref)
    also = _cascade(engine, done.memories, look=True)
    return done.but(memories=shown_here(engine, (*done.memories, *also)))


def is_undone(engine: Engine, event: str) -> bool:
    """Whether nothing is left to undo of a change, by whatever it was taken back."""
    found = engine.ledger.events(visible=engine.visible, ids=[event], limit=1)
    undo = _UNDO.get(found[0].action) if found else None
    if undo is None:
        return False
    try:
        planned = with_index(engine, lambda: _planned(engine, found[0], undo))
    except CommonplaceError:
        # It was changed further, perhaps to the text before.
        stored = engine.store.read([found[0].memory, *found[0].related], visible=engine.visible)
        before = {one.content for one in stored.values() if one.superseded_by in stored}
        newest = [newest_version(engine, one) for one in stored.values()]
        return any(one.status in LIVE and one.content in before for one in newest)
    return not any(map(_changes_something, planned))


def undo_automatic(
    engine: Engine,
    since: datetime,
    *,
    progress: Callable[[int, int], object] = lambda done, of: None,
) -> Undone:
    """Undo every automatic change since a moment, newest first."""
    require_moment(since)
    catch_up_or_rebuild(engine)
    events = engine.ledger.events(visible=engine.visible, since=since, limit=MOST_EVENTS)
    wanted = _automatic(events)
    reverted: list[Reverted] = []
    left: list[NotUndone] = []
    for number, event in enumerate(wanted):
        progress(number, len(wanted))
        try:
            memories = _undo_event(engine, event)
        except CommonplaceError as error:
            left.append(NotUndone(event.id, event.action, event.memory, str(error)))
            continue
        if memories is None:
            why = f"A change of the kind {event.action!r} cannot be undone."
            left.append(NotUndone(event.id, event.action, event.memory, why))
        elif memories:
            also = _cascade(engine, memories, look=False)
            reverted.append(Reverted(event.id, event.action, (*memories, *also)))
    return Undone(tuple(reverted), tuple(left))


def _automatic(newest_first: Iterable[Event]) -> list[Event]:
    """Automatic changes that were neither undone nor abandoned."""
    over: set[str] = set()
    found: list[Event] = []
    for event in newest_first:
        if event.id in over:
            continue
        if event.action in ("reverted", audit.ABANDONED) and event.related:
            over.add(event.related[0])
        elif event.automatic and event.action not in audit.NO_CHANGE:
            found.append(event)
    return found


def _cascade(engine: Engine, memories: Iterable[Memory], *, look: bool) -> list[Memory]:
    """Undo the automatic memories that were derived from memories which are deleted now."""
    also: list[Memory] = []
    gone = [memory.id for memory in memories if memory.status == "deleted"]
    for origin in gone:
        for child in _derived(engine, origin):
            maker = _creating_event(engine, child)
            if maker is None or authority.is_persons(child):
                continue
            try:
                # A proposal about what is gone is withdrawn, whoever undoes what it was about.
                taken = _undo_event(engine, maker, look=look, same_meaning=True) or ()
            except CommonplaceError:
                continue  # It was changed since, so it is still wanted.
            also += [*taken, *_cascade(engine, taken, look=look)]
    return also


def _derived(engine: Engine, origin: str) -> list[Memory]:
    where = Where(derived_from=origin, statuses=(*LIVE, "staged"))
    return engine.index.select(where, visible=engine.visible, limit=MOST_DERIVED)


def _creating_event(engine: Engine, memory: Memory) -> Event | None:
    events = engine.ledger.events(visible=engine.visible, memories=[memory.id], limit=MOST_DERIVED)
    return next(
        (
            one
            for one in events
            if one.memory == memory.id and one.action in audit.DERIVING and one.automatic
        ),
        None,
    )


def _revert(engine: Engine, ref: str) -> Reverted:
    """Undo one change, given by its event's id, or the last change to a memory.

    Undoing an undo does the change again.
    """
    undone = _event(engine, ref)
    undo = _UNDO.get(undone.action)
    if undo is None:
        raise Refused(
            f"A change of the kind {undone.action!r} cannot be undone.",
            hint="Only `restore` from a backup brings back what was purged."
            if undone.action == audit.PURGED
            else "See `history` for changes that can.",
        )
    _propose_undo(engine, undone, undo)
    memories = _write_undo(engine, undone, undo, look=True)
    if not memories:
        raise Refused(
            "Nothing of this change is left to undo.",
            hint="See `history`; an earlier change is undone by its event's id.",
        )
    return Reverted(undone.id, undone.action, memories)


def _propose_undo(
    engine: Engine, undone: Event, undo: Callable[[Engine, Event], list[Put]]
) -> None:
    """Propose the undo if it would change a person's memory or decision and the caller is none."""
    decided = authority.actor_of(undone.by) == authority.PERSON
    if authority.actor_of(engine.source) == authority.PERSON:
        return
    planned = with_index(engine, lambda: _planned(engine, undone, undo))
    for put in filter(_changes_something, planned):
        access.require_writable(engine.context, put.memory.scope)
        if put.expect is not None and authority.is_altered(put.expect, put.memory, engine.now()):
            removed = "" if put.memory.status == "deleted" else None
            fields = {"event": undone.id, "status": put.memory.status}
            require_or_propose(
                engine, "revert", put.expect, text=removed, fields=fields, decided=decided
            )


def _undo_event(
    engine: Engine, undone: Event, *, look: bool = False, same_meaning: bool = False
) -> tuple[Memory, ...] | None:
    """Undo one change; returns the changed memories, or None if its action cannot be undone."""
    undo = _UNDO.get(undone.action)
    if undo is None:
        return None
    return _write_undo(engine, undone, undo, look=look, same_meaning=same_meaning)


def _write_undo(
    engine: Engine,
    undone: Event,
    undo: Callable[[Engine, Event], list[Put]],
    *,
    look: bool,
    same_meaning: bool = False,
) -> tuple[Memory, ...]:
    with engine.store.lease() as lease:
        planned = with_index(engine, lambda: _planned(engine, undone, undo), look=look)
        puts = [put for put in planned if _changes_something(put)]
        if not puts:
            return ()
        for put in puts:
            access.require_writable(engine.context, put.memory.scope)
        changes = ChangeSet()
        changes.change_together("reverted", puts, cause=undone.id)
        done = commit(engine, lease, changes, same_meaning=same_meaning)
        return tuple(done.memories.values())


def _planned(
    engine: Engine, undone: Event, undo: Callable[[Engine, Event], list[Put]]
) -> list[Put]:
    """The records of an undo, which brings back no text that was saved again in the meantime.

    The later save stays, and what it repeats stays retired, as a version that it has replaced.
    """
    puts = undo(engine, undone)
    # The memory that it was folded into is told apart from it again: both said the same before.
    touched = {*undone.related, *(put.memory.id for put in puts)}
    kept: list[Put] = []
    refusal: Conflict | None = None
    for put in puts:
        again = _saved_again(engine, put, since=undone.at, besides=touched)
        if again is None:
            kept.append(put)
        elif put.expect is not None and put.expect.status != "deleted":
            replaced = put.memory.but(status="superseded", superseded_by=again.id)
            kept.append(Put(replaced, expect=put.expect))
        else:
            refusal = refusal or in_use_again(put.memory, again)
    if refusal is not None and not kept:
        raise refusal
    return with_links(engine, kept)


def _saved_again(
    engine: Engine, put: Put, *, since: datetime, besides: Container[str]
) -> Memory | None:
    """The memory that says what an undo would bring back, if a later save has made one."""
    old = put.expect
    if old is None or old.status in LIVE or put.memory.status not in LIVE:
        return None
    same = saying_the_same(engine, put.memory)
    later = (one for one in same if one.created > since and one.id not in besides)
    return next(later, None)


def _event(engine: Engine, ref: str) -> Event:
    if found := engine.ledger.events(visible=engine.visible, ids=[ref], limit=1):
        abandon_unwritten(engine)
        if any(one.action == audit.ABANDONED for one in read_events(engine, found[0].id)):
            raise Refused(
                "That change was abandoned before it was written.", hint="There is nothing to undo."
            )
        return found[0]
    if together := _forgotten_together(engine, ref):
        return together[0]
    last = [_last_change(engine, one) for one in _meant(engine, ref)]
    if undoable := [one for one in last if one is not None]:
        return max(undoable, key=lambda one: (one.at, one.id))
    named = credentials_removed(ref)[:80]
    raise NotFound(f"There is no change of {named!r} to undo.", hint="See `history`.")


def _meant(engine: Engine, ref: str) -> list[str]:
    """The ids of the memories that a reference names, for an undo of the last change to them.

    An older version means the newest one. A memory that was retired for another, as a duplicate or
    a contradiction, means itself: the other one is no version of it.
    """
    meant = [
        one if one.id == ref or _retired_for_another(engine, one) else newest_version(engine, one)
        for one in all_named(engine, ref)
    ]
    return list(dict.fromkeys(one.id for one in meant))


def _retired_for_another(engine: Engine, memory: Memory) -> bool:
    if memory.superseded_by is None:
        return False
    successor = engine.store.read([memory.superseded_by], visible=engine.visible)
    if any(one.supersedes != memory.id and not is_line(one) for one in successor.values()):
        return True
    last = _last_change(engine, memory.id)
    return last is not None and last.automatic and last.action == "superseded"


def _last_change(engine: Engine, id: str) -> Event | None:
    """The last change that can be undone; a save that only repeated the memory is none.

    Nor is a replacement on a branch that is not merged here: the memory still holds.
    """
    changes = (one for one in changes_of(engine, id) if not audit.only_repeats(one))
    return next(
        (
            one
            for one in changes
            if one.action not in audit.TEXT_UNCHANGED and not _is_elsewhere(engine, one)
        ),
        None,
    )


def _is_elsewhere(engine: Engine, change: Event) -> bool:
    """Whether a memory was replaced on a branch that is not merged here, unlike its own."""
    if engine.checkout is None or change.action != "superseded":
        return False
    ids = [change.memory, *change.related[:1]]
    involved = engine.store.read(ids, visible=engine.visible)
    view = branch_view(engine, involved.values())
    return [view.hides(involved[id]) for id in ids if id in involved] == [False, True]


def _undo_creation(engine: Engine, undone: Event) -> list[Put]:
    """Delete the memory that a change created, and revive what it replaced."""
    new = _current(engine, undone.memory)
    makers = _creating_events(engine, new.id)
    if makers and makers[0].id != undone.id:
        raise _replaced_since(makers[0].id)
    return _delete_and_revive(engine, new, undone.related)


def _undo_correction(engine: Engine, undone: Event) -> list[Put]:
    """Undo a correction together with the corrections of copies and derived memories."""
    undone = _root_correction(engine, undone)
    puts = _undo_creation(engine, undone)
    for one in read_events(engine, undone.memory):
        if one.memory == undone.memory or undone.memory not in one.related:
            continue
        if one.action == "corrected":
            made = _current(engine, one.memory)
            if made.supersedes != undone.memory:  # Else a branch corrected it further.
                puts += _delete_and_revive(engine, made, one.related)
        elif one.action == "reviewed":
            puts += _undo_fields(engine, one)
    return list({put.memory.id: put for put in puts}.values())


def _root_correction(engine: Engine, undone: Event) -> Event:
    """The correction that this one belongs to; itself if it is the first."""
    involved = engine.store.read(list(undone.related), visible=engine.visible)
    for one in involved.values():
        makers = _creating_events(engine, one.id) if one.superseded_by != undone.memory else []
        if makers and makers[0].action == "corrected":
            return makers[0]
    return undone


def _undo_supersession(engine: Engine, undone: Event) -> list[Put]:
    """Revive a superseded memory by undoing the change that replaced it."""
    old = _current(engine, undone.memory)
    if not undone.related:
        return [Put(_revived(engine, old), expect=old)]
    new = _current(engine, undone.related[0])
    makers = _creating_events(engine, new.id)
    maker = next((one for one in makers if old.id in one.related), None)
    if undone.automatic and makers and not (maker or makers[0]).automatic:
        return _separate(engine, new, old)
    if maker is not None:
        return (_undo_correction if maker.action == "corrected" else _undo_creation)(engine, maker)
    named = makers[0].related if makers else ()
    return _delete_and_revive(engine, new, dict.fromkeys((*named, old.id)))


def _separate(engine: Engine, new: Memory, old: Memory) -> list[Put]:
    """Keep both: a caller saved the new one, and only the replacement was automatic."""
    now = to_millisecond(engine.now())
    puts = [Put(_revived(engine, old), expect=old)] if old.superseded_by == new.id else []
    if new.supersedes == old.id:
        # First `supersedes`: as long as it is set, readers take the old one for superseded.
        puts.insert(0, Put(new.but(supersedes=None, updated=now), expect=new))
    return puts


def _creating_events(engine: Engine, id: str) -> list[Event]:
    """The events that created a memory, newest first; a line of `facts.md` has one per value."""
    return [
        one
        for one in changes_of(engine, id)
        if one.action in audit.MAKING and (one.action != "edited" or one.related)
    ]


def _delete_and_revive(engine: Engine, new: Memory, replaced: Iterable[str]) -> list[Put]:
    elsewhere = new.superseded_by if holds_here(engine, new) else None
    if new.status in ("superseded", "archived") and new.superseded_by and not elsewhere:
        later = revisions.later_versions(engine, new)
        raise _replaced_since(later[-1].id if later else str(new.superseded_by))
    puts: list[Put] = []
    if new.status != "deleted":
        if edited_by_hand(engine, new, changes_of(engine, new.id)):
            raise Conflict(
                f"{new.slug or new.id} was edited by hand since, and this would undo the edit.",
                hint="Change the note by hand, or say what is right with `commonplace correct`.",
            )
        now = to_millisecond(engine.now())
        puts.append(Put(new.but(status="deleted", deleted_at=now, updated=now), expect=new))
    folded = (one for one in read_events(engine, new.id) if one.action == "retired")
    ids = dict.fromkeys((*replaced, *(one.memory for one in folded)))
    olds = engine.store.read(list(ids), visible=engine.visible)
    for old in olds.values():
        if old.superseded_by == new.id and old.status in ("superseded", "archived"):
            back = _revived(engine, old)
            if elsewhere and back.status in LIVE:
                # It holds again here; the branch that replaced the new one has replaced it, too.
                back = back.but(status="superseded", superseded_by=elsewhere)
            puts.append(Put(back, expect=old))
    return puts


def _revived(engine: Engine, old: Memory) -> Memory:
    """A superseded memory as it was before."""
    for one in changes_of(engine, old.id):
        if one.action in ("superseded", "retired") and old.superseded_by in one.related:
            replaced_by = old.superseded_by
            old = _with_old_fields(engine, old, one)
            if old.status == "superseded" and old.superseded_by not in (None, replaced_by):
                return old  # Another branch had replaced it before, and has it still.
            break
    status = old.status if old.status in LIVE else "active"
    now = to_millisecond(engine.now())
    return old.but(status=status, superseded_by=None, deleted_at=None, updated=now)


def _undo_edit(engine: Engine, undone: Event) -> list[Put]:
    """Undo an edit: a new text made a new version, other fields changed in place."""
    change = undone.related[-1] if len(undone.related) > 1 else ""
    if any(one.id == undone.id for one in _forgotten_together(engine, change)):
        return _undo_together_forgotten(engine, change)
    return (_undo_creation if undone.related else _undo_fields)(engine, undone)


def _undo_fields(engine: Engine, undone: Event) -> list[Put]:
    memory = _current(engine, undone.memory)
    return [Put(_with_old_fields(engine, memory, undone), expect=memory)]


def _undo_retirement(engine: Engine, undone: Event) -> list[Put]:
    """Bring back a retired memory, and give the one that it was folded into its own fields back."""
    puts = _undo_fields(engine, undone)
    for other in undone.related:
        last = _last_change(engine, other)
        if last and last.action in FOLDING and undone.memory in last.related:
            puts += _undo_fields(engine, last)
    return puts


def _undo_forgetting(engine: Engine, undone: Event) -> list[Put]:
    """Bring back a memory, and all that were forgotten by the same description."""
    if not undone.related:
        return _undo_fields(engine, undone)
    return _undo_together_forgotten(engine, undone.related[0])


def _undo_together_forgotten(engine: Engine, change: str) -> list[Put]:
    """Bring back what was forgotten together, and the whole text of what lost a part."""
    together = _forgotten_together(engine, change)
    stored = engine.store.read([one.memory for one in together], visible=engine.visible)
    puts: list[Put] = []
    for one in together:
        memory = stored.get(one.memory)
        if memory is None:
            continue
        if one.action == "forgotten" and memory.status == "deleted":
            puts += _undo_fields(engine, one)
        elif one.action == "edited" and memory.status in LIVE:
            puts += _delete_and_revive(engine, memory, one.related[:1])
    return puts


def _forgotten_together(engine: Engine, change: str) -> list[Event]:
    """The events of memories that were forgotten together, by the id of that change."""
    # An edit that a person accepted names its proposal instead.
    if not change or engine.store.read([change], visible=engine.visible):
        return []
    named = [
        one
        for one in read_events(engine, change)
        if (one.action == "forgotten" and one.related == (change,))
        or (one.action == "edited" and one.related[1:] == (change,))
    ]
    return list({one.memory: one for one in named}.values())


def _undo_together(engine: Engine, undone: Event) -> list[Put]:
    """Restore the fields of all memories that were changed together."""
    puts = [put for one in _together(engine, undone) for put in _undo_fields(engine, one)]
    # The live one first: after a crash in between, readers see the other as superseded.
    return sorted(puts, key=lambda put: put.memory.status not in LIVE)


def _together(engine: Engine, undone: Event) -> list[Event]:
    """A change, and those of the other memories that were changed with it."""
    together = [undone]
    for other in undone.related:
        same = [
            one
            for one in changes_of(engine, other)
            if one.action == undone.action and undone.memory in one.related
        ]
        together += sorted(same, key=lambda one: abs(one.at - undone.at))[:1]
    return together


def _undo_acceptance(engine: Engine, undone: Event) -> list[Put]:
    """Put an accepted proposal back into the inbox, and undo what accepting it changed."""
    together = _together(engine, undone)
    waited = (one for one in together if json.loads(one.before).get("status") == "staged")
    undone = next(waited, undone)
    puts = _undo_together(engine, undone)
    involved = {undone.memory, *undone.related}
    for id in undone.related:
        for maker in _creating_events(engine, id):
            if maker.action == "edited" and not involved.isdisjoint(maker.related):
                puts += _undo_creation(engine, maker)
    proposal = _current(engine, undone.memory)
    became_another = "superseded_by" in json.loads(undone.before)
    if not became_another or proposal.superseded_by is None:
        return puts
    if proposals.action_of(proposal) in proposals.AGENTS_ACTS:
        return puts + _undo_agents_act(engine, proposal, undone)
    made = _current(engine, proposal.superseded_by)
    makers = _creating_events(engine, made.id)
    return puts + _delete_and_revive(engine, made, makers[0].related if makers else ())


def _undo_agents_act(engine: Engine, proposal: Memory, accepted: Event) -> list[Put]:
    """Undo the change that accepting an agent's proposal made."""
    action = EVENT_OF_ACT[proposals.action_of(proposal)]
    for made in changes_of(engine, proposal.superseded_by or ""):
        if made.action == action and made.at <= accepted.at:
            return _UNDO[action](engine, made)
    return []


def _undo_rename(engine: Engine, undone: Event) -> list[Put]:
    """Restore the old name of a memory; the links follow it."""
    before = json.loads(undone.before)
    if "slug" not in before:
        raise Refused(
            "The links of this memory follow the name of another one.",
            hint=f"Give that one its old name back, with `revert {undone.related[0]}`.",
        )
    memory = _current(engine, undone.memory)
    words = memory.title or memory.key or memory.content[:300]
    slug = before["slug"] or identity.slug(words, memory.id)
    named = engine.index.select(Where(name=slug), visible=engine.visible, limit=5)
    if any(other.id != memory.id for other in named):
        raise Conflict(
            f"Another memory is called {slug!r} now.", hint="Use `rename` with a free name."
        )
    now = to_millisecond(engine.now())
    return [Put(memory.but(slug=slug, updated=now), expect=memory)]


def _with_old_fields(engine: Engine, memory: Memory, undone: Event) -> Memory:
    fields = to_fields(memory)
    for name, value in json.loads(undone.before).items():
        if value is None:
            fields.pop(name, None)
        else:
            fields[name] = value
    fields["updated"] = to_fields(memory)["updated"]
    return from_fields(fields).but(updated=to_millisecond(engine.now()))


def _changes_something(put: Put) -> bool:
    return put.expect is None or put.memory.but(updated=put.expect.updated) != put.expect


def _current(engine: Engine, id: str) -> Memory:
    found = engine.store.read([id], visible=engine.visible).get(id)
    if found is None:
        raise Conflict(f"{id} is no longer in the book.", hint="It was purged or removed by hand.")
    return found


def _replaced_since(by: str) -> Conflict:
    return Conflict(
        "The memory that this change made has been replaced since.",
        hint=f"Undo the newer change first, with `revert {by}`.",
    )


_UNDO: dict[str, Callable[[Engine, Event], list[Put]]] = {
    "created": _undo_creation,
    "merged": _undo_creation,
    "staged": _undo_creation,
    "promoted": _undo_creation,
    "corrected": _undo_correction,
    "superseded": _undo_supersession,
    "edited": _undo_edit,
    "forgotten": _undo_forgetting,
    "restored": _undo_together,
    "deduplicated": _undo_retirement,
    "reverted": _undo_together,
    "renamed": _undo_rename,
    "rescoped": _undo_fields,
    "generalized": _undo_fields,
    "archived": _undo_fields,
    "staled": _undo_fields,
    "revived": _undo_fields,
    "loaded": _undo_fields,
    "unloaded": _undo_fields,
    "retired": _undo_retirement,
    "reviewed": _undo_fields,
    "accepted": _undo_acceptance,
    "rejected": _undo_together,
}
