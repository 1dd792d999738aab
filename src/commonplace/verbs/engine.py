"""What every verb works with: the ports, the settings, who is asking, the clock and the ids."""

from __future__ import annotations

from ..rules import identity, scoping
from ..value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from ..ports import Embedder, Ledger, RecordStore, SearchIndex
    from ..scope import Context, Visible
    from ..settings import Settings


class Engine(Value):
    """The ports of one book, as one caller uses them."""

    store: RecordStore
    index: SearchIndex
    ledger: Ledger
    embedder: Embedder | None
    """None where full text is all there is."""
    settings: Settings
    state: str
    context: Context
    source: str
    now: Callable[[], datetime]
    new_id: Callable[[int], str]

    @property
    def visible(self) -> Visible:
        """What this caller may read."""
        return scoping.visible(self.context)

    def id(self) -> str:
        """A new id."""
        return self.new_id(int(self.now().timestamp() * 1000))

    def digest(self, content: str) -> str:
        """How this book recognizes a text without keeping it."""
        return identity.digest(content, self.store.store_id)

    def close(self) -> None:
        """Let go of every backend."""
        if self.embedder is not None:
            self.embedder.close()
        self.index.close()
        self.ledger.close()
        self.store.close()
