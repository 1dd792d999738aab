"""How a memory came to be what it is, and the undo for any one change."""

from __future__ import annotations

import json

from ..errors import Conflict, NotFound, Refused
from ..model import LIVE, Reverted
from ..ports import Put, Where
from ..rules import scoping
from ..rules.codec import from_fields, to_fields, to_millisecond
from ..scope import EVERYTHING
from ..value import Value
from .catch_up import with_index
from .commit import commit, event
from .find import get

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..model import Event, Memory
    from .engine import Engine


class History(Value):
    """Every version of a memory, oldest first, and the audited changes to them, newest first."""

    versions: tuple[Memory, ...]
    events: tuple[Event, ...]


def history(engine: Engine, ref: str) -> History:
    """The chain of versions a memory belongs to."""
    memory = get(engine, ref)
    chain = with_index(engine, lambda: _chain(engine, memory))
    events = engine.ledger.events(
        visible=engine.visible, memories=[one.id for one in chain], limit=1_000
    )
    return History(tuple(chain), tuple(events))


def revert(engine: Engine, ref: str) -> Reverted:
    """Undo one change, given by its event's id, or the last change to a memory."""
    undone = _event(engine, ref)
    undo = _UNDO.get(undone.action)
    if undo is None:
        raise Refused(
            f"A change of the kind {undone.action!r} cannot be undone.",
            hint="Only `restore` from a backup brings back what was purged."
            if undone.action == "purged"
            else "See `history` for changes that can.",
        )
    with engine.store.lease() as lease:
        puts = undo(engine, undone)
        for put in puts:
            scoping.require_writable(engine.context, put.memory.scope)
        events = [
            event(engine, "reverted", put.memory, before=put.expect, related=(undone.id,))
            for put in puts
        ]
        done = commit(engine, lease, puts, events)
    return Reverted(undone.id, undone.action, tuple(one.memory for one in done.stored))


def _event(engine: Engine, ref: str) -> Event:
    if found := engine.ledger.events(visible=engine.visible, ids=[ref], limit=1):
        return found[0]
    memory = get(engine, ref)
    for found in engine.ledger.events(visible=engine.visible, memories=[memory.id], limit=50):
        if found.action in _UNDO:
            return found
    raise NotFound(f"There is no change of {ref[:80]!r} to undo.", hint="See `history`.")


def _chain(engine: Engine, memory: Memory) -> list[Memory]:
    def read(id: str | None) -> Memory | None:
        return engine.store.read([id], visible=engine.visible).get(id) if id else None

    chain, seen = [memory], {memory.id}
    while (older := read(chain[0].supersedes)) and older.id not in seen:
        chain.insert(0, older)
        seen.add(older.id)
    while (newer := read(chain[-1].superseded_by)) and newer.id not in seen:
        chain.append(newer)
        seen.add(newer.id)
    if memory.key is not None and len(chain) == 1:
        # A line of facts.md has no room for links; its earlier values are found by their key.
        where = Where(key=memory.key, scopes=(str(memory.scope),), statuses=("superseded",))
        older_values = engine.index.select(where, visible=engine.visible, order="oldest")
        chain = [m for m in older_values if m.namespace == memory.namespace] + chain
    return chain


def _forget_it(engine: Engine, undone: Event) -> list[Put]:
    memory = _current(engine, undone.memory)
    now = to_millisecond(engine.now())
    puts = [Put(memory.but(status="deleted", deleted_at=now, updated=now), expect=memory)]
    for id in undone.related if undone.action in ("created", "corrected", "edited") else ():
        older = engine.store.read([id], visible=EVERYTHING).get(id)
        if older is not None and older.superseded_by == memory.id:
            puts.append(Put(_revived(older, engine), expect=older))
    return puts


def _bring_back(engine: Engine, undone: Event) -> list[Put]:
    """Put back a superseded memory, and take back what replaced it."""
    memory = _current(engine, undone.memory)
    now = to_millisecond(engine.now())
    puts = [Put(_revived(memory, engine), expect=memory)]
    if memory.superseded_by:
        newer = engine.store.read([memory.superseded_by], visible=EVERYTHING)
        for successor in newer.values():
            if successor.status in LIVE:
                gone = successor.but(status="deleted", deleted_at=now, updated=now)
                puts.insert(0, Put(gone, expect=successor))
    return puts


def _metadata_back(engine: Engine, undone: Event) -> list[Put]:
    if undone.related:
        return _forget_it(engine, undone)
    memory = _current(engine, undone.memory)
    fields = to_fields(memory)
    for name, value in json.loads(undone.before).items():
        if value is None:
            fields.pop(name, None)
        else:
            fields[name] = value
    fields["updated"] = to_fields(memory.but(updated=to_millisecond(engine.now())))["updated"]
    return [Put(from_fields(fields), expect=memory)]


def _revived(memory: Memory, engine: Engine) -> Memory:
    return memory.but(
        status="active",
        superseded_by=None,
        deleted_at=None,
        updated=to_millisecond(engine.now()),
    )


def _current(engine: Engine, id: str) -> Memory:
    found = engine.store.read([id], visible=engine.visible).get(id)
    if found is None:
        raise Conflict(f"{id} is no longer in the book.", hint="It was purged or removed by hand.")
    return found


_UNDO: dict[str, Callable[[Engine, Event], list[Put]]] = {
    "created": _forget_it,
    "staged": _forget_it,
    "promoted": _forget_it,
    "corrected": _forget_it,
    "superseded": _bring_back,
    "edited": _metadata_back,
    "forgotten": _metadata_back,
    "restored": _metadata_back,
    "deduplicated": _metadata_back,
    "reverted": _metadata_back,
}
