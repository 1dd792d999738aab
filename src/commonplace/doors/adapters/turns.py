"""The turns of one conversation as memories: verbatim, in order, and found by recall."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from ...errors import BadInput, Refused
from ...model import LIVE, STATUSES, Draft, Memory
from .documents import Documents
from .store_items import label, name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...book import Commonplace

KIND = "turn"
_log = logging.getLogger(__name__)


class Turns:
    """One conversation in the scope that the book was opened with."""

    def __init__(self, book: Commonplace, id: str) -> None:
        self.book = book
        self.episode = name(id)
        self.aside = f"{self.episode} (aside)"
        """Where things go that nobody said, so that they do not stand between what was."""
        self._turns = Documents(book, KIND)
        self._tag = label("conversation", id)

    def every(self, *, gone: bool = False) -> list[Memory]:
        """What was said, in order; with `gone`, also what was forgotten since."""
        # What tidying has put into the archive was said all the same.
        statuses = STATUSES if gone else (*LIVE, "archived")
        found = self._turns.every(tags=[self._tag], statuses=statuses)
        mine = (one for one in found if one.episode in (self.episode, self.aside))
        return sorted(mine, key=lambda one: (one.position or 0, one.created, one.id))

    def draft(self, content: str, position: int, *, aside: bool = False, **fields: Any) -> Draft:
        """A turn to save."""
        return Draft(
            content,
            scope=self._turns.home,
            kind=KIND,
            episode=self.aside if aside else self.episode,
            position=position,
            tags=(self._tag,),
            **fields,
        )

    def add(self, drafts: Sequence[Draft]) -> None:
        """Save turns; one that may not be kept is left out, and the others are kept."""
        if not drafts:
            return
        try:
            self.book.save_many(drafts)
        except (Refused, BadInput) as error:
            if len(drafts) == 1:
                _log.warning("A turn was not kept: %s", error)
                return
            for one in drafts:
                self.add([one])
