"""Index what changed in the store since last time, without purged memories.

An index is behind when a writer was killed or a person edited a note. `index_new_changes` indexes
what is missing, `catch_up_or_rebuild` does the same and rebuilds a broken index, and `with_index`
does that for a reader.
"""

from __future__ import annotations

import os

from ..model import identity
from ..model.errors import CommonplaceError, Damaged, IndexUnavailable
from ..model.memory import LIVE, UNASKED_TIERS
from ..model.quick_decorators import suppress
from ..model.scope import EVERYTHING
from ..rules import authority

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from typing import TypeVar

    from ..model.memory import Memory
    from ..ports.record_store import Changes
    from .engine import Engine

    T = TypeVar("T")


MOST_EVENTS = 100
"""Events read for each memory whose trust is checked."""
MOST_READS = 4
"""How often an answer is read at most while its index is begun anew, or the store seems damaged."""
UNPROVEN_FILE = "claims-unproven"
"""Holds the ids of memories that claim to be a person's, until their events arrive."""


def catch_up_or_rebuild(
    engine: Engine, *, look: bool = True, progress: Callable[[int], object] = lambda _: None
) -> int:
    """Call `index_new_changes`, and once more on an emptied index if the index is broken."""
    return _rebuilding(engine, lambda: index_new_changes(engine, look=look, progress=progress))


def with_index(
    engine: Engine,
    read: Callable[[], T],
    *,
    look: bool = True,
    quick: bool = False,
    shown: Callable[[T], Collection[str]] | None = None,
) -> T:
    """Call `read` with an up-to-date index; a broken one is rebuilt, and `read` called again.

    A `quick` look costs so little that it is taken even while another thread watches. With `shown`,
    the ids in what was read, an answer from a large book looks at it in part.
    """

    def caught_up() -> T:
        look_now = look and (quick or not engine.edits_watched)
        if look_now and shown is not None:
            in_part = _read_after_partial_look(engine, read, shown)
            if in_part is not None:
                return in_part[0]
        seen = engine.index.revision() if look_now and engine.store.is_scanning() else None
        early = None
        if seen is not None and seen == engine.store.revision():
            early = _read_early(read)
        if not _has_caught_up(engine, look=look_now, quick=quick):
            # A damaged store keeps no answer back that the index has; `doctor` names the damage.
            return early[0] if early else read()
        return early[0] if early and engine.index.revision() == seen else read()

    def whole() -> T:
        # Another thread may begin a damaged index anew, before this one reads or in the midst of
        # it: what was read of two indexes, or of an empty one, is no answer.
        for _ in range(MOST_READS - 1):
            begun = engine.index.begun()
            found = caught_up()
            if engine.index.begun() == begun:
                return found
        return caught_up()

    return _rebuilding(engine, whole)


def _has_caught_up(engine: Engine, *, look: bool, quick: bool) -> bool:
    """Index what changed; False if the store is damaged.

    It seems so, too, at the moment in which another file takes the place of one of its own: an
    index that was emptied before would then be taken for all there is.
    """
    for _ in range(MOST_READS):
        with suppress(Damaged):
            index_new_changes(engine, look=look, quick=quick)
            return True
    return False


def _read_after_partial_look(
    engine: Engine, read: Callable[[], T], shown: Callable[[T], Collection[str]]
) -> tuple[T] | None:
    """Read after a look in part; None if all edits are to be found first."""
    look = engine.answer_look
    try:
        if look is None or not look.look_in_part():
            return None
        index_new_changes(engine, look=False)
    except Damaged:
        return None
    found = read()
    return (found,) if look.may_show(shown(found)) else None


def _read_early(read: Callable[[], T]) -> tuple[T] | None:
    """Read while the store still looks for edits; the result counts if none are found."""
    try:
        return (read(),)
    except CommonplaceError:
        return None


def index_new_changes(
    engine: Engine,
    *,
    look: bool = True,
    quick: bool = False,
    progress: Callable[[int], object] = lambda _: None,
) -> int:
    """Index what changed since the index's revision; returns the number of places read.

    With `look` the store first looks for outside edits, `quick` or thoroughly. Without it nothing
    is read if the index has every change that the store knows of.
    """
    _report_proven(engine)
    since = engine.index.revision()
    known = engine.store.revision()
    if since > known:
        # The store is older than the index: a backup was restored, or the store lost what it knew
        # of its files. Everything is indexed again, and what it knows may be nothing.
        engine.index.reset()
        look = True
    # Only where there are files may anybody write without the store.
    look = look and "files" in engine.store.capabilities
    if since == known and not look:
        return 0
    with engine.index.turn() as since:
        # The writer before this one indexed the changes of all that waited for its turn.
        if since >= known and not look:
            return 0
        return _index_after(engine, since, look=look, quick=quick, progress=progress)


def _index_after(
    engine: Engine, since: int, *, look: bool, quick: bool, progress: Callable[[int], object]
) -> int:
    seen = 0
    for changes in engine.store.changes(since, visible=EVERYTHING, look=look, quick=quick):
        indexed, unproven = _without_claims(engine, _without_purged(engine, changes))
        # Another thread may have begun the index anew since its revision was read.
        engine.index.apply(indexed.but(after=since))
        since = changes.revision
        if unproven and "files" in engine.store.capabilities:
            _remember_unproven(engine, _unproven(engine) | _count_events(engine, unproven))
        seen += len(changes.documents)
        progress(seen)
    return seen


def as_indexed(engine: Engine, changes: Changes) -> Changes:
    """The changes as the index gets them: without purged memories and without claimed trust."""
    return _without_claims(engine, _without_purged(engine, changes))[0]


def _report_proven(engine: Engine) -> None:
    """Index memories again about which more events have arrived since they were indexed.

    From another device a note may come before the event that says whose word it is.
    """
    if "files" not in engine.store.capabilities or not (waiting := _unproven(engine)):
        return
    counts = _count_events(engine, waiting)
    if more := {id for id, count in waiting.items() if counts[id] != count}:
        # Before the report: what still lacks its event is remembered once more.
        _remember_unproven(engine, {id: n for id, n in waiting.items() if id not in more})
        engine.store.report_again(more)


def _count_events(engine: Engine, ids: Collection[str]) -> dict[str, int]:
    counts = dict.fromkeys(ids, 0)
    for one in engine.ledger.events(visible=EVERYTHING, memories=ids, limit=MOST_EVENTS * len(ids)):
        if one.memory in counts:  # Others name one of the memories as related.
            counts[one.memory] += 1
    return counts


def _unproven(engine: Engine) -> dict[str, int]:
    """Memories that wait for a person's event, with the number of their events so far."""
    try:
        with open(os.path.join(engine.state, UNPROVEN_FILE), encoding="utf-8") as file:
            pairs = (line.split() for line in file)
            return {id: int(count) for id, count in pairs}
    except (FileNotFoundError, ValueError):
        return {}


def _remember_unproven(engine: Engine, counts: Mapping[str, int]) -> None:
    path = os.path.join(engine.state, UNPROVEN_FILE)
    draft = f"{path}.{os.getpid()}.tmp"
    # On a disk that cannot be written, the next rebuild of the index does the same.
    with suppress(OSError):
        if not counts:
            os.unlink(path)
            return
        with open(draft, "w", encoding="utf-8") as file:
            file.writelines(f"{id} {count}\n" for id, count in counts.items())
        os.replace(draft, path)


def _rebuilding(engine: Engine, work: Callable[[], T]) -> T:
    try:
        return work()
    except IndexUnavailable:
        if "shared" in engine.index.capabilities | engine.store.capabilities:
            # The index may only be unreachable for a moment, and a reset would empty it for all.
            raise
        engine.index.reset()
        return work()


def _without_purged(engine: Engine, changes: Changes) -> Changes:
    memories = [memory for document in changes.documents for memory in document.memories]
    purged = find_purged(engine, memories)
    if not purged:
        return changes
    kept = (
        document.but(memories=tuple(m for m in document.memories if m.id not in purged))
        for document in changes.documents
    )
    return changes.but(documents=tuple(kept))


def _without_claims(engine: Engine, changes: Changes) -> tuple[Changes, set[str]]:
    """The changes, without the trust that a file in an agent's folder only claims to have.

    Also returns the ids of the memories that claim it.

    A memory that is in use as a person's, or replaces one, needs a person's event about this very
    text in the audit log.
    """
    claiming = {
        memory.id: engine.content_fingerprint(memory)
        for document in changes.documents
        for memory in document.memories
        if memory.owner == "agent" and memory.trust == "user"
        and (memory.status in LIVE or memory.supersedes is not None)
    }  # fmt: skip
    if not claiming:
        return changes, set()
    events = engine.ledger.events(
        visible=EVERYTHING, memories=claiming, limit=MOST_EVENTS * len(claiming)
    )
    for one in events:
        by_person = authority.actor_of(one.by) == authority.PERSON
        if by_person and claiming.get(one.memory) == one.digest:
            del claiming[one.memory]
    documents = (
        document.but(
            memories=tuple(
                _without_claim(one) if one.id in claiming else one for one in document.memories
            )
        )
        for document in changes.documents
    )
    return changes.but(documents=tuple(documents)), set(claiming)


def _without_claim(memory: Memory) -> Memory:
    tier = "search" if memory.tier in UNASKED_TIERS else memory.tier
    return memory.but(trust="agent", source="hand", tier=tier, always_load=False)


def find_purged(engine: Engine, memories: Sequence[Memory]) -> set[str]:
    """Ids of the memories that were purged, here or on another device, or repeat a text there.

    A purge holds for the scope of its memory, an erasure for the whole tenant.
    """
    if not memories or not engine.ledger.tombstone_count():
        return set()
    keys = {
        memory.id: {engine.content_fingerprint(memory), engine.place_fingerprint(memory)}
        for memory in memories
    }
    for id, own in keys.items():
        # The id of a hand-written line follows from its place, where a new text may stand now.
        if not identity.is_derived(id):
            own.add(id)
    found = engine.ledger.purged_keys([key for own in keys.values() for key in own])
    return {id for id, own in keys.items() if not own.isdisjoint(found)}
