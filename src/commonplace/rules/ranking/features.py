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
    "words", "words of best", "words place", "covered", "terms", "covered of best",
    "meaning", "meaning of best", "meaning place", "meaning gap",
    "base", "base of best", "base place", "conversation",
    "words before", "words two before", "words after", "words two after",
    "meaning before", "meaning two before", "meaning after", "meaning two after",
    "answers a question", "asks", "asked before",
    "session", "session of best", "session place", "first of session",
    "named", "role", "time", "date", "number", "length", "passage", "newer",
    "question terms", "question mass", "best meaning", "best covered", "second meaning",
    "asks when", "asks how many", "changes", "names", "has when", "has role",
)  # fmt: skip
NEIGHBOURS = (-1, -2, 1, 2)
SESSION_TURNS = 3
"""A session is as good as its best so many turns together."""
NEWER_AMONG = 20


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
    around = _Conversations(candidates, base)
    mass, best_words = gathered.mass or 1.0, max(words) or 1.0
    best_covered = max([c.covered for c in candidates]) or 1.0
    best_meaning, second = sorted((0.0, *meaning), reverse=True)[:2]
    best_meaning = best_meaning or 1.0
    best_base = base[chosen[0]] or 1.0
    word_places, meaning_places = _places(words), _places(meaning)
    newer = _newer(candidates, chosen)
    named, when, role = question.named, question.when, question.role
    conversation = parts["conversation"]
    asked = [
        float(len(question.words)), mass, best_meaning, best_covered, second,
        float(question.asks_time), float(question.asks_number), float(question.changes),
        float(len(named)), float(bool(when)), float(role is not None),
    ]  # fmt: skip
    rows: list[list[float]] = []
    for place, at in enumerate(chosen, 1):
        c = candidates[at]
        near = around.neighbours(c)
        near_meaning = [0.0 if one is None else meaning[one] for one in near]
        asked_before = near[0] is not None and candidates[near[0]].asks
        rows.append([
            words[at] / mass, words[at] / best_words, word_places[words[at]],
            c.covered, float(len(c.terms)), c.covered / best_covered,
            meaning[at], meaning[at] / best_meaning, meaning_places[meaning[at]],
            best_meaning - meaning[at],
            base[at], base[at] / best_base, math.log(place), conversation[at],
            *[0.0 if one is None else words[one] / best_words for one in near],
            *near_meaning,
            near_meaning[0] if asked_before else 0.0, float(c.asks), float(asked_before),
            *around.session(c), float(c.position == 0),
            _one_of(c.speaker, named), _one_of(role_of(c.speaker), role and (role,)),
            closeness(c.created, when) if when else -1.0,
            float(c.has_time), float(c.has_number),
            math.log1p(c.words), float(c.passage > 0), newer.get(c.created, 0.5),
            *asked,
        ])  # fmt: skip
    return rows


class _Conversations:
    """The turns around each candidate, and how good their sessions are."""

    def __init__(self, candidates: Sequence[Candidate], base: Sequence[float]) -> None:
        self._turns: dict[tuple[str, str, int], int] = {}
        sessions: dict[tuple[str, str], list[float]] = {}
        for at, c in enumerate(candidates):
            if c.episode is not None and c.position is not None:
                self._turns[c.scope, c.episode, c.position] = at
                sessions.setdefault((c.scope, c.episode), []).append(base[at])
        scores = {
            key: sum(sorted(values, reverse=True)[:SESSION_TURNS])
            for key, values in sessions.items()
        }
        best = max(scores.values(), default=1.0) or 1.0
        self._sessions = {
            key: (scores[key], scores[key] / best, math.log1p(place))
            for place, key in enumerate(sorted(scores, key=scores.__getitem__, reverse=True), 1)
        }

    def neighbours(self, c: Candidate) -> list[int | None]:
        if c.episode is None or c.position is None:
            return [None] * len(NEIGHBOURS)
        return [self._turns.get((c.scope, c.episode, c.position + step)) for step in NEIGHBOURS]

    def session(self, c: Candidate) -> tuple[float, float, float]:
        """The session's score, its share of the best one's, and its place; zeros for a note."""
        return self._sessions.get((c.scope, c.episode or ""), (0.0, 0.0, 0.0))


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
