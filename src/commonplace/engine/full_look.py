"""Looks at everything after an answer that looked at a large book in part."""

from __future__ import annotations

from ..model.errors import CommonplaceError
from ..model.quick_decorators import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from ..ports.record_store import PartialLook, RecordStore


class FullLook:
    """The look at everything that the answers of an open book left."""

    def __init__(self, start: Callable[[], object]) -> None:
        self._start = start
        self._left: PartialLook | None = None

    def leave(self, look: PartialLook) -> None:
        """Start the look when the book is closed, unless somebody has done it by then."""
        self._left = look

    def close(self) -> None:
        """Start the look in a process of its own if it is left."""
        look, self._left = self._left, None
        with suppress(CommonplaceError):
            if look is not None and look.rest_is_left():
                self._start()


class AnswerLook:
    """How one answer looks for edits in a large book: in part, and at what it shows."""

    def __init__(self, store: RecordStore) -> None:
        self._store = store
        self._look: PartialLook | None = None

    def look_in_part(self) -> bool:
        """Look once for new, moved and removed memories; False if all edits are to be found."""
        self._look = self._look or self._store.look_in_part()
        return self._look is not None

    def may_show(self, ids: Collection[str]) -> bool:
        """Whether these memories are as the index has them; if not, all edits are to be found."""
        if self._look is not None and self._look.missed_edits(ids):
            self._look = None
        return self._look is not None

    def leave_rest(self) -> PartialLook | None:
        """Leave the rest of the look to be done after the answer; None if nothing is due."""
        return self._look if self._look is not None and self._look.leave_rest() else None
