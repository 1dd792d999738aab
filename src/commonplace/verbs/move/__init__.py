"""Move house: the whole book to another place, compared at the end, and safe to interrupt.

The new place is the same book: it has the same id, memories, versions, audit events, tombstones
and counters. The old one is left as it was. A move that was cut short, or a book that went on
since, is continued by moving again; a place that knows something the book does not is refused.
"""

from __future__ import annotations

from ...rules.scoping import require_owner
from ..catch_up import catch_up
from .checks import require_apart, require_sound
from .removal import Removal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...results import Moved
    from ..engine import Engine
    from .removal import Progress


def move(
    source: Engine,
    target: Engine,
    *,
    anyway: bool = False,
    progress: Progress = lambda step, done, of: None,
) -> Moved:
    """Copy everything that the target lacks, then compare both and raise Damaged if they differ.

    A source with problems is refused, since what cannot be read cannot be moved; `anyway` moves
    the rest.
    """
    for engine in (source, target):
        require_owner(engine.context)
    require_apart(source, target)
    if not anyway:
        require_sound(source)
    with source.store.lease() as kept, target.store.lease() as lease:
        removal = Removal(source, target, kept, lease, progress)
        removal.require_behind()
        removal.carry_ledger()
        removal.carry_memories()
        removal.erase_purged()
        moved = removal.compare()
    target.store.refresh_map()
    progress("Indexing", 0, moved.memories)
    catch_up(target, progress=lambda done: progress("Indexing", done, moved.memories))
    return moved
