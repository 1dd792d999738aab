"""Bring the index up to what the store holds, leaving out what was purged."""

from __future__ import annotations

from ..errors import Damaged, IndexUnavailable
from ..scope import EVERYTHING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from ..model import Memory
    from ..ports import Document
    from .engine import Engine

    T = TypeVar("T")


def catch_up(engine: Engine, *, look: bool = True) -> int:
    """Index what changed since last time and say how many places that was.

    With `look` the store first looks for edits made behind its back. Without it nothing is read
    when the index has already seen every change the store knows of.
    """
    since = engine.index.revision()
    if not look and since == engine.store.revision():
        return 0
    seen = 0
    for changes in engine.store.changes(since, visible=EVERYTHING, look=look):
        kept = tuple(_unburied(engine, document) for document in changes.documents)
        engine.index.apply(changes.but(documents=kept))
        seen += len(kept)
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


def _unburied(engine: Engine, document: Document) -> Document:
    if not engine.ledger.burials() or not document.memories:
        return document
    buried = find_buried(engine, document.memories)
    return document.but(memories=tuple(m for m in document.memories if m.id not in buried))


def find_buried(engine: Engine, memories: tuple[Memory, ...] | list[Memory]) -> set[str]:
    """Ids of those memories that were purged, here or on another device, or repeat purged text."""
    if not memories or not engine.ledger.burials():
        return set()
    digests = {memory.id: engine.digest(memory.content) for memory in memories}
    found = engine.ledger.buried([*digests, *digests.values()])
    return {id for id, digest in digests.items() if id in found or digest in found}
