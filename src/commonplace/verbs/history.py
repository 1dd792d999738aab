"""How a memory came to be what it is, and the undo for any one change."""

from __future__ import annotations

import json

from ..engine import revisions
from ..engine.catch_up import with_index
from ..engine.commit import commit, event
from ..model import identity
from ..model.codec import from_fields, to_fields, to_millisecond
from ..model.errors import Conflict, NotFound, Refused
from ..model.memory import LIVE
from ..model.results import Reverted
from ..model.value import Value
from ..ports.record_store import Put
from ..ports.search_index import Where
from ..rules import access, audit, proposals
from ..rules.audit import TOLD_ONLY
from ..rules.screening.screen import credentials_removed
from .find import get

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..engine.engine import Engine
    from ..model.memory import Event, Memory


def edited_by_hand(engine: Engine, memory: Memory, changes: Iterable[Event]) -> bool:
    """Whether it says something else than its last change, newest first, has left."""
    left = (one.digest for one in changes if one.digest and one.action not in TOLD_ONLY)
    last = next(left, None)
    return last is not None and last != engine.digest(memory)


# How a memory came to be what it is, and the undo for any one change.


MOST_EVENTS = 1_000


class History(Value):
    """Every version of a memory, oldest first, and the audited changes to them, newest first."""

    versions: tuple[Memory, ...]
    events: tuple[Event, ...]
    by_hand: tuple[str, ...] = ()
    """Versions that were edited by hand since the last change on record, or written by hand."""


def history(engine: Engine, ref: str) -> History:
    """The chain of versions a memory belongs to."""
    memory = get(engine, ref)
    chain = with_index(engine, lambda: revisions.versions(engine, memory))
    events = _events(engine, *(one.id for one in chain))
    by_hand = [one.id for one in chain if _by_hand(engine, one, _own(events, one.id))]
    return History(tuple(chain), tuple(events), tuple(by_hand))


def _by_hand(engine: Engine, memory: Memory, changes: list[Event]) -> bool:
    return not changes or edited_by_hand(engine, memory, changes)


def revert(engine: Engine, ref: str) -> Reverted:
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
    memories = _undone(engine, undone, undo, look=True)
    if not memories:
        raise Refused(
            "There is nothing left of this change to undo.",
            hint="See `history`; an earlier change is undone by its event's id.",
        )
    return Reverted(undone.id, undone.action, memories)


def undo_event(engine: Engine, undone: Event, *, look: bool = False) -> tuple[Memory, ...] | None:
    """Undo one change and return the memories as they are now: none if nothing is left of it.

    None when a change of that kind cannot be undone.
    """
    undo = _UNDO.get(undone.action)
    return None if undo is None else _undone(engine, undone, undo, look=look)


def _undone(
    engine: Engine, undone: Event, undo: Callable[[Engine, Event], list[Put]], *, look: bool
) -> tuple[Memory, ...]:
    with engine.store.lease() as lease:
        planned = with_index(engine, lambda: undo(engine, undone), look=look)
        puts = [put for put in planned if _changes_something(put)]
        if not puts:
            return ()
        for put in puts:
            access.require_writable(engine.context, put.memory.scope)
        ids = [put.memory.id for put in puts]
        events = [
            event(
                engine,
                "reverted",
                put.memory,
                before=put.expect,
                related=(undone.id, *(id for id in ids if id != put.memory.id)),
            )
            for put in puts
        ]
        done = commit(engine, lease, puts, events)
    return tuple(one.memory for one in done.stored)


def _event(engine: Engine, ref: str) -> Event:
    if found := engine.ledger.events(visible=engine.visible, ids=[ref], limit=1):
        if any(one.action == audit.ABANDONED for one in _events(engine, found[0].id)):
            raise Refused(
                "That change was begun and never happened.", hint="There is nothing to undo."
            )
        return found[0]
    memory = get(engine, ref)
    for found in _happened(engine, memory.id):
        if found.action not in audit.SAYS_THE_SAME:
            return found
    named = credentials_removed(ref)[:80]
    raise NotFound(f"There is no change of {named!r} to undo.", hint="See `history`.")


def _events(engine: Engine, *involved: str) -> list[Event]:
    return engine.ledger.events(visible=engine.visible, memories=involved, limit=MOST_EVENTS)


def _happened(engine: Engine, id: str) -> list[Event]:
    """The changes of one memory, newest first, without those that were begun and given up."""
    return _own(_events(engine, id), id)


def _own(events: Iterable[Event], id: str) -> list[Event]:
    own = [one for one in events if one.memory == id]
    abandoned = {of for one in own if one.action == audit.ABANDONED for of in one.related}
    return [one for one in own if one.action != audit.ABANDONED and one.id not in abandoned]


def _take_back(engine: Engine, undone: Event) -> list[Put]:
    """Forget the memory that a change made, and bring back what it replaced."""
    new = _current(engine, undone.memory)
    makers = _makers(engine, new.id)
    if makers and makers[0].id != undone.id:
        raise _replaced(makers[0].id)
    return _instead_of(engine, new, undone.related)


def _correction_back(engine: Engine, undone: Event) -> list[Put]:
    """Take back a correction together with what was put right elsewhere because of it."""
    undone = _root_correction(engine, undone)
    puts = _take_back(engine, undone)
    for one in _events(engine, undone.memory):
        if one.memory == undone.memory or undone.memory not in one.related:
            continue
        if one.action == "corrected":
            puts += _instead_of(engine, _current(engine, one.memory), one.related)
        elif one.action == "reviewed":
            puts += _fields_back(engine, one)
    return list({put.memory.id: put for put in puts}.values())


def _root_correction(engine: Engine, undone: Event) -> Event:
    """The correction because of which this one was made; itself if it was the first."""
    involved = engine.store.read(list(undone.related), visible=engine.visible)
    for one in involved.values():
        makers = _makers(engine, one.id) if one.superseded_by != undone.memory else []
        if makers and makers[0].action == "corrected":
            return makers[0]
    return undone


def _bring_back(engine: Engine, undone: Event) -> list[Put]:
    """Bring back a superseded memory, by undoing the change that replaced it."""
    old = _current(engine, undone.memory)
    if not undone.related:
        return [Put(_revived(engine, old), expect=old)]
    new = _current(engine, undone.related[0])
    makers = _makers(engine, new.id)
    maker = next((one for one in makers if old.id in one.related), None)
    if undone.automatic and makers and not (maker or makers[0]).automatic:
        return _apart(engine, new, old)
    if maker is not None:
        return (_correction_back if maker.action == "corrected" else _take_back)(engine, maker)
    named = makers[0].related if makers else ()
    return _instead_of(engine, new, dict.fromkeys((*named, old.id)))


def _apart(engine: Engine, new: Memory, old: Memory) -> list[Put]:
    """Somebody said the new one, and only its taking the old one's place was nobody's wish."""
    now = to_millisecond(engine.now())
    puts = [Put(_revived(engine, old), expect=old)] if old.superseded_by == new.id else []
    if new.supersedes == old.id:
        # The claim goes first: as long as it stands, readers take the old one for superseded.
        puts.insert(0, Put(new.but(supersedes=None, updated=now), expect=new))
    return puts


def _makers(engine: Engine, id: str) -> list[Event]:
    """The changes that made a memory; a line of `facts.md` is made again with each value."""
    return [
        one
        for one in _happened(engine, id)
        if one.action in audit.MAKING and (one.action != "edited" or one.related)
    ]


def _instead_of(engine: Engine, new: Memory, replaced: Iterable[str]) -> list[Put]:
    if new.status in ("superseded", "archived") and new.superseded_by:
        later = revisions.later(engine, new)
        raise _replaced(later[-1].id if later else str(new.superseded_by))
    puts: list[Put] = []
    if new.status != "deleted":
        if edited_by_hand(engine, new, _happened(engine, new.id)):
            raise Conflict(
                f"{new.slug or new.id} was edited by hand since, which this would undo, too.",
                hint="Change the note by hand, or say what is right with `commonplace correct`.",
            )
        now = to_millisecond(engine.now())
        puts.append(Put(new.but(status="deleted", deleted_at=now, updated=now), expect=new))
    olds = engine.store.read(list(replaced), visible=engine.visible)
    return puts + [
        Put(_revived(engine, old), expect=old)
        for old in olds.values()
        if old.superseded_by == new.id and old.status in ("superseded", "archived")
    ]


def _revived(engine: Engine, old: Memory) -> Memory:
    """A superseded memory as it was before it was replaced."""
    for one in _happened(engine, old.id):
        if one.action == "superseded" and old.superseded_by in one.related:
            old = _as_before(engine, old, one)
            break
    status = old.status if old.status in LIVE else "active"
    now = to_millisecond(engine.now())
    return old.but(status=status, superseded_by=None, deleted_at=None, updated=now)


def _edit_back(engine: Engine, undone: Event) -> list[Put]:
    """An edit of the text made a new version; any other changed fields in place."""
    return (_take_back if undone.related else _fields_back)(engine, undone)


def _fields_back(engine: Engine, undone: Event) -> list[Put]:
    memory = _current(engine, undone.memory)
    return [Put(_as_before(engine, memory, undone), expect=memory)]


def _all_back(engine: Engine, undone: Event) -> list[Put]:
    """Put back the fields of every memory that was changed together with this one."""
    together = [undone]
    for other in undone.related:
        same = [
            one
            for one in _happened(engine, other)
            if one.action == undone.action and undone.memory in one.related
        ]
        together += sorted(same, key=lambda one: abs(one.at - undone.at))[:1]
    puts = [put for one in together for put in _fields_back(engine, one)]
    # The live one first: a crash in between then leaves an old version that readers see through.
    return sorted(puts, key=lambda put: put.memory.status not in LIVE)


def _reopened(engine: Engine, undone: Event) -> list[Put]:
    """Put an accepted proposal back into the inbox, and take back what came of it."""
    puts = _all_back(engine, undone)
    involved = {undone.memory, *undone.related}
    for id in undone.related:
        for maker in _makers(engine, id):
            if maker.action == "edited" and not involved.isdisjoint(maker.related):
                puts += _take_back(engine, maker)
    asked = _current(engine, undone.memory)
    if asked.kind != proposals.KIND or asked.superseded_by is None:
        return puts
    made = _current(engine, asked.superseded_by)
    makers = _makers(engine, made.id)
    return puts + _instead_of(engine, made, makers[0].related if makers else ())


def _name_back(engine: Engine, undone: Event) -> list[Put]:
    """Give a memory its old name again; links that were rewritten keep the new one."""
    before = json.loads(undone.before)
    if "slug" not in before:
        raise Refused(
            "Links that followed a rename are not rewritten back.",
            hint="Rename the memory they lead to, and they follow.",
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


def _as_before(engine: Engine, memory: Memory, undone: Event) -> Memory:
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


def _replaced(by: str) -> Conflict:
    return Conflict(
        "What this change made has been replaced since.",
        hint=f"Undo the newer change first, with `revert {by}`.",
    )


_UNDO: dict[str, Callable[[Engine, Event], list[Put]]] = {
    "created": _take_back,
    "merged": _take_back,
    "staged": _take_back,
    "promoted": _take_back,
    "corrected": _correction_back,
    "superseded": _bring_back,
    "edited": _edit_back,
    "forgotten": _fields_back,
    "restored": _all_back,
    "deduplicated": _fields_back,
    "reverted": _all_back,
    "renamed": _name_back,
    "archived": _fields_back,
    "staled": _fields_back,
    "revived": _fields_back,
    "loaded": _fields_back,
    "unloaded": _fields_back,
    "retired": _fields_back,
    "reviewed": _fields_back,
    "accepted": _reopened,
    "rejected": _all_back,
}
