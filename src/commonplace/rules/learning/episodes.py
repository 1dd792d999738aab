"""What keeps coming back in what happened: repeated statements, and memories needed together."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from ..identity import content_hash
from ..text import statements
from ..text.stopwords import STOPWORDS
from ..text.words import terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ...model import Memory, Retrieval

LEAST_WORDS = 4
"""A shorter statement is a phrase, not something learned."""
BEST = 3
"""How many of a recall's hits count as having been needed."""


def repeated(memories: Sequence[Memory], *, least: int) -> list[tuple[str, tuple[Memory, ...]]]:
    """Statements that so many different records of what happened make, with those records."""
    said: dict[str, tuple[str, dict[str, Memory]]] = {}
    for memory in memories:
        for sentence in statements.sentences(memory.content):
            telling = [term for term in terms(sentence) if term not in STOPWORDS]
            if len(telling) >= LEAST_WORDS and not sentence.rstrip().endswith("?"):
                _, records = said.setdefault(content_hash(sentence), (sentence, {}))
                records[memory.id] = memory
    return [
        (sentence, tuple(records.values()))
        for sentence, records in said.values()
        if len(records) >= least
    ]


def needed_together(retrievals: Iterable[Retrieval], *, least: int) -> list[tuple[str, str, int]]:
    """Pairs of memories that different questions brought up together, most often first."""
    asked: dict[tuple[str, str], set[str]] = {}
    for one in retrievals:
        best = sorted({id for id, _ in one.results[:BEST]})
        for pair in combinations(best, 2):
            asked.setdefault(pair, set()).add(content_hash(one.query))
    counted = Counter({pair: len(questions) for pair, questions in asked.items()})
    return [(one, other, count) for (one, other), count in counted.most_common() if count >= least]
