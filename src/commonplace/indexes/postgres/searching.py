"""Keyword search: read the lists of the question's words in the visible scopes, and score."""

# ruff: noqa: S608 - every piece of SQL here is our own; a caller's values are always bound.

from __future__ import annotations

from collections import Counter

from ...rules import bm25
from ..sqlite.searching import HEAD, MOST_POSTINGS, MOST_WORDS, Found
from .conditions import fit, statistics

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ...postgres.database import Connection
    from .conditions import Condition, Reach

    Places = dict[int, dict[str, dict[int, float]]]

_IN_HEAD = -1


def word_scores(db: Connection, asked: Iterable[str], seen: Reach) -> Found:
    """Read the lists of the words that tell most, and score what is in them."""
    whole = statistics(db, seen)
    counts: dict[str, int] = {}
    chosen = list(asked)
    if len(chosen) > MOST_WORDS or len(chosen) * whole.documents > MOST_POSTINGS:
        counts = _frequencies(db, chosen, seen)
        chosen = bm25.rarest(counts, most=MOST_WORDS, postings=MOST_POSTINGS)
    places: Places = {}
    postings = _postings(db, chosen, seen, places)
    counts |= {word: len(said) for word, said in postings.items()}
    norms = bm25.norms(whole)
    worth = {word: bm25.rarity(whole.documents, count) for word, count in counts.items()}
    scores = bm25.scores(postings, whole, norm=lambda memory: norms[memory % bm25.STEPS])
    for memory, said in places.items():
        scores[memory], held = bm25.best_stretch(said, worth, whole)
        for word in said.keys() - held:
            del postings[word][memory]
    return Found(scores=scores, postings=postings, worth=worth)


def best_rows(
    db: Connection, scores: Mapping[int, float], wanted: Condition, limit: int
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
        for row, created, id in db.execute(
            "SELECT m.memory, m.created, m.id FROM memories AS m"
            f" WHERE m.memory = ANY(%s) AND {wanted.sql}",
            (ranked[start:end], *wanted.values),
        ):
            found.append((-scores[row], -created, id, row))
        start, size = end, size * 4
    found.sort()
    return [row for _, _, _, row in found[:limit]]


def _frequencies(db: Connection, asked: list[str], seen: Reach) -> dict[str, int]:
    """How many visible memories contain each word."""
    counts: Counter[str] = Counter()
    for lists, values in _lists(asked, seen):
        for term, count in db.execute(f"SELECT p.term, count(*) {lists} GROUP BY 1", values):
            counts[term] += count
    return {word: counts[fit(word) or ""] for word in asked}


def _postings(
    db: Connection, asked: list[str], seen: Reach, places: Places
) -> dict[str, dict[int, float]]:
    """How often each visible memory says each word; for long ones also where, into `places`."""
    # In the order of the question, so that sums of scores come out the same everywhere.
    found: dict[str, dict[int, float]] = {word: {} for word in asked}
    written = {fit(word): word for word in asked}
    for lists, values in _lists(asked, seen):
        for term, memory, head, body, halves in db.execute(
            f"SELECT p.term, p.memory, p.head, p.body, p.halves {lists}", values
        ):
            word = written[term]
            found[word][memory] = head * HEAD + body
            if halves is not None:
                said: dict[int, float] = {_IN_HEAD: head * HEAD} if head else {}
                places.setdefault(memory, {})[word] = said | Counter(halves)
    return found


def _lists(asked: list[str], seen: Reach) -> Iterable[tuple[str, tuple[object, ...]]]:
    """The lists to read: of the visible scopes, and of the tasks of others."""
    terms = list(map(fit, asked))
    if seen.everything:
        # Named one by one, because there are lists only by scope.
        every = "p.scope IN (SELECT scope FROM scopes WHERE documents > 0)"
        yield f"FROM postings AS p WHERE {every} AND p.term = ANY(%s)", (terms,)
    if seen.scopes:
        own = "FROM postings AS p WHERE p.scope = ANY(%s) AND p.term = ANY(%s)"
        yield own, (list(seen.scopes), terms)
    if seen.parents:
        tasks = "FROM postings AS p WHERE p.parent = ANY(%s) AND p.term = ANY(%s)"
        yield tasks, (list(seen.parents), terms)
