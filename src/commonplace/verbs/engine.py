"""What every verb works with: the ports, the settings, who is asking, the clock and the ids."""

from __future__ import annotations

from ..rules import identity, scoping
from ..scope import Visible
from ..value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from ..model import Memory
    from ..ports import Embedder, Ledger, RecordStore, SearchIndex
    from ..scope import Context
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

    @property
    def own_log(self) -> Visible:
        """Whose questions this caller may read back: only its own, unless the book is its own."""
        if self.context.role == "owner":
            return self.visible
        return Visible(scopes=frozenset({str(self.context.scope)}))

    def digest(self, memory: Memory) -> str:
        """How this book recognizes a memory's text without keeping it.

        Keyed by tenant as well: purging a text must neither remove nor reveal that of others. And
        by turn: many say `ok` in a conversation, and each of them is a memory of its own.
        """
        wall = (memory.scope.value("org") or "", memory.scope.value("user") or "")
        turn = (memory.episode, str(memory.position)) if memory.episode else ()
        return identity.digest(memory.content, "\0".join((self.store.store_id, *wall, *turn)))

    def close(self) -> None:
        """Let go of every backend."""
        if self.embedder is not None:
            self.embedder.close()
        self.index.close()
        self.ledger.close()
        self.store.close()
