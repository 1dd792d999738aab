"""What every verb works with: the ports, the settings, who is asking, the clock and the ids."""

from __future__ import annotations

import time
from _thread import allocate_lock

from ..model import identity
from ..model.errors import Unavailable
from ..model.scope import Visible
from ..model.value import Value
from ..rules import access

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from threading import Thread
    from typing import Any

    from ..model.memory import Memory
    from ..model.scope import Context
    from ..ports.backups import Backups
    from ..ports.cipher import Cipher
    from ..ports.embedder import Embedder
    from ..ports.ledger import Ledger
    from ..ports.reasoner import Reasoner
    from ..ports.record_store import RecordStore
    from ..ports.search_index import SearchIndex
    from ..ports.server_state import ServerState
    from ..ports.session_store import SessionStore
    from ..settings import Settings


class Lazy:
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
    later_sessions: Lazy | None = None
    later_sources: Lazy | None = None
    """Places outside the book; held as whoever assembles the book likes."""
    watched: bool = False
    """Whether somebody looks for edits made outside all the time, so that reads need not."""
    automatic: bool = False
    """Whether nobody asked for the very changes that are made with it."""
    rehearsing: bool = False
    """Whether questions are only tried out: they are neither logged nor counted."""
    later_reasoner: Lazy | None = None
    later_cipher: Lazy | None = None
    open_backups: Callable[[str], Backups] | None = None
    """Opens the backups in a place."""
    later_server_state: Lazy | None = None

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
    def server_state(self) -> ServerState:
        """What the book's servers agree on, opened by its first use."""
        if self.later_server_state is None:
            raise Unavailable("This book has no servers.", hint="Open it with commonplace.open.")
        return self.later_server_state.get()

    @property
    def visible(self) -> Visible:
        """What this caller may read."""
        return access.visible(self.context)

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
        if self.later_server_state is not None:
            self.later_server_state.close()
        self.index.close()
        self.ledger.close()
        self.store.close()


# Work that goes on beside everything else, while a book stays open.


PAUSE_S = 30.0
"""How long to wait after work that got nowhere: an endpoint that is down is not asked at once."""


class Background:
    """At most one thread; it ends with its work, or between two steps when the book is closed."""

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._thread: Thread | None = None
        self._not_before = 0.0
        self._closed = False

    def begin(self, work: Callable[[Callable[[], bool]], int]) -> None:
        """Start some work, unless there is some going on.

        It is handed a function that says when to stop, and returns how much it got done.
        """
        with self._lock:
            busy = self._thread is not None and self._thread.is_alive()
            if busy or self._closed or time.monotonic() < self._not_before:
                return
            # Imported here: a command that only answers has no threads.
            from threading import Thread

            self._thread = Thread(target=self._run, args=(work,), daemon=True)
            self._thread.start()

    def wait(self) -> None:
        """Until what is going on is done."""
        if self._thread is not None:
            self._thread.join()

    def close(self) -> None:
        """Let the step that is going on end, and begin no other."""
        self._closed = True
        self.wait()

    def _run(self, work: Callable[[Callable[[], bool]], int]) -> None:
        if not work(lambda: self._closed):
            self._not_before = time.monotonic() + PAUSE_S
