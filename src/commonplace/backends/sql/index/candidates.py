"""Everything in the running for a recall: what words and meaning find, and what was said around it.

The lists of the question's words are read in the visible scopes only, and scored; so are vectors.
"""

# ruff: noqa: S608 - every piece of SQL here is our own; a caller's values are always bound.

from __future__ import annotations

from ....language import similarity
from ....model.value import Value
from ....ports.search_index import Candidate, Gathered
from .tables import VectorMatches, condition, reach, statistics

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from ....model.scope import Visible
    from ....ports.search_index import Where
    from .tables import Condition, Reach, Tables


MOST_WORDS = 16
"""Of a long question only the rarest words are looked up; the others hardly tell texts apart."""
MOST_POSTINGS = 50_000
"""How many entries of word lists one search may read."""
HEAD = 1.5
"""How much an occurrence in a title, tag or key counts against one in the text."""
IN_HEAD = -1
"""Where it is, in words said by half stretches: see `bm25.best_stretch`."""
AROUND = 2
"""How many turns before and after a candidate are in the running with it."""
WHOLE = 0.3
"""How much the whole text counts for its meaning; the best of its passages counts the rest."""
_COLUMNS = (
    "m.memory, m.id, s.path, m.kind, m.status, m.trust, m.source, m.confidence, m.topic,"
    " m.created, m.updated, m.episode, m.position, m.speaker, m.words, m.asks, m.has_time,"
    " m.has_number"
)


class WordMatches(Value):
    """What the words of a question turned up."""

    scores: Mapping[int, float]
    """BM25 of every visible memory that contains one of the words; of a long one's best part."""
    postings: Mapping[str, Mapping[int, float]]
    """How often each of them, or the best part of a long one, says each word looked up."""
    worth: Mapping[str, float]
    """What each word of the question tells: the rarer, the more."""


def gather(
    tables: Tables,
    words: Mapping[str, str],
    vector: bytes | None,
    *,
    visible: Visible,
    where: Where,
    pool: int,
    least: float,
    model: str | None,
) -> Gathered:
    """What words and meaning find among the visible memories that meet the conditions."""
    seen = reach(tables, visible)
    if seen.nothing or pool < 1:
        return Gathered()
    dialect = tables.dialect
    wanted = seen.condition(dialect) & condition(dialect, where, any_topic=True)
    found = word_scores(tables, words, seen)
    rows = _best_rows(tables, found.scores, wanted, pool)
    meanings: dict[int, tuple[float, int]] = {}
    if vector is not None:
        from .read import comparable

        number = comparable(tables, vector, model)
        if number is not None:
            meant = VectorMatches(vector, number, also=rows, most=2 * pool, least=least)
            close = tables.nearest(meant, seen)
            rows = list(dict.fromkeys([*rows, *_best_rows(tables, close, wanted, pool)]))
            wholes = {row: close[row] for row in rows if row in close}
            meanings = _meanings(tables, vector, number, wholes)
    mass = sum(found.worth.values())
    around = _around(tables, rows, wanted)
    return Gathered(tuple(_candidates(tables, around, words, found, meanings, mass)), mass)


def word_scores(tables: Tables, asked: Iterable[str], seen: Reach) -> WordMatches:
    """Read the lists of the words that tell most, and score what is in them."""
    whole = statistics(tables, seen)
    counts: dict[str, int] = {}
    chosen = list(asked)
    if len(chosen) > MOST_WORDS or len(chosen) * whole.documents > MOST_POSTINGS:
        counts = tables.frequencies(chosen, seen)
        chosen = similarity.rarest(counts, most=MOST_WORDS, postings=MOST_POSTINGS)
    postings, places = tables.postings(chosen, seen)
    counts |= {word: len(said) for word, said in postings.items()}
    norms = similarity.norms(whole)
    worth = {word: similarity.rarity(whole.documents, count) for word, count in counts.items()}
    scores = similarity.scores(
        postings, whole, norm=lambda memory: norms[memory % similarity.STEPS]
    )
    for memory, said in places.items():
        scores[memory], held = similarity.best_stretch(said, worth, whole)
        for word in said.keys() - held:
            del postings[word][memory]
    return WordMatches(scores=scores, postings=postings, worth=worth)


def _best_rows(
    tables: Tables, scores: Mapping[int, float], wanted: Condition, limit: int
) -> list[int]:
    """The best memories that meet the conditions; among equals the newest."""
    dialect = tables.dialect
    ranked = sorted(scores, key=scores.__getitem__, reverse=True)
    found: list[tuple[float, float, str, int]] = []
    start, size = 0, max(100, limit * 2)
    while start < len(ranked) and len(found) < limit:
        end = min(start + size, len(ranked))
        # Equals stay together, so that which of them are found does not depend on the row order.
        while end < len(ranked) and scores[ranked[end]] == scores[ranked[end - 1]]:
            end += 1
        rows = tables.execute(
            f"SELECT m.memory, m.created, m.id FROM {dialect.named_rows()} WHERE {wanted.sql}",
            (dialect.bind(ranked[start:end]), *wanted.values),
        )
        found += [(-scores[row], -created, id, row) for row, created, id in rows]
        start, size = end, size * 4
    found.sort()
    return [row for _, _, _, row in found[:limit]]


def _meanings(
    tables: Tables, vector: bytes, model: int, wholes: Mapping[int, float]
) -> dict[int, tuple[float, int]]:
    """How close memories come to the question, and which of their passages comes closest."""
    from ...common.arithmetic import cosines

    found = {row: (cosine, 0) for row, cosine in wholes.items()}
    stored = tables.passages(wholes, model)
    near = cosines(vector, b"".join(vectors for _, vectors in stored)) if stored else []
    start = 0
    for row, vectors in stored:
        count = len(vectors) // len(vector)
        own = near[start : start + count]
        start += count
        best = max(own)
        whole = wholes[row]
        found[row] = (WHOLE * whole + (1 - WHOLE) * max(whole, best), own.index(best) + 1)
    return found


def _around(tables: Tables, rows: Collection[int], wanted: Condition) -> list[int]:
    """These rows, and those of the same conversation close by."""
    dialect = tables.dialect
    near = tables.execute(
        f"SELECT DISTINCT m.memory FROM {dialect.named_rows('c')} CROSS JOIN memories AS m"
        " WHERE c.episode IS NOT NULL AND m.episode = c.episode AND m.scope = c.scope"
        f" AND m.position BETWEEN c.position - {AROUND} AND c.position + {AROUND}"
        f" AND {wanted.sql}",
        (dialect.bind(rows), *wanted.values),
    )
    return list(dict.fromkeys([*rows, *sorted(row for (row,) in near)]))


def _candidates(
    tables: Tables,
    rows: Collection[int],
    words: Mapping[str, str],
    found: WordMatches,
    meanings: Mapping[int, tuple[float, int]],
    mass: float,
) -> Iterable[Candidate]:
    dialect = tables.dialect
    described = {
        row[0]: row
        for row in tables.execute(
            f"SELECT {_COLUMNS} FROM {dialect.named_rows()} JOIN scopes AS s ON s.scope = m.scope",
            (dialect.bind(rows),),
        )
    }
    for key in rows:
        candidate = Candidate(*described[key])
        candidate.keyword = found.scores.get(key, 0.0)
        if candidate.keyword:
            said = [word for word, counts in found.postings.items() if key in counts]
            candidate.covered = sum(found.worth[word] for word in said) / mass
            candidate.terms = tuple(dict.fromkeys(words[word] for word in said))
        if meaning := meanings.get(key):
            candidate.meaning, candidate.passage = meaning
        yield candidate
