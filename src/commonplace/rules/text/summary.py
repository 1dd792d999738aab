"""A shorter text made of a long one's own sentences: what it says first, most, and in numbers."""

from __future__ import annotations

import math
import re
from collections import Counter

from . import passages, statements, tokens, words
from .stopwords import STOPWORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .statements import Statement

LONGEST = 400
"""Statements that are weighed; of an endless text the rest comes too late to be its point."""
OPENING_WEIGHT = 1.0
"""The first statement says what the text is about; those after it ever less so."""
NUMBER_WEIGHT, NAME_WEIGHT, POINT_WEIGHT = 0.35, 0.25, 0.5
BLOCK_WEIGHT = 0.3
"""Code and tables are evidence, rarely the point."""
WORTH = 0.3
"""Of the weight of the best statement: what has less is left out even where it would fit."""
REPEATED = 0.7
"""A statement with this share of its words said already adds too little."""

_NAME = re.compile(
    r"(?<=[\w,;:] )(?:[A-ZÀ-ÞΑ-ΩА-Я][\w'-]+)|`[^`]+`|\b[A-Z]{2,}\b|\b\w{1,40}[_./-]\w+"
)
_POINT = re.compile(
    r"(?i)\b(?:important|decided|decision|conclusion|in short|summary|result|because|root cause"
    r"|fixed|solution|must|never|always|prefers?|deadline|warning|so that|therefore|wichtig"
    r"|entschieden|beschlossen|ergebnis|weil|lösung|immer|nie|important|décidé|parce que"
    r"|toujours|jamais|importante|decidido|porque|siempre|nunca)\b"
    r"|重要|决定|決定|因为|因為|结论|結論|必须|必須|总是|ため|必ず|解決"
)


def summarize(text: str, *, budget_tokens: int) -> str:
    """The statements that matter most, in their order; the text itself when it fits.

    Never longer than the original, and within the budget by estimate.
    """
    if tokens.estimate(text) <= budget_tokens:
        return text
    said = statements.split(text, most=LONGEST)
    if not said:
        return tokens.cut(text, budget_tokens)
    terms = [_terms(one.text) for one in said]
    weights = _weights(said, terms)
    chosen = _chosen(said, terms, weights, budget_tokens)
    made = _put_together(said, chosen)
    if made and len(made) <= len(text) and tokens.estimate(made) <= budget_tokens:
        return made
    best = max(range(len(said)), key=lambda at: weights[at])
    return tokens.cut(said[best].text.strip(), budget_tokens)


def _terms(text: str) -> frozenset[str]:
    return frozenset(words.terms(text)) - STOPWORDS


def _weights(said: Sequence[Statement], terms: Sequence[frozenset[str]]) -> list[float]:
    """How much each statement matters."""
    spread = Counter(term for found in terms for term in found)
    return [_weight(at, one, terms[at], spread) for at, one in enumerate(said)]


def _weight(at: int, one: Statement, terms: frozenset[str], spread: Mapping[str, int]) -> float:
    if not terms or one.heading:
        # A heading names what follows, and says nothing by itself.
        return 0.05
    # What several statements speak of is what the text is about.
    about = sum(math.log1p(spread[term] - 1) for term in terms) / math.sqrt(len(terms))
    weight = about + OPENING_WEIGHT / (1 + at)
    weight += NUMBER_WEIGHT * passages.has_number(one.text)
    weight += NAME_WEIGHT * min(3, len(_NAME.findall(one.text)))
    weight += POINT_WEIGHT * (_POINT.search(one.text) is not None)
    if passages.asks(one.text):
        weight *= 0.5
    return weight * (BLOCK_WEIGHT if one.block else 1.0)


def _chosen(
    said: Sequence[Statement],
    terms: Sequence[frozenset[str]],
    weights: Sequence[float],
    budget_tokens: int,
) -> list[int]:
    """The statements to keep: by weight, none that only repeats, as many as fit."""
    left = tokens.affordable(budget_tokens)
    least = WORTH * max(weights)
    chosen: list[int] = []
    known: set[str] = set()
    for at in sorted(range(len(said)), key=lambda at: (-weights[at], at)):
        cost = tokens.price(f"{said[at].before or ' '}{said[at].text}")
        new = len(terms[at] - known)
        repeats = bool(terms[at]) and new <= (1 - REPEATED) * len(terms[at])
        if cost > left or weights[at] < least or said[at].heading or repeats:
            continue
        left -= cost
        chosen.append(at)
        known |= terms[at]
    return sorted(chosen)


def _put_together(said: Sequence[Statement], chosen: Sequence[int]) -> str:
    """The chosen statements as a text; where some were left out, a space or a line stands."""
    kept: list[Statement] = []
    for number, at in enumerate(chosen):
        one = said[at]
        if number and at != chosen[number - 1] + 1:
            skipped = "".join(left.before for left in said[chosen[number - 1] + 1 : at + 1])
            bullet = one.before.strip()
            gap = "\n" if "\n" in skipped or one.block or said[chosen[number - 1]].block else " "
            one = one.but(before=f"{gap}{bullet} " if bullet else gap)
        kept.append(one)
    return statements.together(kept).strip()
