"""The port of a search index: its conditions, its candidates, and the index itself."""

from __future__ import annotations

from ..model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime
    from typing import Literal, Protocol, TypeVar

    from ..model.conditions import Axis
    from ..model.memory import Link, Memory
    from ..model.scope import Visible
    from .record_store import Changes

    T = TypeVar("T")
else:
    Protocol = object


class Where(Value):
    """Conditions on memories; all that are set must hold. Without any, all visible ones fit."""

    ids: tuple[str, ...] | None = None
    not_ids: tuple[str, ...] | None = None
    id_end: str | None = None
    """The last characters of an id, as a digest shows them."""
    scopes: tuple[str, ...] | None = None
    """Exact scopes, within the visible ones."""
    kinds: tuple[str, ...] | None = None
    not_kinds: tuple[str, ...] | None = None
    statuses: tuple[str, ...] | None = None
    tiers: tuple[str, ...] | None = None
    owners: tuple[str, ...] | None = None
    sensitivities: tuple[str, ...] | None = None
    trusts: tuple[str, ...] | None = None
    sources: tuple[str, ...] | None = None
    topics: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None
    """All of these tags."""
    tagged: bool | None = None
    """False: only memories without any tag."""
    key: str | None = None
    keys: tuple[str, ...] | None = None
    keyed: bool | None = None
    """True: only facts with a key; False: only memories without one."""
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
    """True: only memories that replaced another one."""
    heirs_of: tuple[str, ...] | None = None
    """Memories that replaced one of these."""
    superseded_by: str | None = None
    """Memories that name this one as their successor."""
    replaced_by: tuple[str, ...] | None = None
    """Memories that name one of these as their successor."""
    derived_from: str | None = None
    imported_id: str | None = None
    name: str | None = None
    """Slug, title, alias or file name, as a link writes it."""
    created_from: datetime | None = None
    created_until: datetime | None = None
    branch: str | None = None
    """The branch it was learned on."""
    former: tuple[str, ...] = ()
    """Other names that this branch had, which count as it does."""
    tied: bool | None = None
    """True: only memories that belong to a commit; False: only those that hold everywhere."""
    learned: tuple[str, ...] | None = None
    """Learned at one of these places (`str(LearnedAt)`)."""
    not_learned: tuple[str, ...] | None = None
    """Not learned at these places (`str(LearnedAt)`), except memories that took another's place."""
    standing: tuple[str, ...] | None = None
    """Memories that meet `statuses` though a branch superseded them: it is not merged here."""
    valid_at: datetime | None = None
    """Not expired and true in the world at this moment."""


class Candidate:
    """A memory that a recall may return: everything that ranking needs, and no text.

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
        "importance",
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
        importance: float | None = None,
        keyword: float = 0.0,
        covered: float = 0.0,
        terms: tuple[str, ...] = (),
        meaning: float | None = None,
        passage: int = 0,
    ) -> None:
        self.key = key
        """The memory's row in the index."""
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
        """Whether the text ends in a question."""
        self.has_time = has_time
        self.has_number = has_number
        self.importance = importance
        """As its writer or its use says; None if neither is known."""
        self.keyword = keyword
        """BM25 over what is visible; 0 when no word matches."""
        self.covered = covered
        """The weight of the question's words in this memory, as a share of their whole weight."""
        self.terms = terms
        """The question's words in this memory."""
        self.meaning = meaning
        """Cosine with the question; None without vectors."""
        self.passage = passage
        """The number of the best passage; 0 is the whole text."""


class Gathered(Value):
    """The candidates of one recall."""

    candidates: tuple[Candidate, ...] = ()
    """Found by words or vectors, and the turns around them."""
    mass: float = 0.0
    """The weight of all words of the question: a perfect match covers it."""


class SearchIndex(Protocol):
    """Finds memories. Derived from the store, and safe to delete."""

    capabilities: frozenset[str]
    location: str

    def refill_with(self, refill: Callable[[], object]) -> None:
        """Set the function that indexes everything again after a damaged index was emptied."""
        ...

    def revision(self) -> int:
        """The store revision this index has reached; 0 for a new one."""
        ...

    def begun(self) -> int:
        """A number that another one takes the place of when the index is begun anew.

        Until it has caught up it lacks memories, and their rows may have other numbers than before.
        """
        ...

    def read_together(self, visible: Visible, work: Callable[[SearchIndex], T]) -> T:
        """Call a function with an index whose reads of the visible scopes see one moment.

        They cost little more than one read. The function does nothing else meanwhile: others wait
        for it, and an error in it may be taken for damage of the index.
        """
        ...

    def turn(self) -> AbstractContextManager[int]:
        """Wait for those who catch up with the store now, and return the revision reached.

        The next one that looks what is missing indexes the records of all waiting writers at once.
        It saves work; without it the same is indexed, by several.
        """
        ...

    def apply(self, changes: Changes) -> None:
        """Index changed documents and advance; applying twice is the same as once."""
        ...

    def forget(self, ids: Collection[str]) -> None:
        """Delete memories and every trace of their text."""
        ...

    def reset(self) -> None:
        """Empty the index."""
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
        """The best `pool` by words, the best `pool` by vectors, and the turns around them.

        `words` maps each term to the word as written. Cosines up to `least` are those of unrelated
        texts and do not count. The vector is compared with vectors of `model` only; None stands
        for the model in use.
        """
        ...

    def fetch(self, keys: Collection[int], *, visible: Visible) -> dict[int, Memory]:
        """The memories behind candidates."""
        ...

    def speakers(self, *, visible: Visible) -> list[str]:
        """The speakers of the visible conversations."""
        ...

    def use_model(self, model: str, dimensions: int, *, switch: bool = True) -> bool:
        """Register a model; returns whether its vectors are accepted now.

        Another model's vectors stay in use until those of this one, each with `dimensions`
        numbers, are complete. Without `switch` a new model is not registered.
        """
        ...

    def models(self) -> list[str]:
        """The models whose vectors are stored: the one in use, then one that will take over."""
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
        """Memories that wait for a model's vectors, by a key that stands for their present text.

        None stands for the model that was registered last.
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
        """Store vectors by the keys of `unembedded`: of the whole first, then of its passages.

        Texts that changed or went meanwhile are passed over. False, and nothing is stored, once
        the model is not registered any more. Unless complete, the texts go on waiting for the rest.
        """
        ...

    def check_vectors(self) -> None:
        """Remove vectors that are to go but could not be removed before.

        Raises Unavailable or Busy while vectors can neither be stored nor compared.
        """
        ...

    def has_words(self, ids: Collection[str]) -> bool:
        """Whether the index has the words of these memories as they are."""
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
        """Memories with one of these signatures in their scope, the newest of each.

        Texts without a common signature hardly repeat each other: see `rules.relations.duplicates`.
        """
        ...

    def count(self, where: Where, *, visible: Visible, by: Axis) -> dict[str, int]:
        """How many memories meet the conditions, by one of their axes.

        A memory counts once for each of its tags, which are in lower case.
        """
        ...

    def places(self, where: Where, *, visible: Visible) -> dict[str, str]:
        """The places (`str(LearnedAt)`) of memories that meet the conditions.

        Each comes with the id of one such memory.
        """
        ...

    def links(self, ids: Collection[str] | None, *, visible: Visible) -> list[Link]:
        """Wikilinks out of and into these memories, or all of them; both ends are visible."""
        ...

    def close(self) -> None:
        """Close files and connections."""
        ...
