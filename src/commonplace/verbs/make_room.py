"""Letting an empty place become a book that moves there, or is restored there."""

from __future__ import annotations

from ..errors import Conflict
from ..rules.scoping import require_owner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .engine import Engine


def make_room(target: Engine, book: str) -> bool:
    """Let an empty place become that book; True when it must be opened again for it.

    Raises Conflict when something is there already.
    """
    require_owner(target.context)
    if target.store.store_id == book:
        return False
    if next(target.ledger.lines(), None) is not None:
        raise another_book(target)
    target.store.adopt(book)
    return True


def another_book(target: Engine) -> Conflict:
    """What to say of a place that is taken."""
    return Conflict(
        f"There is another book at {target.store.url}.", hint="Name a new place, or an empty one."
    )
