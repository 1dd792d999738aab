"""The parts of a score, by strategy, and the weights that multiply it; one number a candidate."""

from __future__ import annotations

import math

from ...language.dates import closeness
from ...model.scope import Scope
from .. import access
from .questions import role_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from ...ports.search_index import Candidate, Gathered
    from ..parameters import RankingWeights
    from .questions import Question

    Parts = dict[str, list[float]]
    """Number that each part adds to each candidate's score; never negative."""
    Strategy = Callable[[Gathered, Question, RankingWeights, datetime, float], Parts]


DAY_S = 86_400.0
_TINY = 1e-9
ORDINARY = 0.5
"""The importance of a memory that nobody has called important and nobody has used."""


def importance_of_use(count: int) -> float:
    """The importance of a memory that was recalled so often: from ordinary towards 1."""
    return ORDINARY + (1.0 - ORDINARY) * count / (count + 8.0)


def measured_parts(
    gathered: Gathered,
    question: Question,
    settings: RankingWeights,
    now: datetime,
    unrelated: float,
) -> Parts:
    """The best on the evaluation sets: both searches, the conversation around, and cues."""
    candidates = gathered.candidates
    words = [candidate.keyword for candidate in candidates]
    meaning = meanings(candidates, unrelated)
    around = _around(candidates, words, meaning, settings)
    parts: Parts = {}
    conversation = [0.0] * len(candidates)
    for name, own, given, weight, least in (
        ("words", words, around[0], settings.keyword, settings.keyword_floor * gathered.mass),
        ("meaning", meaning, around[1], settings.meaning, settings.meaning_floor),
    ):
        # An arm reaches its full weight only when its best is good in absolute terms, too.
        best = max([mine + theirs for mine, theirs in zip(own, given, strict=True)])
        scale = weight / max(best, least, _TINY)
        parts[name] = [value * scale for value in own]
        conversation = [
            so_far + value * scale for so_far, value in zip(conversation, given, strict=True)
        ]
    parts["conversation"] = conversation
    parts.update(_cues(candidates, question, settings))
    return parts


def composite_parts(
    gathered: Gathered,
    question: Question,
    settings: RankingWeights,
    now: datetime,
    unrelated: float,
) -> Parts:
    """Fixed shares of meaning, words, recency and importance."""
    moment = now.timestamp()
    arms = _arms(gathered, settings, unrelated)
    arms["recency"] = [
        0.5 ** (max(0.0, moment - c.updated) / DAY_S / settings.half_life_days)
        for c in gathered.candidates
    ]
    arms["importance"] = [
        ORDINARY if c.importance is None else c.importance for c in gathered.candidates
    ]
    return _shares(arms, settings.composite)


def semantic_parts(
    gathered: Gathered,
    question: Question,
    settings: RankingWeights,
    now: datetime,
    unrelated: float,
) -> Parts:
    """Almost only meaning; words decide between equals."""
    return _shares(_arms(gathered, settings, unrelated), settings.semantic)


def reciprocal_parts(
    gathered: Gathered,
    question: Question,
    settings: RankingWeights,
    now: datetime,
    unrelated: float,
) -> Parts:
    """By place in each arm's own order; scores are scaled so that first in both is 1."""
    candidates = gathered.candidates
    arms = {
        "words": [candidate.keyword for candidate in candidates],
        "meaning": meanings(candidates, unrelated),
    }
    scale = (settings.rrf_k + 1) / 2
    parts: Parts = {}
    for name, values in arms.items():
        # Equals share a place, so that it does not matter how they arrived.
        best_first = sorted((value for value in values if value), reverse=True)
        places = {value: place for place, value in reversed(list(enumerate(best_first, 1)))}
        parts[name] = [
            scale / (settings.rrf_k + places[value]) if value else 0.0 for value in values
        ]
    return parts


STRATEGIES: Mapping[str, Strategy] = {
    "learned": measured_parts,
    "measured": measured_parts,
    "composite": composite_parts,
    "rrf": reciprocal_parts,
    "semantic": semantic_parts,
}


WITHOUT_VECTOR = 0.4
"""A memory with all words of the question and no vector yet counts as this near in meaning."""


def meanings(candidates: Sequence[Candidate], unrelated: float) -> list[float]:
    """How far each cosine is above that of unrelated texts.

    What has no vector while others have one was just written: its words stand in.
    """
    by_words = WITHOUT_VECTOR if any(c.meaning is not None for c in candidates) else 0.0
    return [
        c.covered * by_words if c.meaning is None else max(0.0, c.meaning - unrelated)
        for c in candidates
    ]


def _arms(gathered: Gathered, settings: RankingWeights, unrelated: float) -> Parts:
    """Both arms from 0 to 1."""
    words = [candidate.keyword for candidate in gathered.candidates]
    meaning = meanings(gathered.candidates, unrelated)
    best_words = max(*words, settings.keyword_floor * gathered.mass, _TINY)
    best_meaning = max(*meaning, settings.meaning_floor)
    return {
        "words": [value / best_words for value in words],
        "meaning": [value / best_meaning for value in meaning],
    }


def _shares(arms: Parts, shares: Mapping[str, float]) -> Parts:
    named = {"words": "keyword"}
    return {
        name: [value * shares.get(named.get(name, name), 0.0) for value in values]
        for name, values in arms.items()
    }


def _around(
    candidates: Sequence[Candidate],
    words: list[float],
    meaning: list[float],
    settings: RankingWeights,
) -> tuple[list[float], list[float]]:
    """The scores that each candidate gets from its neighbours in a conversation."""
    episodes: dict[tuple[str, str], dict[int, list[int]]] = {}
    givers: list[tuple[int, int, dict[int, list[int]]]] = []
    for index, c in enumerate(candidates):
        if c.episode is None or c.position is None:
            continue
        turns = episodes.setdefault((c.scope, c.episode), {})
        turns.setdefault(c.position, []).append(index)
        if words[index] or meaning[index]:
            givers.append((index, c.position, turns))
    weight = settings.neighbours.get
    before, two_before = weight("before", 0.0), weight("two before", 0.0)
    steps = ((2, two_before), (-1, weight("after", 0.0)), (-2, weight("two after", 0.0)))
    asked = before * (1.0 + settings.answer)
    given_words, given_meaning = [0.0] * len(words), [0.0] * len(words)
    for giver, position, turns in givers:
        c = candidates[giver]
        gift = math.exp(-c.words / settings.neighbour_words)
        gives_words = words[giver] * gift
        gives_meaning = meaning[giver] * gift * settings.neighbour_meaning
        for step, share in ((1, asked if c.asks else before), *steps):
            for taker in turns.get(position + step, ()):
                given_words[taker] += gives_words * share
                given_meaning[taker] += gives_meaning * share
    return given_words, given_meaning


def _cues(candidates: Sequence[Candidate], question: Question, settings: RankingWeights) -> Parts:
    """Who said it, when, and whether it has the shape of an answer, if the question asks for it."""
    parts: Parts = {}
    if question.named:
        named, weight = question.named, settings.speaker
        parts["speaker"] = [weight if c.speaker in named else 0.0 for c in candidates]
    if question.when:
        when, weight = question.when, settings.time
        parts["time"] = [weight * closeness(c.created, when) for c in candidates]
    if question.asks_time or question.asks_number:
        time, number, weight = question.asks_time, question.asks_number, settings.shape
        parts["shape"] = [
            weight if (time and c.has_time) or (number and c.has_number) else 0.0
            for c in candidates
        ]
    return parts


def score_factors(
    candidates: Sequence[Candidate],
    question: Question,
    settings: RankingWeights,
    now: datetime,
    topic: str | None,
) -> dict[str, list[float]]:
    """For each weight one number per candidate; 1 leaves a score as it is."""
    moment, floor = now.timestamp(), settings.decay_floor
    mild, half_life_s = 1.0 - floor, settings.half_life_days * DAY_S
    scopes = {
        scope: access.scope_weight(Scope.parse(scope), settings.scope_weights)
        for scope in {candidate.scope for candidate in candidates}
    }
    trusts, least = settings.trust_weights, settings.confidence_floor
    found = {
        "scope": [scopes[c.scope] for c in candidates],
        "trust": [trusts.get(c.trust, 1.0) for c in candidates],
        "confidence": [
            1.0 if c.confidence == 1.0 else least + (1.0 - least) * c.confidence for c in candidates
        ],
        "age": [
            floor + mild * 0.5 ** ((moment - c.updated) / half_life_s)
            if c.updated < moment
            else 1.0
            for c in candidates
        ],
        "stale": [settings.stale_factor if c.status == "stale" else 1.0 for c in candidates],
    }
    # Where importance is a part of the sum, it is no factor.
    if settings.strategy != "composite" and any(c.importance is not None for c in candidates):
        span = 2.0 * settings.importance_range
        found["importance"] = [
            1.0 if c.importance is None else 1.0 + span * (c.importance - ORDINARY)
            for c in candidates
        ]
    tomorrow = _tomorrow(now)
    if any(c.created >= tomorrow for c in candidates):
        later = settings.future_factor
        found["future"] = [later if c.created >= tomorrow else 1.0 for c in candidates]
    if question.role is not None:
        other = settings.other_role_factor
        roles = {
            speaker: 1.0 if role_of(speaker) in (None, question.role) else other
            for speaker in {candidate.speaker for candidate in candidates}
        }
        found["role"] = [roles[c.speaker] for c in candidates]
    if topic is not None:
        boost = settings.topic_boost
        found["topic"] = [boost if c.topic == topic else 1.0 for c in candidates]
    return found


def _tomorrow(now: datetime) -> float:
    """When the day of the question ends."""
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight.timestamp() + DAY_S
