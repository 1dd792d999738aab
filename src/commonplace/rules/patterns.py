"""Find patterns in many memories: repeated corrections and fixes, topics that occur together.

Everything is counted, so the same memories always give the same patterns in the same order.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from ..language import statements, words
from ..language.vocabulary import STOPWORDS
from ..language.words import terms
from ..model.identity import content_hash
from ..model.memory import LIVE
from ..ports.reasoner import Pattern
from .session_summaries import without_speaker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..model.memory import Memory, Retrieval


LEAST = 3
"""Twice is chance, three times is a pattern."""
LEAST_CORRECTIONS = 2
"""Having to correct the same thing twice is one time too many."""
MOST = 20
"""Patterns; a person reads them."""
LIKENESS = 0.5
"""The share of telling words by which two fixes or corrections are of the same thing."""
COMPARED = 2_000
"""Memories that are compared with each other, newest first."""


def find_patterns(memories: Sequence[Memory]) -> tuple[Pattern, ...]:
    """The patterns that memories show, the most frequent first."""
    live = sorted(
        (memory for memory in memories if memory.status in (*LIVE, "superseded")),
        key=lambda memory: (memory.created, memory.id),
        reverse=True,
    )[:COMPARED]
    scopes = sorted({memory.scope for memory in live}, key=str)
    # Each scope by itself: what one tenant's memories show is not to be told with another's.
    apart = [[memory for memory in live if memory.scope == scope] for scope in scopes]
    found = [one for own in apart for one in (*_corrected(own), *_fixed(own), *_met(own))]
    found.sort(key=lambda pattern: (-len(pattern.of), pattern.content))
    return tuple(found[:MOST])


def _corrected(memories: Sequence[Memory]) -> Iterable[Pattern]:
    """The same thing corrected again and again."""
    corrections = [one for one in memories if "correction" in one.tags or one.supersedes]
    for group in _groups(corrections):
        if len(group) >= LEAST_CORRECTIONS:
            latest = group[0]
            yield Pattern(
                f"Corrected {len(group)} times, latest: {_line(latest)}",
                "insight",
                _ids(group),
                f"{len(group)} corrections are about the same thing.",
            )


def _fixed(memories: Sequence[Memory]) -> Iterable[Pattern]:
    """The same fix several times: worth a workflow."""
    for group in _groups([one for one in memories if one.kind == "fix" and one.status in LIVE]):
        if len(group) >= LEAST:
            yield Pattern(
                f"This keeps coming back ({len(group)} fixes): {_line(group[0])}",
                "workflow",
                _ids(group),
                f"{len(group)} fixes are of the same kind.",
            )


def _met(memories: Sequence[Memory]) -> Iterable[Pattern]:
    """Topics and tags that are often remembered together."""
    labels = {one.id: _labels(one) for one in memories if one.status in LIVE}
    alone = Counter(label for found in labels.values() for label in found)
    together = Counter(pair for found in labels.values() for pair in combinations(found, 2))
    for (first, second), count in sorted(together.items()):
        # Often, and for at least half of what carries the rarer label: not because both are common.
        if count >= LEAST and count * 2 >= min(alone[first], alone[second]):
            of = [one for one in memories if {first, second} <= set(labels.get(one.id, ()))]
            yield Pattern(
                f"“{first}” and “{second}” belong together: {count} memories are about both.",
                "insight",
                _ids(of),
                f"{count} of {min(alone[first], alone[second])} memories with the rarer label.",
            )


def _labels(memory: Memory) -> tuple[str, ...]:
    found = {tag.casefold() for tag in memory.tags} - {"correction"}
    return tuple(sorted(found | ({memory.topic.casefold()} if memory.topic else set())))


def _groups(memories: Sequence[Memory]) -> list[list[Memory]]:
    """Memories that speak of the same thing, each in one group, newest first."""
    groups: list[tuple[frozenset[str], list[Memory]]] = []
    for memory in memories:
        terms = _telling(memory)
        for known, group in groups:
            if _alike(terms, known):
                group.append(memory)
                break
        else:
            groups.append((terms, [memory]))
    return [group for _, group in groups]


def _telling(memory: Memory) -> frozenset[str]:
    return words.telling_terms(memory.title or memory.content)


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one and other) and len(one & other) >= LIKENESS * min(len(one), len(other))


def _ids(memories: Iterable[Memory]) -> tuple[str, ...]:
    return tuple(sorted(memory.id for memory in memories))


def _line(memory: Memory) -> str:
    text = " ".join((memory.title or memory.content).split())
    return text if len(text) <= 120 else f"{text[:119]}…"


# Repeated statements, and memories that are needed together

LEAST_WORDS = 4
"""A shorter statement is a phrase, not something learned."""
BEST = 3
"""Number of a recall's first hits that count as needed."""


def repeated_statements(
    memories: Sequence[Memory], *, least: int
) -> list[tuple[str, tuple[Memory, ...]]]:
    """Statements that so many different records of what happened make, with those records."""
    said: dict[str, tuple[str, dict[str, Memory]]] = {}
    for memory in memories:
        for written in statements.sentences(memory.content):
            sentence = without_speaker(written)
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
