"""Keyword search: read the lists of the question's words in the visible scopes, and score.

Each text's words are a sparse vector, and a question of one word has every text that says it as
its neighbours: the engine's inverted index is read as what it is, one list per word. The scores
are then those of every other index, with the caller's own statistics; the engine's own BM25 counts
all tenants' texts together.
"""

from __future__ import annotations

from ...language import similarity
from ..sql.index.candidates import IN_HEAD, MOST_POSTINGS, MOST_WORDS, WordMatches
from .conditions import both
from .database import WINDOW, chunks
from .described import SHARES, dimension, times_said
from .schema import one_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from .database import MilvusDatabase
    from .schema import Row

    Postings = dict[str, dict[int, float]]
    Places = dict[int, dict[str, dict[int, float]]]

COUNTED = 2_048
"""Of a long question's words, longer lists than this are counted in a sample."""
TOGETHER = 16
"""How many words are asked for at once."""


def statistics(db: MilvusDatabase, visible: str) -> similarity.Statistics:
    """How many texts are visible, and how long they are together.

    Of very many only some are measured, and all are counted.
    """
    found = db.query("memories", visible, ["length"], limit=WINDOW)
    # A long text counts as one long part: a single book must not make all notes look short.
    steps: list[int] = [row["length"] for row in found]
    length = sum(similarity.LENGTHS[min(step, similarity.LONG_STEP)] for step in steps)
    if len(found) < WINDOW:
        return similarity.Statistics(len(found), length)
    documents = db.count("memories", visible or "revision >= 0")
    return similarity.Statistics(documents, length / len(found) * documents)


def word_scores(
    db: MilvusDatabase, asked: Iterable[str], visible: str, whole: similarity.Statistics
) -> WordMatches:
    """Read the lists of the words that tell most, and score what is in them.

    A row stands in the lists as 64 times its number plus the length of its text: a list alone is
    enough to score.
    """
    counts: dict[str, int] = {}
    chosen = list(asked)
    if len(chosen) > MOST_WORDS or len(chosen) * whole.documents > MOST_POSTINGS:
        counts = _frequencies(db, chosen, visible)
        chosen = similarity.rarest(counts, most=MOST_WORDS, postings=MOST_POSTINGS)
    postings = _lists(db, chosen, visible, WINDOW)
    counts |= {word: len(said) for word, said in postings.items() if len(said) < WINDOW}
    counts |= _sampled(db, [word for word in postings if word not in counts], visible)
    worth = {word: similarity.rarity(whole.documents, count) for word, count in counts.items()}
    scores = _scored(postings, worth, similarity.norms(whole))
    for row, said in _places(db, postings).items():
        scores[row], held = similarity.best_stretch(said, worth, whole)
        for word in said.keys() - held:
            del postings[word][row]
    return WordMatches(scores=scores, postings=postings, worth=worth)


def best_rows(
    db: MilvusDatabase,
    field: str,
    scores: Mapping[int, float],
    wanted: str,
    limit: int,
    columns: Sequence[str],
) -> list[Row]:
    """The best rows that meet the conditions, by their number or text; among equals the newest."""
    ranked = sorted(scores, key=scores.__getitem__, reverse=True)
    found: list[Row] = []
    start, size = 0, max(100, limit * 2)
    while start < len(ranked) and len(found) < limit:
        end = min(start + size, len(ranked))
        # Equals stay together, so that which of them are found does not depend on the row order.
        while end < len(ranked) and scores[ranked[end]] == scores[ranked[end - 1]]:
            end += 1
        found += db.query_named("memories", field, ranked[start:end], columns, also=wanted)
        start, size = end, size * 4
    found.sort(key=lambda row: (-scores[row[field]], -row["created"], row["id"]))
    return found[:limit]


def _frequencies(db: MilvusDatabase, asked: list[str], visible: str) -> dict[str, int]:
    """How many visible memories contain each word; of very common ones about how many."""
    counts = {word: len(said) for word, said in _lists(db, asked, visible, COUNTED).items()}
    return counts | _sampled(db, [word for word in counts if counts[word] >= COUNTED], visible)


def _sampled(db: MilvusDatabase, common: list[str], visible: str) -> dict[str, int]:
    """About how many visible memories contain each of some very common words."""
    sample = _lists(db, common, both("share == 0", visible), WINDOW)
    return {word: max(COUNTED, len(said) * SHARES) for word, said in sample.items()}


def _scored(
    postings: Postings, worth: Mapping[str, float], norms: Sequence[float]
) -> dict[int, float]:
    """As `bm25.scores`, but for lists that may not be read to their end."""
    scores: dict[int, float] = {}
    for word, said in postings.items():
        weight = worth[word] * (similarity.K1 + 1)
        for row, times in said.items():
            norm = norms[row % similarity.STEPS]
            scores[row] = scores.get(row, 0.0) + weight * times / (times + norm)
    return scores


def _lists(db: MilvusDatabase, asked: Sequence[str], visible: str, most: int) -> Postings:
    """How often each visible row says each word, by the row and its length; the `most` loudest."""
    found: Postings = {}
    for some in chunks(asked, TOGETHER):
        vectors = [{dimension(word): 1.0} for word in some]
        lists = db.search("memories", "said", vectors, where=visible, limit=most)
        for word, hits in zip(some, lists, strict=True):
            said = ((row, times_said(weight)) for row, weight in hits if weight > 0)
            found[word] = {row * similarity.STEPS + step: times for row, (times, step) in said}
    return found


def _places(db: MilvusDatabase, postings: Postings) -> Places:
    """For each long text, how often each half stretch of it says each word; -1 is its head."""
    long = {
        row // similarity.STEPS: row
        for said in postings.values()
        for row in said
        if row % similarity.STEPS >= similarity.LONG_STEP
    }
    if not long:
        return {}
    known = db.query_named("memories", "row", long, ["row", "text"])
    rows = {one["text"]: long[one["row"]] for one in known}
    found: Places = {}
    for word, said in postings.items():
        vector = [{dimension(word): 1.0}]
        texts = {text: row for text, row in rows.items() if row in said}
        if not texts:
            continue
        where = one_of("owner", texts)
        [hits] = db.search("pieces", "said", vector, where=where, limit=WINDOW)
        own = {row: found.setdefault(row, {}).setdefault(word, {}) for row in texts.values()}
        for name, weight in hits:
            owner, _, half = name.partition(":")
            own[texts[int(owner)]][int(half)] = times_said(weight)[0]
        for row, halves in own.items():
            if (head := said[row] - sum(halves.values())) > 0:
                halves[IN_HEAD] = head
    return found
