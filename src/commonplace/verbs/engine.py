"""What every verb works with: the ports, the settings, who is asking, the clock and the ids."""

from __future__ import annotations

from _thread import allocate_lock

from ..errors import Unavailable
from ..rules import identity, scoping
from ..scope import Visible
from ..value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from typing import Any

    from ..model import Memory
    from ..ports.auditing import Ledger
    from ..ports.backups import Backups
    from ..ports.embedding import Embedder
    from ..ports.frontdesk import FrontDesk
    from ..ports.reasoning import Reasoner
    from ..ports.records import RecordStore
    from ..ports.sealing import Cipher
    from ..ports.searching import SearchIndex
    from ..ports.sessions import SessionStore
    from ..scope import Context
    from ..settings import Settings
    from .background import Background


class Later:
    """A part that most commands never need: opened by its first use."""

    def __init__(self, open: Callable[[], Any]) -> None:
        self._open = open
        self._lock = allocate_lock()
        self._opened: Any = None

    def get(self) -> Any:
        """The part, opened."""
        with self._lock:
            if self._opened is None:
                self._opened = self._open()
            return self._opened

    def close(self) -> None:
        """Close it if it was opened."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()
            self._opened = None


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
    former: Callable[[str], Embedder | None] | None = None
    """Finds the embedder that made a model's vectors, after another was chosen."""
    background: Background | None = None
    """Where slow work goes on while the book stays open; None in a process that is soon over."""
    later_sessions: Later | None = None
    later_sources: Later | None = None
    """Places outside the book; held as whoever assembles the book likes."""
    watched: bool = False
    """Whether somebody looks for edits made outside all the time, so that reads need not."""
    automatic: bool = False
    """Whether nobody asked for the very changes that are made with it."""
    rehearsing: bool = False
    """Whether questions are only tried out: they are neither logged nor counted."""
    later_reasoner: Later | None = None
    later_cipher: Later | None = None
    open_backups: Callable[[str], Backups] | None = None
    """Opens the backups in a place."""
    later_desk: Later | None = None

    @property
    def sessions(self) -> SessionStore:
        """What conversations remember while they last, opened by its first use."""
        if self.later_sessions is None:
            raise Unavailable("This book keeps no sessions.", hint="Open it with commonplace.open.")
        return self.later_sessions.get()

    @property
    def reasoner(self) -> Reasoner:
        """Who works with meaning, opened by its first use."""
        if self.later_reasoner is None:
            raise Unavailable("This book has no reasoner.", hint="Open it with commonplace.open.")
        return self.later_reasoner.get()

    @property
    def cipher(self) -> Cipher:
        """What seals memories and shows them again, opened by its first use."""
        if self.later_cipher is None:
            raise Unavailable("This book seals nothing.", hint="Open it with commonplace.open.")
        return self.later_cipher.get()

    @property
    def desk(self) -> FrontDesk:
        """What the book's servers agree on, opened by its first use."""
        if self.later_desk is None:
            raise Unavailable("This book has no servers.", hint="Open it with commonplace.open.")
        return self.later_desk.get()

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
        by turn: many say `ok` in a conversation, and each of them is a memory of its own. And facts
        by their place: nobody can word `true` differently to set it in another project.
        """
        wall = (memory.scope.value("org") or "", memory.scope.value("user") or "")
        turn = (memory.episode, str(memory.position)) if memory.episode else ()
        place = (str(memory.scope), memory.namespace or "") if memory.value is not None else ()
        key = "\0".join((self.store.store_id, *wall, *turn, *place))
        return identity.digest(memory.content, key)

    def close(self) -> None:
        """Let go of every backend."""
        if self.background is not None:
            self.background.close()
        if self.embedder is not None:
            self.embedder.close()
        if self.later_sessions is not None:
            self.later_sessions.close()
        if self.later_sources is not None:
            self.later_sources.close()
        if self.later_reasoner is not None:
            self.later_reasoner.close()
        if self.later_desk is not None:
            self.later_desk.close()
        self.index.close()
        self.ledger.close()
        self.store.close()
