"""Gather the candidates of a recall: by words, by vectors, and the turns said around them.

Postings and vectors are read in the visible scopes only, and scored with their statistics.
"""

# ruff: noqa: S608 - every piece of SQL here is our own; a caller's values are always bound.

from __future__ import annotations

from ....language import similarity
from ....model.value import Value
from ....ports.search_index import Candidate, Gathered
from .tables import VectorQuery, condition, statistics, visible_scopes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from typing import Any

    from ....model.scope import Visible
    from ....ports.search_index import Where
    from ....ports.vector_engine import VectorEngine
    from .tables import Condition, Tables, VisibleScopes
    from .vectors import VectorModel


MOST_WORDS = 16
"""Only the rarest words of a long question are looked up; the others hardly tell texts apart."""
MOST_POSTINGS = 50_000
"""How many postings one search may read."""
HEAD = 1.5
"""How much an occurrence in a title, tag or key counts against one in the text."""
IN_HEAD = -1
"""The place of a word in the head, among the halves of the windows of a text: see `best_window`."""
AROUND = 2
"""How many turns before and after a candidate become candidates with it."""
WHOLE = 0.3
"""The weight of the whole text's cosine; the best passage's cosine has the rest."""
_COLUMNS = (
    "m.memory, m.id, s.path, m.kind, m.status, m.trust, m.source, m.confidence, m.topic,"
    " m.created, m.updated, m.episode, m.position, m.speaker, m.words, m.asks, m.has_time,"
    " m.has_number, m.importance"
)
EPISODE = 11
"""The place of the conversation among these columns."""


class CandidateQuery(Value):
    """The arguments of `SearchIndex.gather`."""

    words: Mapping[str, str]
    vector: bytes | None
    visible: Visible
    where: Where
    pool: int
    least: float
    model: str | None


class WordMatches(Value):
    """The memories that contain words of a question."""

    seen: VisibleScopes
    scores: Mapping[int, float]
    """BM25 of every visible memory with one of the words; for a long one, of its best part."""
    postings: Mapping[str, Mapping[int, float]]
    """How often each memory, or the best part of a long one, says each word looked up."""
    worth: Mapping[str, float]
    """The weight of each word of the question: the rarer, the more."""
    rows: tuple[int, ...] = ()
    """The best memories that meet the conditions, `pool` at most."""


class VectorMatches(Value):
    """The memories whose vectors were compared with a question."""

    cosines: Mapping[int, float]
    """By row: the cosine of the whole text."""
    passages: Callable[[Collection[int]], list[tuple[int, bytes]]]
    """Reads the vectors of these memories' passages, end to end."""


def gather(tables: Tables, query: CandidateQuery) -> Gathered:
    """The candidates for a question whose vector is compared in the index's own tables."""
    found = match_words(tables, query)
    if found is None:
        return Gathered()
    return assemble(tables, query, found, _match_vectors(tables, query, found))


def match_words(tables: Tables, query: CandidateQuery) -> WordMatches | None:
    """Score the memories that contain words of the question; None if nothing can be found."""
    seen = visible_scopes(tables, query.visible)
    if seen.nothing or query.pool < 1:
        return None
    found = word_scores(tables, query.words, seen)
    rows = _best_rows(tables, found.scores, _conditions(tables, query, seen), query.pool)
    return found.but(rows=tuple(rows))


def assemble(
    tables: Tables, query: CandidateQuery, found: WordMatches, vectors: VectorMatches | None
) -> Gathered:
    """Join what words and vectors found with the own tables, and add the turns around."""
    wanted = _conditions(tables, query, found.seen)
    rows = list(found.rows)
    meanings: dict[int, tuple[float, int]] = {}
    if vectors is not None and query.vector is not None:
        closest = _best_rows(tables, vectors.cosines, wanted, query.pool)
        rows = list(dict.fromkeys([*rows, *closest]))
        wholes = {row: vectors.cosines[row] for row in rows if row in vectors.cosines}
        meanings = _meanings(query.vector, wholes, vectors.passages(wholes))
    mass = sum(found.worth.values())
    described = _described(tables, rows)
    if any(row[EPISODE] is not None for row in described.values()):
        rows = _around(tables, rows, wanted)
        described |= _described(tables, [row for row in rows if row not in described])
    return Gathered(tuple(_candidates(described, rows, query.words, found, meanings, mass)), mass)


def _match_vectors(
    tables: Tables, query: CandidateQuery, found: WordMatches
) -> VectorMatches | None:
    vector = query.vector
    model = comparable(tables, query)
    if vector is None or model is None:
        return None
    number = model.number
    asked = VectorQuery(vector, number, also=found.rows, most=2 * query.pool, least=query.least)
    return VectorMatches(
        tables.nearest(asked, found.seen), lambda rows: tables.passages(rows, number)
    )


def engine_matches(
    engine: VectorEngine, query: CandidateQuery, model: VectorModel, also: Collection[int]
) -> VectorMatches | None:
    """The closest vectors of an engine, measured exactly; None if it has no such collection."""
    import math

    from ....ports.vector_engine import VectorFilter
    from ...common.arithmetic import cosines
    from .values import folded

    vector, where = query.vector or b"", query.where
    topics = None if where.topics is None else tuple(folded(one) or "" for one in where.topics)
    wanted = VectorFilter(query.visible, where.scopes, topics)
    found = engine.nearest(model.collection, vector, wanted, limit=2 * query.pool, also=also)
    if found is None:
        return None
    width = len(vector)
    wholes = b"".join(own[:width] for own in found.values())
    near = zip(found, cosines(vector, wholes) if found else (), strict=True)
    # A text without any word has no direction, and its cosine is no number.
    measured = {row: 0.0 if math.isnan(cosine) else cosine for row, cosine in near}
    return VectorMatches(
        {row: one for row, one in measured.items() if one > query.least or row in also},
        lambda rows: [(row, found[row][width:]) for row in rows if len(found[row]) > width],
    )


def comparable(tables: Tables, query: CandidateQuery) -> VectorModel | None:
    """The model that the question's vector can be compared with, if any."""
    if query.vector is None:
        return None
    from .vectors import find_model

    return find_model(tables, query.model, len(query.vector))


def _conditions(tables: Tables, query: CandidateQuery, seen: VisibleScopes) -> Condition:
    dialect = tables.dialect
    return seen.condition(dialect) & condition(dialect, query.where, any_topic=True)


def word_scores(tables: Tables, asked: Iterable[str], seen: VisibleScopes) -> WordMatches:
    """Read the postings of the rarest words, and score the memories in them."""
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
        scores[memory], held = similarity.best_window(said, worth, whole)
        for word in said.keys() - held:
            del postings[word][memory]
    return WordMatches(seen=seen, scores=scores, postings=postings, worth=worth)


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
        ).fetchall()
        found += [(-scores[row], -created, id, row) for row, created, id in rows]
        start, size = end, size * 4
    found.sort()
    return [row for _, _, _, row in found[:limit]]


def _meanings(
    vector: bytes, wholes: Mapping[int, float], passages: list[tuple[int, bytes]]
) -> dict[int, tuple[float, int]]:
    """By row: how close a memory comes to the question, and which of its passages comes closest."""
    from ...common.arithmetic import cosines

    found = {row: (cosine, 0) for row, cosine in wholes.items()}
    near = cosines(vector, b"".join(vectors for _, vectors in passages)) if passages else []
    start = 0
    for row, vectors in passages:
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


def _described(tables: Tables, rows: Collection[int]) -> dict[int, tuple[Any, ...]]:
    """The columns of these memories that ranking reads, by row."""
    if not rows:
        return {}
    dialect = tables.dialect
    return {
        row[0]: row
        for row in tables.execute(
            f"SELECT {_COLUMNS} FROM {dialect.named_rows()} JOIN scopes AS s ON s.scope = m.scope",
            (dialect.bind(rows),),
        ).fetchall()
    }


def _candidates(
    described: Mapping[int, tuple[Any, ...]],
    rows: Collection[int],
    words: Mapping[str, str],
    found: WordMatches,
    meanings: Mapping[int, tuple[float, int]],
    mass: float,
) -> Iterable[Candidate]:
    asked = [(counts, found.worth[word], words[word]) for word, counts in found.postings.items()]
    for key in rows:
        if key not in described:
            continue  # Removed since the words were looked up.
        candidate = Candidate(*described[key])
        candidate.keyword = found.scores.get(key, 0.0)
        if candidate.keyword:
            said = [(worth, term) for counts, worth, term in asked if key in counts]
            candidate.covered = sum([worth for worth, _ in said]) / mass
            candidate.terms = tuple(dict.fromkeys([term for _, term in said]))
        if meaning := meanings.get(key):
            candidate.meaning, candidate.passage = meaning
        yield candidate
