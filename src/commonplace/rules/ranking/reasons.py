"""Why a memory is where it is, in words for a person."""

from __future__ import annotations

from ...model.memory import Why
from .score_parts import DAY_S

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from ...ports.search_index import Candidate
    from .questions import Question


MOST_WORDS = 8
CLOSE = 0.2
"""The least share of a score by which a memory is close in meaning to the question."""
_TELLING = 0.0005
"""A part that changes a score by less has nothing to say."""


def logged_reasons(parts: Mapping[str, float]) -> list[str]:
    """The logged parts of a score in words, the largest share first."""
    told = {**_PARTS, **_LOGGED}
    found = sorted((name for name in parts if name in told), key=lambda name: -parts[name])
    return [told[name] for name in found]


class ScoreExplainer:
    """Puts the parts of a score into words, for one question."""

    def __init__(self, question: Question, now: datetime) -> None:
        self.question = question
        self.moment = now.timestamp()

    def __call__(
        self,
        candidate: Candidate,
        at: int,
        parts: Mapping[str, Sequence[float]],
        factors: Mapping[str, Sequence[float]],
    ) -> tuple[Why, ...]:
        """The parts that were added to a score, and the weights that multiplied it."""
        added = [
            Why(name, values[at], self.of_part(name, candidate, values[at]))
            for name, values in parts.items()
            if abs(values[at]) > _TELLING
        ]
        weights = [
            Why(name, values[at], self.of_weight(name, candidate))
            for name, values in factors.items()
            if name in ("scope", "trust") or abs(values[at] - 1.0) > _TELLING
        ]
        return (*added, *weights)

    def of_part(self, name: str, candidate: Candidate, share: float) -> str:
        """The words for a part that adds this much."""
        if name == "words":
            said = ", ".join(candidate.terms[:MOST_WORDS])
            return f"contains {said or 'words of the question'}"
        if name == "time":
            return f"is from {self.day(candidate)}, the time asked about or near it"
        if name == "speaker":
            return f"was said by {candidate.speaker}"
        if name == "shape":
            wanted = "a time" if self.question.asks_time and candidate.has_time else "a number"
            return f"has {wanted} in it, as the question asks"
        if name == "meaning" and share < CLOSE:
            return "has little to do with the question"
        return _PARTS[name]

    def of_weight(self, name: str, candidate: Candidate) -> str:
        """The words for a weight."""
        if name == "age":
            return self.age(candidate)
        if name == "scope" and candidate.scope == "/":
            return "belongs to the whole book"
        return _WEIGHTS[name].format(candidate=candidate)

    def age(self, candidate: Candidate) -> str:
        """How old a candidate is."""
        days = max(0.0, (self.moment - candidate.updated) / DAY_S)
        if days < 1:
            return "from today"
        return f"{days:.0f} days old" if days < 60 else f"{days / 30.4:.0f} months old"

    def day(self, candidate: Candidate) -> str:
        """The day a candidate is from, as a date."""
        from datetime import UTC, datetime

        return f"{datetime.fromtimestamp(candidate.created, UTC):%Y-%m-%d}"


_PARTS = {
    "meaning": "means something close to the question",
    "conversation": "stands next to what fits, in the same conversation",
    "newest": "is the newest of those that fit about equally",
    "recency": "is recent",
    "importance": "matters, as its writer or its use says",
}
_LOGGED = {
    "key": "is the fact that was asked for",
    "words": "shares words with the question",
    "link": "is linked with a better hit",
    "time": "is from the time asked about",
    "speaker": "was said by the one asked about",
    "shape": "has a time or a number, as the question asks",
}
"""Wordings for logged reasons: the log keeps neither the words nor the day nor the speaker."""
_WEIGHTS = {
    "scope": "belongs to {candidate.scope}",
    "trust": "comes from {candidate.source}",
    "confidence": "held with confidence {candidate.confidence:.2f}",
    "importance": "matters {candidate.importance:.0%}, as its writer says",
    "stale": "may be out of date",
    "topic": "is about {candidate.topic}",
    "role": "was said by the {candidate.speaker}, and the other side is asked about",
    "future": "is from later than the question",
    "learned": "looks more or less like an answer than its score says",
}
