"""The numbers that a learned ranking looks at: one row for each of the best candidates.

None of them knows a data set: both searches with their places and gaps, the conversation around,
who, the shape of an answer, and what the question is like. `training/ranker.py` learns from these
rows, so a change here needs a new table.
"""

from __future__ import annotations

import math

from ...language.dates import closeness
from .questions import role_of
from .score_parts import meanings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from ...ports.search_index import Candidate, Gathered
    from .questions import Question
    from .score_parts import Parts

NAMES = (
    "words", "words of best", "words place", "words gap", "words above mean",
    "covered", "covered of best",
    "meaning", "meaning of best", "meaning place", "meaning gap", "meaning above mean",
    "base", "base of best", "base place", "base above mean", "conversation",
    "rarest", "share of terms", "covered around", "covered only around", "covered anew",
    "meaning before", "meaning two before", "meaning after", "meaning two after",
    "best meaning around", "meaning of stretch",
    "base before", "base two before", "base after", "base two after",
    "answers a question", "asks", "asked before", "length before", "length after",
    "session", "session of best", "session place", "session share",
    "with the best", "away from best", "length in session",
    "speaks like the best", "speaker's share",
    "named", "role", "time", "date", "number", "length", "passage", "newer",
    "question terms", "question mass", "best meaning", "best covered", "second meaning",
    "tenth base",
    "asks when", "asks how many", "changes", "names", "has when", "has role",
)  # fmt: skip
NEIGHBOURS = (-1, -2, 1, 2)
STRETCH = (-3, 3)
"""With the neighbours, the turns whose meaning together is that of a stretch of talk."""
SESSION_TURNS = 3
"""A session is as good as its best so many turns together."""
NEWER_AMONG = 20
BEST_FEW = 5
"""Number of best turns to which the distance of the others is measured."""
SPEAKERS_AMONG = 10
ANEW_AFTER = 3
"""Number of better turns whose words do not count as new."""
FAR = 99.0
"""The distance of turns of different sessions."""
ALIKE = 1e-9
"""Values that differ less are the same, but for rounding."""


def features(
    gathered: Gathered,
    question: Question,
    parts: Parts,
    chosen: Sequence[int],
    unrelated: float,
) -> list[list[float]]:
    """The numbers of NAMES for each chosen candidate, best first."""
    candidates = gathered.candidates
    words = [candidate.keyword for candidate in candidates]
    meaning = meanings(candidates, unrelated)
    base = [sum(values) for values in zip(*parts.values(), strict=True)]
    mass, best_words = gathered.mass or 1.0, max(words) or 1.0
    best_covered = max([c.covered for c in candidates]) or 1.0
    best_meaning, second = sorted((0.0, *meaning), reverse=True)[:2]
    best_meaning = best_meaning or 1.0
    best_base = base[chosen[0]] or 1.0
    word_places, meaning_places = _places(words), _places(meaning)
    words_above, meaning_above = _above_mean(words), _above_mean(meaning)
    base_above = _above_mean([base[at] for at in chosen])
    said = _Said(candidates, chosen, question)
    around = _Conversations(candidates, chosen, base, meaning)
    newer = _newer(candidates, chosen)
    named, when, role = question.named, question.when, question.role
    conversation = parts["conversation"]
    asked = [
        float(len(question.words)), mass, best_meaning, best_covered, second,
        base[chosen[:SPEAKERS_AMONG][-1]] / best_base,
        float(question.asks_time), float(question.asks_number), float(question.changes),
        float(len(named)), float(bool(when)), float(role is not None),
    ]  # fmt: skip
    rows: list[list[float]] = []
    for place, at in enumerate(chosen):
        c = candidates[at]
        near = around.neighbours(c)
        rows.append([
            words[at] / mass, words[at] / best_words, word_places[words[at]],
            (best_words - words[at]) / mass, words_above[at],
            c.covered, c.covered / best_covered,
            meaning[at], meaning[at] / best_meaning, meaning_places[meaning[at]],
            best_meaning - meaning[at], meaning_above[at],
            base[at], base[at] / best_base, math.log(place + 1), base_above[place],
            conversation[at],
            *said.row(place, at, near),
            *around.row(c, at, near, best_meaning, best_base),
            _one_of(c.speaker, named), _one_of(role_of(c.speaker), role and (role,)),
            closeness(c.created, when) if when else -1.0,
            float(c.has_time), float(c.has_number),
            math.log1p(c.words), float(c.passage > 0), newer.get(c.created, 0.5),
            *asked,
        ])  # fmt: skip
    return rows


class _Said:
    """Which words of the question each candidate and the turns around it say."""

    def __init__(
        self, candidates: Sequence[Candidate], chosen: Sequence[int], question: Question
    ) -> None:
        counts: dict[str, int] = {}
        for candidate in candidates:
            for term in candidate.terms:
                counts[term] = counts.get(term, 0) + 1
        among = len(candidates) + 1
        # The rarer among the candidates, the more a word tells.
        self._worth = {term: math.log1p(among / count) for term, count in counts.items()}
        self._asked = len(set(question.words.values())) or 1
        unheard = (self._asked - len(counts)) * math.log1p(among)
        self._whole = math.fsum(self._worth.values()) + unheard or 1.0
        self._rarest = max(self._worth.values(), default=1.0)
        self._terms = [frozenset(candidate.terms) for candidate in candidates]
        self._best = [self._terms[at] for at in chosen[: ANEW_AFTER + 1]]

    def row(self, place: int, at: int, near: Sequence[int | None]) -> tuple[float, ...]:
        """The rarest word, how many, with those around, only around, and not said by the best."""
        own, worth = self._terms[at], self._worth
        terms = own.union(*[self._terms[one] for one in near if one is not None])
        around, alone = self._share(terms), self._share(own)
        others = self._best[:place] + self._best[place + 1 :]
        rarest = max([worth[term] for term in own], default=0.0) / self._rarest
        anew = self._share(own.difference(*others[:ANEW_AFTER]))
        return rarest, len(own) / self._asked, around, around - alone, anew

    def _share(self, terms: Collection[str]) -> float:
        return math.fsum([self._worth[term] for term in terms]) / self._whole


class _Conversations:
    """The turns around each candidate, and how good their sessions are."""

    def __init__(
        self,
        candidates: Sequence[Candidate],
        chosen: Sequence[int],
        base: Sequence[float],
        meaning: Sequence[float],
    ) -> None:
        self._candidates, self._base, self._meaning = candidates, base, meaning
        self._turns: dict[tuple[str, str, int], int] = {}
        sessions: dict[tuple[str, str], list[int]] = {}
        for at, c in enumerate(candidates):
            if c.episode is not None and c.position is not None:
                self._turns[c.scope, c.episode, c.position] = at
                sessions.setdefault((c.scope, c.episode), []).append(at)
        sums = {key: math.fsum([base[at] for at in turns]) for key, turns in sessions.items()}
        scores = {
            key: sum(sorted([base[at] for at in turns], reverse=True)[:SESSION_TURNS])
            for key, turns in sessions.items()
        }
        best, whole = max(scores.values(), default=1.0) or 1.0, math.fsum(sums.values()) or 1.0
        self._sessions = {
            key: (scores[key], scores[key] / best, math.log1p(place), sums[key] / whole)
            for place, key in enumerate(sorted(scores, key=scores.__getitem__, reverse=True), 1)
        }
        self._lengths = {
            key: sum([candidates[at].words for at in turns]) / len(turns) or 1.0
            for key, turns in sessions.items()
        }
        self._best = [candidates[at] for at in chosen[:BEST_FEW]]
        speakers = [candidates[at].speaker for at in chosen[:SPEAKERS_AMONG]]
        self._speakers = {one: speakers.count(one) / SPEAKERS_AMONG for one in set(speakers)}

    def neighbours(self, c: Candidate) -> list[int | None]:
        """The candidates around this one, in the order of NEIGHBOURS."""
        if c.episode is None or c.position is None:
            return [None] * len(NEIGHBOURS)
        return [self._turns.get((c.scope, c.episode, c.position + step)) for step in NEIGHBOURS]

    def row(
        self,
        c: Candidate,
        at: int,
        near: Sequence[int | None],
        best_meaning: float,
        best_base: float,
    ) -> list[float]:
        """Numbers of the turns around, of the session, and of the distance to the best turns."""
        meaning = [0.0 if one is None else self._meaning[one] for one in near]
        before = None if near[0] is None else self._candidates[near[0]]
        after = None if near[2] is None else self._candidates[near[2]]
        asked = before is not None and before.asks
        best, mean = self._best[0], self._lengths.get((c.scope, c.episode or ""), 1.0)
        together = c.episode is not None and c.episode == best.episode and c.scope == best.scope
        return [
            *meaning,
            max(meaning) / best_meaning,
            (self._meaning[at] + sum(meaning) + self._beyond(c)) / best_meaning,
            *[0.0 if one is None else self._base[one] / best_base for one in near],
            meaning[0] if asked else 0.0, float(c.asks), float(asked),
            -1.0 if before is None else math.log1p(before.words),
            -1.0 if after is None else math.log1p(after.words),
            *self._sessions.get((c.scope, c.episode or ""), (0.0, 0.0, 0.0, 0.0)),
            float(together), self._away(c), c.words / mean,
            float(c.speaker == best.speaker), self._speakers.get(c.speaker, 0.0),
        ]  # fmt: skip

    def _beyond(self, c: Candidate) -> float:
        if c.episode is None or c.position is None:
            return 0.0
        found = [self._turns.get((c.scope, c.episode, c.position + step)) for step in STRETCH]
        return sum([self._meaning[one] for one in found if one is not None])

    def _away(self, c: Candidate) -> float:
        """How many turns lie between it and the nearest of the best few."""
        return min(
            [
                abs((c.position or 0) - (one.position or 0)) + 0.0
                for one in self._best
                if one is not c and one.episode == c.episode and one.scope == c.scope
            ],
            default=FAR,
        )


def _above_mean(values: Sequence[float]) -> list[float]:
    """How far each value is above the mean, in standard deviations."""
    # Exact sums, because engines give the same candidates in different orders.
    mean = math.fsum(values) / len(values)
    spread = math.sqrt(math.fsum([(value - mean) ** 2 for value in values]) / len(values))
    if spread < ALIKE:
        return [0.0] * len(values)
    return [(value - mean) / spread for value in values]


def _one_of(who: str | None, asked_for: Collection[str] | None) -> float:
    """1 for one of those asked for, -1 for another; 0 where nobody is asked for or known."""
    if not asked_for or who is None:
        return 0.0
    return 1.0 if who in asked_for else -1.0


def _places(values: Iterable[float]) -> dict[float, float]:
    """The logarithm of each value's place; equals share one, and nothing found comes last."""
    best_first = sorted({value for value in values if value}, reverse=True)
    places = {value: math.log(place) for place, value in enumerate(best_first, 1)}
    places[0.0] = math.log(len(best_first) + 1)
    return places


def _newer(candidates: Sequence[Candidate], chosen: Sequence[int]) -> dict[float, float]:
    """From 0 for the oldest of the best to 1 for the newest."""
    moments = sorted({candidates[at].created for at in chosen[:NEWER_AMONG]})
    return {moment: place / max(1, len(moments) - 1) for place, moment in enumerate(moments)}
