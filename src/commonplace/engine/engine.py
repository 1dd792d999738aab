"""The Engine that every verb gets: ports, settings, caller, clock and ids of one open book."""

from __future__ import annotations

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
    from typing import Any

    from ..model.checkout import GitHead
    from ..model.memory import Memory, Problem
    from ..model.scope import Context, Scope
    from ..ports.backups import Backups
    from ..ports.checkout import Checkout
    from ..ports.cipher import Cipher
    from ..ports.embedder import Embedder
    from ..ports.ledger import Ledger
    from ..ports.observer import Observer
    from ..ports.ranker import Ranker
    from ..ports.reasoner import Reasoner
    from ..ports.record_store import RecordStore
    from ..ports.search_index import SearchIndex
    from ..ports.server_state import ServerState
    from ..ports.session_store import SessionStore
    from ..settings import Settings
    from .background import Background
    from .full_look import AnswerLook, FullLook
    from .trace import Trace

PLACE = "place"
"""Keeps the hash of a text in one scope apart from its hash in the whole tenant."""


class LazyPort:
    """A port that most commands never need, opened by its first use."""

    def __init__(self, open: Callable[[], Any]) -> None:
        self._open = open
        self._lock = allocate_lock()
        self._opened: Any = None

    def get(self) -> Any:
        """The open port."""
        with self._lock:
            if self._opened is None:
                self._opened = self._open()
            return self._opened

    def close(self) -> None:
        """Close the port if it was opened."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()
            self._opened = None


class Engine(Value):
    """The ports and settings of one book, for one caller."""

    store: RecordStore
    index: SearchIndex
    ledger: Ledger
    embedder: Embedder | None
    """None if the book is searched by words alone."""
    settings: Settings
    state: str
    """Folder for this device's own files of the book."""
    context: Context
    source: str
    now: Callable[[], datetime]
    new_id: Callable[[int], str]
    embedder_for_model: Callable[[str], Embedder | None] | None = None
    """Opens the embedder of a model whose vectors are in the index, after another was chosen."""
    ranker_for_model: Callable[[str], Ranker | None] | None = None
    """Opens the ranker that learned from a model's cosines."""
    background: Background | None = None
    """Runs slow work while the book is open; None in a process that ends soon."""
    lazy_sessions: LazyPort | None = None
    lazy_sources: LazyPort | None = None
    full_look: FullLook | None = None
    """The look at everything that answers left; None if answers never look in part."""
    answer_look: AnswerLook | None = None
    """How the answer in progress looks for edits; None if every look is at everything."""
    edits_watched: bool = False
    """Whether another thread looks for outside edits all the time, so that reads need not."""
    all_automatic: bool = False
    """Whether all events are marked automatic, because no caller asked for the changes."""
    untracked: bool = False
    """Whether recalls are neither logged nor counted."""
    trace: Trace | None = None
    """Collects why memories are left out of a recall, for `why_not`."""
    lazy_reasoner: LazyPort | None = None
    lazy_cipher: LazyPort | None = None
    checkout: Checkout | None = None
    """The working tree of a repository that the caller works in."""
    open_checkout: Callable[[str, GitHead | None], Checkout | None] | None = None
    """Opens the checkout around a folder, at HEAD or as it was when HEAD was another one."""
    open_backups: Callable[[str], Backups] | None = None
    """Opens the backups in a place."""
    lazy_server_state: LazyPort | None = None
    folder: str = ""
    """The folder that the caller works in; empty if it is unknown, or not on this machine."""
    on_this_machine: bool = False
    """Whether the caller is this machine's user, who may be told what its files say."""
    place: Scope | None = None
    """Where the caller stands, if it sees more: a person in the folder of a project."""
    examine_state: Callable[[], list[Problem]] | None = None
    """Checks this device's own files of the book, and mends those that can be made again."""
    observer: Observer | None = None
    """Reports calls of verbs to a monitoring system; None unless the settings ask for it."""

    @property
    def sessions(self) -> SessionStore:
        """Working memory and turns of conversations."""
        if self.lazy_sessions is None:
            raise Unavailable("This book keeps no sessions.", hint="Open it with commonplace.open.")
        return self.lazy_sessions.get()

    @property
    def reasoner(self) -> Reasoner:
        """Judges, merges and summarizes texts."""
        if self.lazy_reasoner is None:
            raise Unavailable("This book has no reasoner.", hint="Open it with commonplace.open.")
        return self.lazy_reasoner.get()

    @property
    def cipher(self) -> Cipher:
        """Encrypts and decrypts sealed memories."""
        if self.lazy_cipher is None:
            raise Unavailable(
                "This book has no encryption set up.", hint="Open it with commonplace.open."
            )
        return self.lazy_cipher.get()

    @property
    def server_state(self) -> ServerState:
        """State that the book's servers share."""
        if self.lazy_server_state is None:
            raise Unavailable("This book has no servers.", hint="Open it with commonplace.open.")
        return self.lazy_server_state.get()

    @property
    def home(self) -> Scope:
        """The scope of this caller's own work, where saves go that name no other."""
        return access.home_scope(self.context)

    @property
    def sees_all_folders(self) -> bool:
        """Whether each memory is compared with its project's folder, since the caller has none."""
        return self.on_this_machine and not self.folder

    @property
    def here(self) -> Scope:
        """The scope whose memories a name means first, where memories of others have it too."""
        return self.place or self.context.scope

    @property
    def visible(self) -> Visible:
        """The scopes that this caller may read."""
        return access.visible_to(self.context)

    def id(self) -> str:
        """A new id."""
        return self.new_id(int(self.now().timestamp() * 1000))

    @property
    def own_log(self) -> Visible:
        """The scopes whose logged questions this caller may read: its own, or all for the owner."""
        if self.context.role == "owner":
            return self.visible
        return Visible(scopes=frozenset({str(self.context.scope)}))

    def content_fingerprint(self, memory: Memory) -> str:
        """A keyed hash by which a purged or edited text is recognized without being kept.

        The key includes the tenant, because purging a text must neither remove nor reveal that of
        others; the turn, because every `ok` of a conversation is a memory of its own; and the place
        of a fact, because `true` cannot be worded differently for another project.
        """
        place = (str(memory.scope), memory.namespace or "") if memory.value is not None else ()
        return self._fingerprint(memory, *place)

    def place_fingerprint(self, memory: Memory, scope: Scope | None = None) -> str:
        """The same for a text where it stands, or in another scope: by it a purge is recognized."""
        if memory.value is not None and scope in (None, memory.scope):
            return self.content_fingerprint(memory)
        return self._fingerprint(memory, PLACE, str(scope or memory.scope))

    def _fingerprint(self, memory: Memory, *place: str) -> str:
        tenant = (memory.scope.value("org") or "", memory.scope.value("user") or "")
        turn = (memory.episode, str(memory.position)) if memory.episode else ()
        key = "\0".join((self.store.store_id, *tenant, *turn, *place))
        return identity.keyed_hash(memory.content, key)

    def close(self) -> None:
        """Close every port."""
        lazy = (self.lazy_sessions, self.lazy_sources, self.lazy_reasoner, self.lazy_server_state)
        looks = (self.background, self.full_look)
        opened = (
            *looks, self.embedder, *lazy, self.index, self.ledger, self.store, self.observer,
        )  # fmt: skip
        for port in opened:
            if port is not None:
                port.close()
