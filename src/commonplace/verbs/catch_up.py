"""Bring the index up to what the store holds, leaving out what was purged."""

from __future__ import annotations

from ..errors import Damaged, IndexUnavailable
from ..scope import EVERYTHING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    from ..model import Memory
    from ..ports import Changes
    from .engine import Engine

    T = TypeVar("T")


def catch_up(
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


def with_index(engine: Engine, read: Callable[[], T]) -> T:
    """Read from an up-to-date index; a broken one is rebuilt from the store and read again."""
    try:
        catch_up(engine)
        return read()
    except (IndexUnavailable, Damaged):
        engine.index.reset()
        catch_up(engine)
        return read()


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
    digests = {memory.id: engine.digest(memory.content) for memory in memories}
    found = engine.ledger.buried([*digests, *digests.values()])
    return {id for id, digest in digests.items() if id in found or digest in found}
