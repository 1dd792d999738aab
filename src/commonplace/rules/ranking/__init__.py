"""The numbers that ranking uses, each with a name and what it does."""

from __future__ import annotations

from ...value import Value
from .. import scoping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Ranking(Value):
    """The numbers of ranking. Defaults are what scored best, not what looked right."""

    strategy: str = "measured"
    """measured, composite, rrf or semantic."""

    keyword: float = 1.0
    meaning: float = 0.7
    speaker: float = 0.2
    time: float = 0.6
    shape: float = 0.2
    """For a memory with a time or a number, when the question asks for one."""

    neighbours: Mapping[str, float] = {
        "before": 0.6, "two before": 0.3, "after": 0.4, "two after": 0.2,
    }  # fmt: skip
    """How much of its score a memory in a conversation gets from the one so placed."""
    neighbour_words: float = 40.0
    """A neighbour of so many words gives a third of that: long turns stand alone."""
    answer: float = 2.0
    """How many times more a question gives to what comes right after it."""
    neighbour_meaning: float = 0.5
    """How much neighbours count in meaning, against in words."""
    keyword_floor: float = 0.7
    """The share of the question's words that counts as a full match, unless something has more."""
    meaning_floor: float = 0.5
    """The same for the cosine, above that of unrelated texts."""

    newest: float = 0.4
    """For the newest of the near-equal best, when the question is about something that changes."""
    newest_among: int = 10
    newest_window: float = 0.6

    composite: Mapping[str, float] = {
        "meaning": 0.4, "keyword": 0.3, "recency": 0.2, "importance": 0.1,
    }  # fmt: skip
    semantic: Mapping[str, float] = {"meaning": 0.85, "keyword": 0.05}
    rrf_k: float = 10.0

    scope_weights: Mapping[str, float] = scoping.WEIGHTS
    trust_weights: Mapping[str, float] = {"user": 1.1, "agent": 1.0, "system": 0.9, "external": 0.8}
    half_life_days: float = 180.0
    decay_floor: float = 0.85
    """Age alone never takes more than the rest of this: the decay is mild."""
    confidence_floor: float = 0.7
    stale_factor: float = 0.5
    other_role_factor: float = 0.4
    """For what the other side of a conversation said, when the question says whose it means."""
    future_factor: float = 0.4
    """For what was said only after the day of the question."""
    topic_boost: float = 1.25
    """For memories of the topic that is being worked on."""

    linked: float = 0.3
    """How much of a good hit's score a memory gets that is linked with it, for each step."""

    source_cap: int = 0
    """How many of the first ten may come from one source; 0 is any number."""
    external_cap: int = 3
    """The same for sources that are not trusted."""

    sure_words: float = 0.3
    """How much the share of the question's words counts, next to the cosine."""
    sure_time: float = 0.2
    """What being from the time asked about counts, as a share of the question's words."""
    sure_strong: float = 0.55
    sure_weak: float = 0.35
    """How well the best fit, in meaning and words, for an answer to be called strong or weak."""
    sure_strong_words: float = 0.6
    sure_weak_words: float = 0.3
    """The same by words alone."""
    sure_sentence: float = 0.5
    """The share of one sentence's words that is enough for weak, if the whole is about more."""
