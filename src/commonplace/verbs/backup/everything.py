"""Reading the whole store while others write to it, then the rest while they wait."""

from __future__ import annotations

from ...errors import CommonplaceError
from ...scope import EVERYTHING
from ..commit import follow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ...model import Memory
    from ...ports.records import Document
    from ..engine import Engine

ROUNDS = 5
FEW = 500
"""Once no more places than this changed during a look, the rest is read while nobody writes."""


def all_memories(engine: Engine) -> Iterator[list[Memory]]:
    """Every memory of the store, whatever its state, some at a time."""
    for changes in engine.store.changes(0, visible=EVERYTHING):
        if batch := [one for document in changes.documents for one in document.memories]:
            yield batch


class Everything:
    """Every place of the store, told once and again when it changes."""

    def __init__(self, engine: Engine, take: Callable[[Document], object]) -> None:
        self._engine = engine
        self._take = take
        self._since = 0

    def read(
        self,
        *,
        also: Callable[[], object] = lambda: None,
        progress: Callable[[int], object] = lambda _: None,
    ) -> None:
        """Read until little is left to read; each round does something beside it, too."""
        seen = 0
        for _ in range(ROUNDS):
            places = self.catch_up()
            also()
            seen += places
            progress(seen)
            if places <= FEW:
                return

    def catch_up(self) -> int:
        """Take what changed since the last look; whoever holds the lease has all of it then."""
        places = 0
        for changes in self._engine.store.changes(self._not_beyond_index(), visible=EVERYTHING):
            self._since = max(self._since, changes.revision)
            for document in changes.documents:
                self._take(document)
            places += len(changes.documents)
        return places

    def _not_beyond_index(self) -> int:
        """A revision that the index has reached, too.

        Whoever asks a store for what came after a revision tells it that the index knows the rest;
        taking the same place twice does no harm.
        """
        if not self._since:
            return 0
        try:
            follow(self._engine)
            return min(self._since, self._engine.index.revision())
        except CommonplaceError:
            return 0  # A broken index is no reason to go without.
