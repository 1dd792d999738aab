"""Keyword search: read the lists of the question's words in the visible scopes, score, look up."""

# ruff: noqa: S608 - every piece of SQL here is our own; a caller's values are always bound.

from __future__ import annotations

import json
from collections import Counter

from ...ports import Match
from ...rules import bm25, words
from .conditions import condition, reach, statistics
from .reading import load
from .rows import WORD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...ports import Where
    from ...scope import Visible
    from ...sqlite import Database
    from .conditions import Condition, Reach

MOST_WORDS = 16
"""Of a long question only the rarest words are looked up; the others hardly tell texts apart."""
MOST_POSTINGS = 50_000
"""How many entries of word lists one search may read."""
HEAD = 1.5
"""How much an occurrence in a title, tag or key counts against one in the text."""


def search(db: Database, query: str, visible: Visible, where: Where, limit: int) -> list[Match]:
    """Memories that contain words of the query, best first."""
    asked = words.query(query)
    seen = reach(db, visible)
    if not asked or seen.nothing or limit < 1:
        return []
    whole = statistics(db, seen)
    chosen = _chosen(db, list(asked), seen, whole.documents)
    postings = {word: _postings(db, word, seen) for word in chosen}
    norms = bm25.norms(whole)
    scores = bm25.scores(postings, whole, norm=lambda memory: norms[memory % bm25.STEPS])
    found = _best(db, scores, seen.condition() & condition(where, any_topic=True), limit)
    memories = load(db, found)
    return [
        Match(
            memories[row],
            scores[row],
            tuple(dict.fromkeys(asked[word] for word in chosen if row in postings[word])),
        )
        for row in found
    ]


def _chosen(db: Database, asked: list[str], seen: Reach, documents: int) -> list[str]:
    """The words worth looking up; a few words in a few memories need no choosing."""
    if len(asked) <= MOST_WORDS and len(asked) * documents <= MOST_POSTINGS:
        return asked
    counts = _frequencies(db, asked, seen)
    return bm25.rarest(counts, most=MOST_WORDS, postings=MOST_POSTINGS)


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


def _postings(db: Database, word: str, seen: Reach) -> dict[int, float]:
    """How often each visible memory says a word."""
    if seen.everything:
        rows = db.execute(
            "SELECT doc, col FROM word_places WHERE term >= ? AND term < ?", _every_scope(word)
        )
    else:
        rows = db.execute(
            "SELECT doc, col FROM json_each(?) AS asked"
            " CROSS JOIN word_places ON term = asked.value",
            (json.dumps([f"{word}{ending}" for ending in seen.endings]),),
        )
    found: dict[int, float] = {}
    for (memory, column), times in Counter(rows).items():
        weight = times * HEAD if column == "head" else times
        found[memory] = found.get(memory, 0.0) + weight
    return found


def _every_scope(word: str) -> tuple[str, str]:
    """The bounds of a word's lists in all scopes."""
    return f"{word}{WORD}", f"{word}{chr(ord(WORD) + 1)}"


def _best(db: Database, scores: dict[int, float], wanted: Condition, limit: int) -> list[int]:
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
