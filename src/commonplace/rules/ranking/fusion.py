"""Order the memories that search found, and explain each score.

A score is a sum of parts (words, meaning, who, when, …) times weights (scope, trust, confidence,
age, …). Numbers are in lists with one entry per candidate, because a recall weighs more than a
thousand of them; words for a person are found only for the best.
"""

from __future__ import annotations

import math

from ...model.errors import BadInput
from . import reasons, score_parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from ...model.memory import Why
    from ...ports.ranker import Ranker
    from ...ports.search_index import Candidate, Gathered
    from ..parameters import RankingWeights
    from .questions import Question, Sentence

MOST = 50
LEARNED = "learned"
RANKED = 60
"""The best so many are looked at by the ranker."""
CAPPED_PLACES = 10
"""The places that one source is kept from filling."""


class Ranked:
    """A candidate with its score, and what made it.

    A plain class that explains a score when asked, because most of the ranked become no hits.
    """

    __slots__ = ("_explain", "_parts", "candidate", "score")

    def __init__(
        self, candidate: Candidate, score: float, explain: Callable[[], tuple[Why, ...]]
    ) -> None:
        self.candidate = candidate
        self.score = score
        self._explain = explain
        self._parts: tuple[Why, ...] | None = None

    @property
    def parts(self) -> tuple[Why, ...]:
        """The parts that were added to the score, and the factors that multiplied it."""
        if self._parts is None:
            self._parts = self._explain()
        return self._parts


def rank(
    gathered: Gathered,
    question: Question,
    *,
    settings: RankingWeights,
    now: datetime,
    unrelated: float = 0.1,
    topic: str | None = None,
    limit: int = MOST,
    ranker: Ranker | None = None,
) -> list[Ranked]:
    """The best candidates for a question, best first; ties by newest, then by id.

    `unrelated` is the cosine that the embedder gives two texts about different things; `topic` is
    the one being worked on. `ranker` learned from this embedder's cosines.
    """
    strategy = _strategy(settings)
    if strategy is not score_parts.measured_parts:
        # Only the measured strategy looks at the conversation around what the arms found.
        found = (c for c in gathered.candidates if c.keyword > 0 or c.meaning is not None)
        gathered = gathered.but(candidates=tuple(found))
    candidates = gathered.candidates
    if not candidates:
        return []
    parts = strategy(gathered, question, settings, now, unrelated)
    factors = score_parts.score_factors(candidates, question, settings, now, topic)
    scores = _scores(parts, factors)
    if settings.strategy == LEARNED and ranker is not None:
        factors[LEARNED] = learned = _learned(gathered, question, parts, scores, unrelated, ranker)
        scores = [score * factor for score, factor in zip(scores, learned, strict=True)]
    order = _best(candidates, scores, limit + CAPPED_PLACES + settings.newest_among)
    if question.changes and strategy is score_parts.measured_parts:
        parts["newest"] = newest = _newest(candidates, scores, order, settings)
        scores = [score + added for score, added in zip(scores, newest, strict=True)]
        order.sort(key=_place(candidates, scores))
    tell = reasons.ScoreExplainer(question, now)
    return [
        Ranked(candidates[at], scores[at], lambda at=at: tell(candidates[at], at, parts, factors))
        for at in _capped(candidates, order, settings)[:limit]
    ]


def _learned(
    gathered: Gathered,
    question: Question,
    parts: score_parts.Parts,
    scores: list[float],
    unrelated: float,
    ranker: Ranker,
) -> list[float]:
    """A factor for each candidate: the ranker's for the best turns of conversations.

    It learned from turns, and their factors have the mean 1, so that notes stay comparable. Turns
    that it does not look at stay below those.
    """
    candidates = gathered.candidates
    if all(candidate.meaning is None for candidate in candidates):
        return [1.0] * len(candidates)
    turns = [at for at in _best(candidates, scores, RANKED) if candidates[at].episode is not None]
    if not turns:
        return [1.0] * len(candidates)
    from .features import features

    found = ranker.factors(features(gathered, question, parts, turns, unrelated))
    mean = math.exp(sum(map(math.log, found)) / len(found))
    least = min(found) / mean
    factors = [1.0 if candidate.episode is None else least for candidate in candidates]
    for at, factor in zip(turns, found, strict=True):
        factors[at] = factor / mean
    return factors


def sureness(
    ranked: Sequence[Ranked],
    *,
    settings: RankingWeights,
    unrelated: float = 0.1,
    question: Question | None = None,
) -> str:
    """How well the best three fit: `strong`, `weak`, or `none` when it is likely not known.

    What has no vector is judged by its words alone, whatever others mean. One of the question's
    sentences may be what is asked, and the others what leads to it.
    """
    best = ranked[:3]
    covered = [_covered(one, settings) for one in best]
    cosines = [one.candidate.meaning for one in best]
    by_words = max(
        (c for c, meaning in zip(covered, cosines, strict=True) if meaning is None), default=0.0
    )
    known = [meaning for meaning in cosines if meaning is not None]
    fit = max(known) - unrelated + settings.sure_words * max(covered) if known else 0.0
    if fit >= settings.sure_strong or by_words >= settings.sure_strong_words:
        return "strong"
    if fit >= settings.sure_weak or by_words >= settings.sure_weak_words:
        return "weak"
    sentences = question.sentences if question and best else ()
    least = settings.sure_sentence
    return "weak" if any(_takes_up(one, sentences, least) for one in best) else "none"


SEVERAL_WORDS = 2
"""One word of a short sentence may be in a memory by accident."""
RELATED = 0.15
"""A cosine that far above that of unrelated texts is no accident."""


def fit(
    one: Ranked,
    *,
    settings: RankingWeights,
    unrelated: float,
    sentences: Sequence[Sentence],
    by_words: bool = False,
) -> float:
    """How well one candidate fits by itself; from `fit_least` on it is worth handing over.

    Enough words of one sentence are enough, unless the meaning speaks against it. `by_words` says
    that the question is in a script whose meaning no model of ours reads, so that a word is needed.
    """
    if by_words and not one.candidate.terms:
        return 0.0
    meaning = one.candidate.meaning
    covered = _covered(one, settings)
    if meaning is None:
        found = covered * settings.fit_least / settings.fit_least_words
    else:
        found = meaning - unrelated + settings.sure_words * covered
        if meaning - unrelated < RELATED:
            return found
    several = len(one.candidate.terms) >= SEVERAL_WORDS
    if found < settings.fit_least and several and _takes_up(one, sentences, settings.sure_sentence):
        return settings.fit_least
    return found


def _covered(one: Ranked, settings: RankingWeights) -> float:
    """The share of the question that a memory has in it; a date asked about need not be said."""
    timely = sum(why.share for why in one.parts if why.part == "time") / (settings.time or 1.0)
    return min(1.0, one.candidate.covered + settings.sure_time * timely)


def _takes_up(one: Ranked, sentences: Sequence[Sentence], least: float) -> bool:
    """Whether a memory has enough of one of the sentences in it, however common its words are."""
    said = one.candidate.terms
    return any(len(about.intersection(said)) >= least * words for about, words in sentences)


def _strategy(settings: RankingWeights) -> score_parts.Strategy:
    strategy = score_parts.STRATEGIES.get(settings.strategy)
    if strategy is None:
        raise BadInput(
            f"{settings.strategy!r} is not a ranking strategy.",
            hint=f"Set ranking.strategy to one of {', '.join(score_parts.STRATEGIES)}.",
        )
    return strategy


def _scores(parts: dict[str, list[float]], factors: dict[str, list[float]]) -> list[float]:
    """The sum of the parts, times every weight."""
    first, *others = parts.values()
    scores = first
    for values in others:
        scores = [score + value for score, value in zip(scores, values, strict=True)]
    for values in factors.values():
        scores = [score * value for score, value in zip(scores, values, strict=True)]
    return scores


def _best(candidates: Sequence[Candidate], scores: list[float], count: int) -> list[int]:
    """The best so many, in order; equals at the end are all looked at before it is cut."""
    order = sorted(range(len(scores)), key=scores.__getitem__, reverse=True)
    end = min(count, len(order))
    while end < len(order) and scores[order[end]] == scores[order[end - 1]]:
        end += 1
    return sorted(order[:end], key=_place(candidates, scores))[:count]


def _place(
    candidates: Sequence[Candidate], scores: list[float]
) -> Callable[[int], tuple[float, float, str]]:
    """Sort key: the best first, then the newest, then by id."""
    return lambda at: (-scores[at], -candidates[at].created, candidates[at].id)


SAME_WORDS = 0.5
"""The share of the best one's words that another statement about the same thing has."""
SAME_MEANING = 0.15
"""How much further from the question in meaning it may be."""


def _newest(
    candidates: Sequence[Candidate], scores: list[float], order: list[int], settings: RankingWeights
) -> list[float]:
    """For each of the near-equal best about the same thing, more the newer it is."""
    added = [0.0] * len(scores)
    first, most = candidates[order[0]], scores[order[0]]
    near = [
        at
        for at in order[: settings.newest_among]
        if scores[at] >= settings.newest_least * most and _alike(candidates[at], first)
    ]
    days = [candidates[at].created // score_parts.DAY_S for at in near]
    ages = {day: age for age, day in enumerate(sorted(set(days)))}
    for at, day in zip(near, days, strict=True):
        added[at] = settings.newest * most * ages[day] / max(1, len(ages) - 1)
    return added


def _alike(one: Candidate, best: Candidate) -> bool:
    """Whether a candidate says as much about what is asked as the best one does."""
    if len(set(best.terms).intersection(one.terms)) < SAME_WORDS * len(best.terms):
        return False
    if one.meaning is None or best.meaning is None:
        return True
    return one.meaning >= best.meaning - SAME_MEANING


def _capped(
    candidates: Sequence[Candidate], order: list[int], settings: RankingWeights
) -> list[int]:
    """The same order, but what would be one too many of its source comes after the first places."""
    first: list[int] = []
    later: list[int] = []
    seen: dict[str, int] = {}
    for reached, at in enumerate(order):
        if len(first) == CAPPED_PLACES:
            return first + later + order[reached:]
        source = candidates[at].source
        external = candidates[at].trust == "external"
        most = settings.external_cap if external else settings.source_cap
        seen[source] = seen.get(source, 0) + 1
        (later if most and seen[source] > most else first).append(at)
    return first + later
