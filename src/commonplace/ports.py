"""The seams between the engine and its backends.

Every read takes the visible scopes as a required argument: a backend cannot be asked for more
than the caller may see. Backends raise only errors from `errors`; no driver's exception crosses.
"""

from __future__ import annotations

from .value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime
    from typing import Literal, Protocol

    from .model import Event, Link, Memory, Problem, Retrieval, Spend, Spent, Use, Verified
    from .scope import Tenant, Visible
else:
    Protocol = object


class Put(Value):
    """One record to write, and what must still be true for the write to happen."""

    memory: Memory
    expect: Memory | None = None
    """The record as the caller read it (compare-and-swap), or None for a new one."""


class Stored(Value):
    """A record as written, and its place in the store's order of changes."""

    memory: Memory
    locator: str
    revision: int


class Document(Value):
    """All memories that live at one place of a store: one note, or every line of a `facts.md`."""

    locator: str
    memories: tuple[Memory, ...] = ()
    """Empty when the place no longer holds any: what the index had from there goes."""
    names: tuple[str, ...] = ()
    """Further names links may use for this place, such as `folder/Note`."""


class Changes(Value):
    """A batch of changed places, and the revision reached once it is applied."""

    revision: int
    documents: tuple[Document, ...] = ()


class Totals(Value):
    """How much of the book somebody fills."""

    memories: int = 0
    bytes: int = 0
    """As they are stored, so about what they take on the disk."""


class Lease(Protocol):
    """The right to write, held for a while. A holder that was too slow finds it gone."""

    def check(self) -> None:
        """Raise Busy when the lease was taken over; extend it otherwise."""
        ...


class RecordStore(Protocol):
    """Holds the truth."""

    url: str
    store_id: str
    capabilities: frozenset[str]

    def lease(self, name: str = "write", *, wait_s: float = 10.0) -> AbstractContextManager[Lease]:
        """Take the named lease, waiting for another holder; stale holders are taken over."""
        ...

    def write(self, puts: Sequence[Put], *, lease: Lease) -> list[Stored]:
        """Write each record durably, in order; each one is whole or absent, whatever happens.

        Raises Conflict, before anything is written, when a record is not as expected.
        """
        ...

    def erase(self, ids: Collection[str], *, lease: Lease) -> list[str]:
        """Remove records for good, wherever copies of them are, and say which were there."""
        ...

    def read(self, ids: Collection[str], *, visible: Visible) -> dict[str, Memory]:
        """The current records with these ids, as far as they are visible."""
        ...

    def changes(self, since: int, *, visible: Visible, look: bool = True) -> Iterator[Changes]:
        """What changed after a revision, in batches; `look` first looks for edits made outside."""
        ...

    def revision(self) -> int:
        """The newest revision known without looking."""
        ...

    def looking(self) -> bool:
        """Whether a look for edits goes on beside this process, which need not wait for it yet."""
        ...

    def adopt(self, store_id: str) -> None:
        """Take over another book's id, with which its records will come; Conflict unless empty.

        Whoever calls this opens the book again: much is filed under its id.
        """
        ...

    def totals(self, tenant: Tenant, *, sized: bool = True) -> Totals:
        """How much a tenant keeps here, whatever its status; bytes only if `sized`."""
        ...

    def wipe(self, tenant: Tenant, *, lease: Lease) -> None:
        """Remove whatever else is left of a tenant whose records were erased: files, names."""
        ...

    def problems(self) -> list[Problem]:
        """What in the store a person should look at."""
        ...

    def size(self) -> int:
        """How many bytes the records take where they are kept."""
        ...

    def refresh_map(self) -> bool:
        """Rewrite the generated map of contents, where there is one; True when it changed."""
        ...

    def write_personal(self, name: str, content: str) -> str:
        """Write a new note into the person's own space and return where; NotAllowed without one."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...


class Where(Value):
    """Conditions on memories; every one that is set must hold. Empty means anything visible."""

    ids: tuple[str, ...] | None = None
    scopes: tuple[str, ...] | None = None
    """Exact scopes, within the visible ones."""
    kinds: tuple[str, ...] | None = None
    statuses: tuple[str, ...] | None = None
    tiers: tuple[str, ...] | None = None
    owners: tuple[str, ...] | None = None
    sensitivities: tuple[str, ...] | None = None
    trusts: tuple[str, ...] | None = None
    topics: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None
    """All of these tags."""
    key: str | None = None
    namespace: str | None = None
    content_hashes: tuple[str, ...] | None = None
    episode: str | None = None
    episodes: tuple[str, ...] | None = None
    in_conversation: bool | None = None
    """False: only memories that are not a turn of any conversation."""
    position_from: int | None = None
    position_until: int | None = None
    """Turns of a conversation, the last included."""
    always_load: bool | None = None
    supersedes: str | None = None
    superseding: bool | None = None
    """True: only memories that took another one's place."""
    derived_from: str | None = None
    imported_id: str | None = None
    name: str | None = None
    """Slug, title, alias or file name, as a link would say it."""
    created_from: datetime | None = None
    created_until: datetime | None = None
    valid_at: datetime | None = None
    """Not expired and true in the world at this moment."""


class Candidate:
    """One memory in the running for a recall: all that ranking needs, and no text.

    A plain class, because a recall makes hundreds of them.
    """

    __slots__ = (
        "asks",
        "confidence",
        "covered",
        "created",
        "episode",
        "has_number",
        "has_time",
        "id",
        "key",
        "keyword",
        "kind",
        "meaning",
        "passage",
        "position",
        "scope",
        "source",
        "speaker",
        "status",
        "terms",
        "topic",
        "trust",
        "updated",
        "words",
    )

    def __init__(
        self,
        key: int,
        id: str,
        scope: str,
        kind: str,
        status: str,
        trust: str,
        source: str,
        confidence: float,
        topic: str | None,
        created: float,
        updated: float,
        episode: str | None,
        position: int | None,
        speaker: str | None,
        words: int,
        asks: bool,
        has_time: bool,
        has_number: bool,
        keyword: float = 0.0,
        covered: float = 0.0,
        terms: tuple[str, ...] = (),
        meaning: float | None = None,
        passage: int = 0,
    ) -> None:
        self.key = key
        """How the index itself finds the memory again."""
        self.id = id
        self.scope = scope
        self.kind = kind
        self.status = status
        self.trust = trust
        self.source = source
        self.confidence = confidence
        self.topic = topic
        self.created = created
        self.updated = updated
        self.episode = episode
        self.position = position
        self.speaker = speaker
        self.words = words
        self.asks = asks
        """Whether it ends in a question."""
        self.has_time = has_time
        self.has_number = has_number
        self.keyword = keyword
        """BM25 over what is visible; 0 when no word matches."""
        self.covered = covered
        """The share of the question's weight of words that it contains."""
        self.terms = terms
        """The question's words that it contains."""
        self.meaning = meaning
        """Cosine with the question; None without vectors."""
        self.passage = passage
        """Which of its passages fits best; 0 is the whole."""


class Gathered(Value):
    """Everything in the running for one recall."""

    candidates: tuple[Candidate, ...] = ()
    """What the arms found, and the conversation around it."""
    mass: float = 0.0
    """The weight of all words of the question: what a perfect match would cover."""


class SearchIndex(Protocol):
    """Derived from the store, and safe to throw away."""

    capabilities: frozenset[str]
    location: str

    def revision(self) -> int:
        """The store revision this index has reached; 0 for a new one."""
        ...

    def apply(self, changes: Changes) -> None:
        """Bring some places up to date and advance; applying twice is the same as once."""
        ...

    def forget(self, ids: Collection[str]) -> None:
        """Drop memories and every trace of their text."""
        ...

    def reset(self) -> None:
        """Start again from nothing."""
        ...

    def gather(
        self,
        words: Mapping[str, str],
        vector: bytes | None,
        *,
        visible: Visible,
        where: Where,
        pool: int = 200,
        least: float = 0.0,
        model: str | None = None,
    ) -> Gathered:
        """The best of each arm, `pool` from each, and the conversation around them.

        Words map how they are compared to how they were written. Cosines up to `least` are those
        of unrelated texts and do not count. `model` made the vector, which is compared with that
        model's vectors only; None stands for the model in use.
        """
        ...

    def fetch(self, keys: Collection[int], *, visible: Visible) -> dict[int, Memory]:
        """The memories behind candidates."""
        ...

    def speakers(self, *, visible: Visible) -> list[str]:
        """Who is heard in the visible conversations."""
        ...

    def use_model(self, model: str, dimensions: int, *, switch: bool = True) -> bool:
        """Make room for the vectors of a model, and say whether there is room for them now.

        They take the place of another model's once they are complete. Without `switch` nothing
        new is begun, and then there is no room.
        """
        ...

    def models(self) -> list[str]:
        """The models whose vectors are kept: the one in use, then one that will take its place."""
        ...

    def waiting(self, model: str) -> int:
        """How many memories wait for this model's vectors."""
        ...

    def unembedded(
        self,
        *,
        visible: Visible,
        limit: int,
        ids: Collection[str] | None = None,
        model: str | None = None,
    ) -> dict[int, Memory]:
        """Memories in line for a model's vectors, by a key that stands for their text as it is now.

        None stands for the model that was made room for last.
        """
        ...

    def put_vectors(
        self,
        made: Mapping[int, Sequence[bytes]],
        *,
        model: str,
        dimensions: int,
        complete: bool = True,
    ) -> bool:
        """Keep vectors by the keys of `unembedded`: of the whole first, then of its passages.

        Texts that changed or went meanwhile are passed over. False, and nothing is kept, once
        there is no room for the model. Unless complete, the texts stay in line for the rest.
        """
        ...

    def select(
        self,
        where: Where,
        *,
        visible: Visible,
        order: Literal["newest", "oldest", "updated", "name"] = "newest",
        limit: int = 100,
        offset: int = 0,
    ) -> list[Memory]:
        """Memories that meet the conditions."""
        ...

    def alike(
        self,
        signatures: Mapping[str, Collection[int]],
        *,
        visible: Visible,
        where: Where,
        most: int = 8,
    ) -> list[Memory]:
        """Memories with one of the signatures asked for in their scope, the newest of each.

        What shares no signature with a text hardly repeats it; see `rules.signatures`.
        """
        ...

    def count(
        self, where: Where, *, visible: Visible, by: Literal["scope", "kind", "status", "topic"]
    ) -> dict[str, int]:
        """How many memories meet the conditions, by one of their axes."""
        ...

    def links(self, ids: Collection[str] | None, *, visible: Visible) -> list[Link]:
        """Wikilinks out of and into these memories, or all of them; both ends are visible."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...


class Ledger(Protocol):
    """What is neither truth nor derivable: audit chain, tombstones, counters, retrieval log."""

    def append(self, events: Sequence[Event]) -> None:
        """Add events to the chain, durably and in order."""
        ...

    def events(
        self,
        *,
        visible: Visible,
        ids: Collection[str] | None = None,
        memories: Collection[str] | None = None,
        since: datetime | None = None,
        limit: int = 100,
    ) -> list[Event]:
        """Events newest first, from every device, by event id or by memory id."""
        ...

    def verify(self) -> Verified:
        """Check every chain for changed, removed and reordered events."""
        ...

    def mend(self) -> int:
        """Put back events of this device that a stale copy of its file had lost; how many."""
        ...

    def buried(self, keys: Collection[str]) -> set[str]:
        """Which of these memory ids or content digests were purged."""
        ...

    def burials(self) -> int:
        """How many purges are known; grows when another device's purges arrive."""
        ...

    def count_use(self, ids: Collection[str], *, at: datetime) -> None:
        """Count one recall of each memory."""
        ...

    def uses(self, ids: Collection[str]) -> Mapping[str, Use]:
        """How often each memory was recalled."""
        ...

    def log(self, retrieval: Retrieval) -> None:
        """Remember what was asked and answered, up to a bounded number."""
        ...

    def retrievals(self, *, visible: Visible, limit: int = 20) -> list[Retrieval]:
        """Logged recalls, newest first."""
        ...

    def record_spend(self, spend: Spend) -> None:
        """Remember what one question to a model cost."""
        ...

    def spent(self, since: datetime | None = None, *, subject: str | None = None) -> Spent:
        """What questions to models cost since a moment, on this device."""
        ...

    def spends(self) -> Sequence[Spend]:
        """Every question to a model that is remembered, in order."""
        ...

    def scrub(self, ids: Collection[str], texts: Collection[str]) -> None:
        """Remove purged memories and their text from counters and logs."""
        ...

    def lines(self, after: Mapping[str, int] | None = None) -> Iterator[tuple[str, str]]:
        """Every event as it stands in its chain: the chain's name and the line, each in order.

        `after` leaves out the first so many of each chain.
        """
        ...

    def all_uses(self) -> Mapping[str, Use]:
        """Every counter there is."""
        ...

    def take_over(self, lines: Iterable[tuple[str, str]], uses: Mapping[str, Use]) -> None:
        """Go on with another ledger's events and counters; doing it again changes nothing.

        A chain that this kind of ledger can continue stays as it is, to the letter. The events of
        others are linked anew, in the order of their time.
        """
        ...

    def count_writes(self, tenant: Tenant, *, since: datetime) -> int:
        """How many changes of a tenant's memories were audited since then."""
        ...

    def wipe(self, tenant: Tenant, *, erasure: Event) -> int:
        """Remove what a tenant asked, and the words in its events; says how many events changed.

        Each such event keeps its place and its hash, and names the erasure that took its words.
        """
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors whose directions say what they mean."""

    @property
    def model(self) -> str:
        """Names the vectors; those of different models never mix."""
        ...

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has."""
        ...

    @property
    def unrelated(self) -> float:
        """The cosine that two texts about different things typically have."""
        ...

    def ready(self) -> bool:
        """Whether it can be used here, found out without loading much."""
        ...

    def embed(self, texts: Sequence[str], *, query: bool = False) -> list[bytes]:
        """One vector per text: `dimensions` signed bytes. Raises EmbedderUnavailable."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...


class Merged(Value):
    """Two texts as one: every distinct statement once, the newer first."""

    text: str
    changes: tuple[str, ...] = ()
    """What the newer text says otherwise, one line each, for a person to read."""


class Judged(Value):
    """How two statements stand to each other."""

    relation: str
    """same, contradicts, refines or unrelated."""
    sure: float = 1.0
    words: str = ""
    """Why, for a person: which thing, which attribute, which values."""


class Turn(Value):
    """One turn of a conversation."""

    speaker: str
    """user, assistant or tool; only what the user said is evidence of what the user wants."""
    text: str


class Lesson(Value):
    """A correction or a preference that a conversation holds."""

    kind: str
    """correction or preference."""
    content: str
    """What to remember, as a sentence that stands alone."""
    wrong: str = ""
    """For a correction: what was believed before."""
    turn: int = 0
    """Which turn said so."""


class Pattern(Value):
    """Something that several memories show together."""

    content: str
    kind: str
    of: tuple[str, ...]
    """The memories it was seen in."""
    reason: str = ""


class Reasoner(Protocol):
    """Works with meaning: by rules, or by a model where one is configured."""

    @property
    def name(self) -> str:
        """Who answers: rules, or a model's name."""
        ...

    def summarize(self, text: str, *, budget_tokens: int) -> str:
        """A shorter text that says the most important things; never longer than the original."""
        ...

    def merge(self, newer: str, older: str) -> Merged:
        """Both texts as one, without losing a statement."""
        ...

    def judge(self, newer: str, older: str) -> Judged:
        """Whether two texts say the same, contradict each other, or neither."""
        ...

    def sensitive(self, text: str) -> tuple[str, ...]:
        """The names of the kinds of personal data it sees in a text: a second opinion."""
        ...

    def lessons(self, turns: Sequence[Turn]) -> tuple[Lesson, ...]:
        """Corrections and explicit preferences that the user stated."""
        ...

    def patterns(self, memories: Sequence[Memory]) -> tuple[Pattern, ...]:
        """What several memories show together."""
        ...


class Keys(Value):
    """The keys of a book, by their ids, newest first. The keys themselves are nobody's to read."""

    where: str
    """Where they are kept, in words for a person."""
    ids: tuple[str, ...] = ()
    keeps: bool = True
    """Whether a new key can be put there by us."""


class Cipher(Protocol):
    """Keeps authorized secrets unreadable to whoever has the files but not the key."""

    def encrypt(self, text: str) -> str:
        """A text as one line of letters that names the key it was made with."""
        ...

    def decrypt(self, sealed: str) -> str:
        """The text again. Raises NotAllowed when its key is not at hand."""
        ...

    def keys(self) -> Keys:
        """Which keys there are; the first is the one that texts are sealed with."""
        ...

    def new_key(self) -> str:
        """Make a key, keep it before the others, and say its id."""
        ...

    def drop_keys(self, ids: Collection[str]) -> None:
        """Forget keys; what is still sealed with one of them can never be read again."""
        ...

    def close(self) -> None:
        """Let go of what it holds."""
        ...


class Entry(Value):
    """One thing noticed within a session."""

    id: str
    content: str
    at: datetime
    role: str = "observation"
    """observation, user, assistant, tool, decision, …"""
    importance: float = 0.5
    """0 to 1; from 0.7 on it outlives routine entries and is promoted when the work ends."""


class SessionStore(Protocol):
    """What one conversation remembers while it lasts: bounded, expiring, searchable.

    A session is named by its scope and its id together: two users with one id have two sessions.
    """

    capabilities: frozenset[str]

    @property
    def status(self) -> str:
        """Where sessions are and whether that can be reached, for a person."""
        ...

    def append(self, session: str, entries: Sequence[Entry], *, now: datetime) -> None:
        """Add entries durably; an id that is there already is replaced. Evicts past the limits."""
        ...

    def entries(self, session: str, *, now: datetime, limit: int | None = None) -> list[Entry]:
        """What the session holds, oldest first; with a limit, the newest so many."""
        ...

    def search(self, session: str, query: str, *, now: datetime, limit: int = 10) -> list[Entry]:
        """The entries that share the most telling words with a query, best first."""
        ...

    def put_state(self, session: str, name: str, value: str, *, now: datetime) -> None:
        """Keep a named text with the session: working memory, a task's plan."""
        ...

    def state(self, session: str, name: str, *, now: datetime) -> str | None:
        """A named text as it was last kept."""
        ...

    def sessions(self, prefix: str = "", *, now: datetime) -> list[str]:
        """The names of live sessions, the most recently used first."""
        ...

    def end(self, session: str) -> None:
        """Release everything that a session holds."""
        ...

    def sweep(self, *, now: datetime) -> int:
        """Remove what has expired, and say how many sessions that were."""
        ...

    def wipe(self, tenant: Tenant) -> int:
        """Remove every session of a tenant for good, and say how many that were."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...


class Snapshot(Value):
    """One moment of a book, as a backup has it."""

    at: datetime
    book: str
    """The book's id."""
    url: str
    """Where the book was, without any password."""
    records: int = 0
    events: int = 0
    uses: int = 0
    written: int = 0
    """How many bytes it added to what earlier moments had written already."""


class Stage(Protocol):
    """What will be one moment of a backup, while it is gathered."""

    def replace(self, document: Document) -> None:
        """Take what a place of the store holds now, instead of what was taken from it before."""
        ...

    def add_lines(self, lines: Iterable[tuple[str, str]]) -> None:
        """Take events that follow on those taken before."""
        ...

    def heads(self) -> Mapping[str, int]:
        """How far each chain of events was taken."""
        ...

    def finish(self, snapshot: Snapshot, uses: Mapping[str, Use]) -> Snapshot:
        """Write what is new, then the moment itself: it is there whole, or not at all."""
        ...


class Backups(Protocol):
    """A place that keeps moments of one book; what did not change is kept once."""

    where: str

    def stage(self) -> AbstractContextManager[Stage]:
        """Begin a moment; what is gathered and not finished leaves nothing behind."""
        ...

    def moments(self) -> list[Snapshot]:
        """What is kept, newest first."""
        ...

    def problems(self) -> list[Problem]:
        """What of it was damaged since it was written, as far as a glance tells."""
        ...

    def records(self, snapshot: Snapshot) -> Iterator[Memory]:
        """The records of a moment, by their ids. Raises Damaged for what is not as written."""
        ...

    def lines(self, snapshot: Snapshot) -> Iterator[tuple[str, str]]:
        """The events of a moment, as the ledger gave them."""
        ...

    def uses(self, snapshot: Snapshot) -> Mapping[str, Use]:
        """The counters of a moment."""
        ...

    def keep(self, wanted: Collection[Snapshot]) -> int:
        """Remove all other moments, and what only they needed; says how many bytes that were."""
        ...

    def bury(self, erasure: Event, purges: Sequence[Event]) -> None:
        """Note what was erased, for whoever restores an older moment; no text is kept."""
        ...

    def buried(self) -> list[Event]:
        """Everything that `bury` was told."""
        ...


class Passage(Value):
    """Something an outside source said, with where it is from; it is never stored."""

    text: str
    origin: str
    score: float = 0.0
    title: str = ""


class Source(Protocol):
    """A place outside the book that can be asked while the work goes on."""

    @property
    def name(self) -> str:
        """What people call it."""
        ...

    def search(self, query: str, *, limit: int, timeout_s: float) -> list[Passage]:
        """The passages that fit best. Raises Unavailable; never takes longer than it may."""
        ...


class Taken(Value):
    """What a bucket gave, and what is left in it."""

    amount: int
    left: float


class FrontDesk(Protocol):
    """What all servers of one book agree on: who is let in, how often, and whose turn a job is."""

    capabilities: frozenset[str]
    """`shared` where servers on several machines share it, and asking takes a round trip."""

    def tokens_required(self) -> bool:
        """Whether callers need a token: so from the first that was ever made."""
        ...

    def put_token(self, id: str, text: str) -> None:
        """Keep a new token, durably."""
        ...

    def token(self, id: str) -> str | None:
        """A token as it was kept."""
        ...

    def tokens(self) -> dict[str, str]:
        """Every token that was not dropped, by its id."""
        ...

    def drop_token(self, id: str) -> None:
        """Forget a token, for every server and from the next request on."""
        ...

    def take(self, name: str, wanted: int, *, per_second: float, most: float) -> Taken:
        """Take up to so many from a bucket that fills by itself."""
        ...

    def turn(
        self, name: str, *, every_s: float, at_once: bool = False
    ) -> AbstractContextManager[bool]:
        """Whether a job is due and this caller's to do, for as long as the block lasts.

        One that fails is due again. One that was never done is done `at_once`, or else after its
        first such time.
        """
        ...

    def check(self) -> None:
        """Raise Unavailable when a server could not answer from the book right now."""
        ...

    def close(self) -> None:
        """Let go of connections."""
        ...
