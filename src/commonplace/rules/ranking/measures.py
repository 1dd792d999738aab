"""How good rankings are, against the memories that are known to answer each question.

recall_any@k   one of them is among the first k
recall_all@k   all of them are
recall@k       the share of them that is
ndcg@10        the same, counting more the higher they stand; 1 is the best order there can be
mrr            one over the place of the first of them, 0 without one
newest_first   of something that changed, the newest stands above everything older

told_apart     how often an answerable question is answered with more sureness than one that nothing
               answers: 1 is always, .5 is chance

Other than that, questions that nothing answers are counted and not scored. `ALL` is the mean over
questions, `MACRO` the mean over categories.
"""

from __future__ import annotations

import random
from bisect import bisect_left, bisect_right
from collections import Counter
from math import log2

from ...language.words import query_terms
from ...model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    Measures = dict[str, float]


CUTOFFS = (1, 5, 10, 20, 50)
GAIN_PLACES = 10
NEWEST_PLACES = 50
ADVERSARIAL = "adversarial"
"""Questions that mean to mislead; where a set has some, it is also scored without them."""
UNCERTAIN = ("recall_all@10", "ndcg@10")
"""Measures that come with an interval."""
RESAMPLES, SEED = 500, 7
_DECIMALS = 4


class Query(Value):
    """A question, and what is known to answer it."""

    id: str
    text: str
    conversation: str
    time: datetime | None = None
    category: str = ""
    evidence: tuple[str, ...] = ()
    newest: tuple[str, ...] = ()
    """The evidence that holds now, for something that changed."""
    haystack: tuple[str, ...] | None = None
    """The sessions among which to look, where the set says so."""


class Scores(Value):
    """The scores of a run of many questions."""

    scored: int
    skipped: int
    """Questions that nothing answers."""
    told_apart: float | None
    """None where the set has none of them."""
    intervals: Mapping[str, tuple[float, float]]
    """Where the mean lies, 19 times out of 20, had other such questions been asked."""
    results: Mapping[str, Mapping[str, float]]
    """The means by category, with `ALL` first and `MACRO` last."""


def score_rankings(
    queries: Iterable[Query],
    run: Mapping[str, Sequence[str]],
    sureness: Mapping[str, float] | None = None,
) -> Scores:
    """Score rankings by query id; a question that was not answered scores nothing."""
    queries = list(queries)
    scored = [query for query in queries if query.evidence]
    measured = [
        (
            query.category,
            measure_ranking(query.evidence, run.get(query.id, ()), newest=query.newest),
        )
        for query in scored
    ]
    every = [measures for _, measures in measured]
    return Scores(
        scored=len(scored),
        skipped=len(queries) - len(scored),
        told_apart=told_apart(
            [sureness[query.id] for query in queries if query.evidence and query.id in sureness],
            [
                sureness[query.id]
                for query in queries
                if not query.evidence and query.id in sureness
            ],
        )
        if sureness
        else None,
        intervals=_intervals(every),
        results=_results(measured),
    )


def told_apart(known: Sequence[float], unknown: Sequence[float]) -> float | None:
    """How often a value of the first is above one of the second; a tie counts half."""
    if not known or not unknown:
        return None
    ordered = sorted(unknown)
    wins = sum(bisect_left(ordered, one) + bisect_right(ordered, one) for one in known)
    return round(wins / 2 / len(known) / len(unknown), _DECIMALS)


def measure_ranking(
    evidence: Iterable[str], ranked: Iterable[str], *, newest: Iterable[str] = ()
) -> Measures:
    """Every measure of one ranking; an id that comes twice counts where it comes first."""
    wanted, order = set(evidence), list(dict.fromkeys(ranked))
    places = [place for place, id in enumerate(order) if id in wanted]
    found: Measures = {}
    for cutoff in CUTOFFS:
        among = sum(place < cutoff for place in places)
        found[f"recall_any@{cutoff}"] = float(among > 0)
        found[f"recall_all@{cutoff}"] = float(among == len(wanted))
        found[f"recall@{cutoff}"] = among / len(wanted)
    best = sum(_gain(place) for place in range(min(len(wanted), GAIN_PLACES)))
    found["ndcg@10"] = sum(_gain(place) for place in places if place < GAIN_PLACES) / best
    found["mrr"] = 1 / (places[0] + 1) if places else 0.0
    if now := set(newest):
        found["newest_first"] = _newest_first(order[:NEWEST_PLACES], now, wanted - now)
    return found


def _gain(place: int) -> float:
    return 1 / log2(place + 2)


def _newest_first(order: Sequence[str], newest: set[str], older: set[str]) -> float:
    first = next((id for id in order if id in newest or id in older), None)
    return float(first in newest)


def _results(measured: Sequence[tuple[str, Measures]]) -> dict[str, Measures]:
    by_category: dict[str, list[Measures]] = {}
    for category, measures in sorted(measured, key=lambda one: one[0]):
        by_category.setdefault(category, []).append(measures)
    results = {"ALL": _mean([measures for _, measures in measured])}
    if ADVERSARIAL in by_category:
        kind = [measures for category, measures in measured if category != ADVERSARIAL]
        results["ALL-no-adversarial"] = _mean(kind)
    means = {category: _mean(measures) for category, measures in by_category.items()}
    results |= means
    # Not every category has facts that change, so that this one has no mean over categories.
    whole = [name for name in results["ALL"] if name not in ("n", "newest_first")]
    results["MACRO"] = {"n": len(means)} | {
        name: round(sum(mean[name] for mean in means.values()) / len(means), _DECIMALS)
        for name in whole
    }
    return results


def _mean(measured: Sequence[Measures]) -> Measures:
    mean: Measures = {"n": len(measured)}
    for name in dict.fromkeys(name for measures in measured for name in measures):
        values = [measures[name] for measures in measured if name in measures]
        mean[name] = round(sum(values) / len(values), _DECIMALS)
    return mean


def _intervals(measured: Sequence[Measures]) -> dict[str, tuple[float, float]]:
    if not measured:
        return {}
    chance = random.Random(SEED)  # noqa: S311 (the same interval every time is the point)
    return {name: _interval([one[name] for one in measured], chance) for name in UNCERTAIN}


def _interval(values: Sequence[float], chance: random.Random) -> tuple[float, float]:
    """The means of questions drawn anew, again and again, without the odd ones at both ends."""
    count = len(values)
    means = sorted(sum(chance.choices(values, k=count)) / count for _ in range(RESAMPLES))
    odd = RESAMPLES // 40
    return round(means[odd], _DECIMALS), round(means[-odd - 1], _DECIMALS)


# Questions made from a book: some that it can answer, and some that it cannot

RAREST = 8
"""A question is made from so many of the rarest words …"""
ASKED = 5
"""… of which so many are asked: the others are what a person does not remember."""
FEWEST = 2
READ_CHARACTERS = 20_000
ATTEMPTS = 5
"""How often a mixture of words is drawn before it is given up."""


def word_frequencies(texts: Iterable[str]) -> Counter[str]:
    """In how many of the texts each word occurs."""
    return Counter(term for text in texts for term in query_terms(text[:READ_CHARACTERS]))


def question_about(text: str, frequency: Mapping[str, int], seed: str) -> str | None:
    """A question about one text, the same every time; None when it says too little to be asked."""
    telling = _telling(text, frequency)[:RAREST]
    if len(telling) < FEWEST:
        return None
    chance = random.Random(seed)  # noqa: S311 (the same question every night is the point)
    # Two or three are left out, but never so many that next to nothing is asked.
    return " ".join(chance.sample(telling, min(ASKED, max(FEWEST, len(telling) - 1))))


def unanswerable_questions(
    texts: Sequence[str], frequency: Mapping[str, int], count: int, seed: str
) -> list[str]:
    """Questions of known words that no memory has together; fewer from a small book."""
    chance = random.Random(seed)  # noqa: S311 (as above)
    telling = [words for text in texts if (words := _telling(text, frequency))]
    known = [frozenset(words) for words in telling]
    made: list[str] = []
    if len(telling) < ASKED:
        return made
    for _ in range(count * ATTEMPTS):
        drawn = chance.sample(telling, ASKED)
        mixed = dict.fromkeys(chance.choice(words[:RAREST]) for words in drawn)
        if len(mixed) == ASKED and not any(_mostly(mixed, words) for words in known):
            made.append(" ".join(mixed))
        if len(made) == count:
            break
    return made


def _mostly(asked: Iterable[str], words: frozenset[str]) -> bool:
    """Whether a memory has so many of the words that the question might well mean it."""
    return sum(word in words for word in asked) > ASKED // 2


def _telling(text: str, frequency: Mapping[str, int]) -> list[str]:
    """The words of a text as they are written, rarest first."""
    rarity: dict[str, int] = {}
    for term, written in query_terms(text[:READ_CHARACTERS]).items():
        # Without spaces a whole clause is one run: its parts are the words.
        word = term if not written.isascii() and term in written else written
        rarity[word] = min(rarity.get(word, frequency[term]), frequency[term])
    return sorted(rarity, key=lambda word: (rarity[word], word))
