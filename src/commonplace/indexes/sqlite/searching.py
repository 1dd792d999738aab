"""Keyword search: read the lists of the question's words in the visible scopes, and score."""

# ruff: noqa: S608 - every piece of SQL here is our own; a caller's values are always bound.

from __future__ import annotations

import json
from collections import Counter

from ...rules import bm25
from ...value import Value
from .conditions import statistics
from .rows import WORD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ...sqlite import Database
    from .conditions import Condition, Reach

MOST_WORDS = 16
"""Of a long question only the rarest words are looked up; the others hardly tell texts apart."""
MOST_POSTINGS = 50_000
"""How many entries of word lists one search may read."""
HEAD = 1.5
"""How much an occurrence in a title, tag or key counts against one in the text."""


_IN_HEAD = -1
_PLACE = (
    f"doc, CASE WHEN col = 'head' THEN {_IN_HEAD}"
    f" WHEN doc % {bm25.STEPS} < {bm25.LONG_STEP} THEN 0 ELSE offset / {bm25.HALF} END"
)
"""A memory, and where it says a word: in its head, or in which part of a long text."""


class Found(Value):
    """What the words of a question turned up."""

    scores: Mapping[int, float]
    """BM25 of every visible memory that contains one of the words; of a long one's best part."""
    postings: Mapping[str, Mapping[int, float]]
    """How often each of them, or the best part of a long one, says each word looked up."""
    worth: Mapping[str, float]
    """What each word of the question tells: the rarer, the more."""


def word_scores(db: Database, asked: Iterable[str], seen: Reach) -> Found:
    """Read the lists of the words that tell most, and score what is in them."""
    whole = statistics(db, seen)
    counts: dict[str, int] = {}
    chosen = list(asked)
    if len(chosen) > MOST_WORDS or len(chosen) * whole.documents > MOST_POSTINGS:
        counts = _frequencies(db, chosen, seen)
        chosen = bm25.rarest(counts, most=MOST_WORDS, postings=MOST_POSTINGS)
    places: dict[int, dict[str, dict[int, float]]] = {}
    postings = {word: _postings(db, word, seen, places) for word in chosen}
    counts |= {word: len(said) for word, said in postings.items()}
    norms = bm25.norms(whole)
    worth = {word: bm25.rarity(whole.documents, count) for word, count in counts.items()}
    scores = bm25.scores(postings, whole, norm=lambda memory: norms[memory % bm25.STEPS])
    for memory, said in places.items():
        scores[memory], held = bm25.best_stretch(said, worth, whole)
        for word in said.keys() - held:
            del postings[word][memory]
    return Found(scores=scores, postings=postings, worth=worth)


def _frequencies(db: Database, asked: list[str], seen: Reach) -> dict[str, int]:
    """How many visible memories contain each word."""
    if seen.everything:
        return {
            word: db.execute(
                "SELECT coalesce(sum(doc), 0) FROM word_counts WHERE term >= ? AND term < ?",
                _every_scope(word),
            ).get
            for word in asked
        }
    stored = {f"{word}{ending}": word for word in asked for ending in seen.endings}
    counts = dict.fromkeys(asked, 0)
    for term, count in db.execute(
        "SELECT term, doc FROM json_each(?) AS asked CROSS JOIN word_counts ON term = asked.value",
        (json.dumps(list(stored)),),
    ):
        counts[stored[term]] += count
    return counts


def _postings(
    db: Database, word: str, seen: Reach, places: dict[int, dict[str, dict[int, float]]]
) -> dict[int, float]:
    """How often each visible memory says a word; for long ones also where, into `places`."""
    if seen.everything:
        rows = db.execute(
            f"SELECT {_PLACE} FROM word_places WHERE term >= ? AND term < ?", _every_scope(word)
        )
    else:
        rows = db.execute(
            f"SELECT {_PLACE} FROM json_each(?) AS asked"
            " CROSS JOIN word_places ON term = asked.value",
            (json.dumps([f"{word}{ending}" for ending in seen.endings]),),
        )
    found: dict[int, float] = {}
    for (memory, half), times in Counter(rows).items():
        weight = times * HEAD if half == _IN_HEAD else times
        found[memory] = found.get(memory, 0.0) + weight
        if memory % bm25.STEPS >= bm25.LONG_STEP:
            places.setdefault(memory, {}).setdefault(word, {})[half] = weight
    return found


def _every_scope(word: str) -> tuple[str, str]:
    """The bounds of a word's lists in all scopes."""
    return f"{word}{WORD}", f"{word}{chr(ord(WORD) + 1)}"


def best_rows(
    db: Database, scores: Mapping[int, float], wanted: Condition, limit: int
) -> list[int]:
    """The best memories that meet the conditions; among equals the newest."""
    ranked = sorted(scores, key=scores.__getitem__, reverse=True)
    found: list[tuple[float, float, str, int]] = []
    start, size = 0, max(100, limit * 2)
    while start < len(ranked) and len(found) < limit:
        end = min(start + size, len(ranked))
        # Equals stay together, so that which of them are found does not depend on the row order.
        while end < len(ranked) and scores[ranked[end]] == scores[ranked[end - 1]]:
            end += 1
        rows = db.execute(
            "SELECT m.memory, m.created, m.id FROM json_each(?) AS ranked"
            f" CROSS JOIN memories AS m ON m.memory = ranked.value WHERE {wanted.sql}",
            (json.dumps(ranked[start:end]), *wanted.values),
        )
        found += [(-scores[row], -created, id, row) for row, created, id in rows]
        start, size = end, size * 4
    found.sort()
    return [row for _, _, _, row in found[:limit]]
