"""Where memories are found: the index, what it is asked and what it answers."""

from __future__ import annotations

from ..model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime
    from typing import Literal, Protocol

    from ..model.memory import Link, Memory
    from ..model.scope import Visible
    from .record_store import Changes
else:
    Protocol = object


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
    superseded_by: str | None = None
    """What gave way to a memory, as it says itself."""
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
