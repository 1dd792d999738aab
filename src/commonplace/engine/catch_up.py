"""Bring the index up to what the store holds, leaving out what was purged."""

from __future__ import annotations

from ..model import identity
from ..model.errors import CommonplaceError, Damaged, IndexUnavailable
from ..model.scope import EVERYTHING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    from ..model.memory import Memory
    from ..ports.record_store import Changes
    from .engine import Engine

    T = TypeVar("T")


def catch_up(
    engine: Engine, *, look: bool = True, progress: Callable[[int], object] = lambda _: None
) -> int:
    """Bring the index up to date, a broken one from nothing; says how many places were read."""
    return _mending(engine, lambda: advance(engine, look=look, progress=progress))


def with_index(engine: Engine, read: Callable[[], T], *, look: bool = True) -> T:
    """Read from an up-to-date index; a broken one is rebuilt from the store and read again."""

    def caught_up() -> T:
        look_now = look and not engine.watched
        seen = engine.index.revision() if look_now and engine.store.looking() else None
        early = None
        if seen is not None and seen == engine.store.revision():
            early = _meanwhile(read)
        advance(engine, look=look_now)
        return early[0] if early and engine.index.revision() == seen else read()

    return _mending(engine, caught_up)


def _meanwhile(read: Callable[[], T]) -> tuple[T] | None:
    """What the index says while the store is still looking; it holds if nothing is found."""
    try:
        return (read(),)
    except CommonplaceError:
        return None


def advance(
    engine: Engine, *, look: bool = True, progress: Callable[[int], object] = lambda _: None
) -> int:
    """Index what changed since last time and say how many places that was.

    With `look` the store first looks for edits made behind its back. Without it nothing is read
    when the index has already seen every change the store knows of.
    """
    since = engine.index.revision()
    known = engine.store.revision()
    if since > known:
        # The store is older than the index: a backup was restored. Nothing indexed can be trusted.
        engine.index.reset()
        since = 0
    elif not look and since == known:
        return 0
    seen = 0
    for changes in engine.store.changes(since, visible=EVERYTHING, look=look):
        engine.index.apply(_unburied(engine, changes))
        seen += len(changes.documents)
        progress(seen)
    return seen


def _mending(engine: Engine, work: Callable[[], T]) -> T:
    try:
        return work()
    except (IndexUnavailable, Damaged):
        if "shared" in engine.index.capabilities | engine.store.capabilities:
            # It may only be out of reach for a moment, and emptying it would empty it for all.
            raise
        engine.index.reset()
        return work()


def _unburied(engine: Engine, changes: Changes) -> Changes:
    memories = [memory for document in changes.documents for memory in document.memories]
    buried = find_buried(engine, memories)
    if not buried:
        return changes
    kept = (
        document.but(memories=tuple(m for m in document.memories if m.id not in buried))
        for document in changes.documents
    )
    return changes.but(documents=tuple(kept))


def find_buried(engine: Engine, memories: Sequence[Memory]) -> set[str]:
    """Ids of those memories that were purged, here or on another device, or repeat purged text."""
    if not memories or not engine.ledger.burials():
        return set()
    digests = {memory.id: engine.digest(memory) for memory in memories}
    # The id of a hand-written place follows from the place: something new may be there now.
    own = [id for id in digests if not identity.is_derived(id)]
    found = engine.ledger.buried([*own, *digests.values()])
    return {id for id, digest in digests.items() if digest in found or (id in found and id in own)}
