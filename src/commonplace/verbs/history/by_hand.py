"""What somebody changed in an editor: the note says it, and no change on record does."""

from __future__ import annotations

from ...rules.actions import TOLD_ONLY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...model import Event, Memory
    from ..engine import Engine


def edited_by_hand(engine: Engine, memory: Memory, changes: Iterable[Event]) -> bool:
    """Whether it says something else than its last change, newest first, has left."""
    left = (one.digest for one in changes if one.digest and one.action not in TOLD_ONLY)
    last = next(left, None)
    return last is not None and last != engine.digest(memory)
