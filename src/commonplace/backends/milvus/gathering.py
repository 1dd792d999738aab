"""Everything in the running for a recall: what the arms find, and the conversation around it."""

from __future__ import annotations

from ...language import similarity
from ...ports.search_index import Candidate, Gathered
from ..sql.index.candidates import AROUND, WordMatches
from . import vectors
from .conditions import NONE, both, condition, on_topic, seen
from .described import given, turn
from .reading import newest_states
from .schema import NO_POSITION
from .searching import best_rows, word_scores

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ...model.scope import Visible
    from ...ports.search_index import Where
    from .database import MilvusDatabase
    from .schema import Row

_PLAIN = (
    "row", "id", "scope", "kind", "status", "trust", "source", "confidence", "topic", "created",
    "updated", "episode", "position", "speaker", "words", "asks", "has_time", "has_number",
)  # fmt: skip
_COLUMNS = (*_PLAIN, "text", "revision", "length", "turn")


def gather(
    db: MilvusDatabase,
    words: Mapping[str, str],
    vector: bytes | None,
    *,
    visible: Visible,
    where: Where,
    pool: int,
    least: float,
    model: str | None,
    statistics: Callable[[str], similarity.Statistics],
) -> Gathered:
    """What words and meaning find among the visible memories that meet the conditions."""
    reach = seen(visible)
    if pool < 1 or reach == NONE:
        return Gathered()
    wanted = both(reach, condition(db, where, any_topic=True))
    found = word_scores(db, words, reach, statistics(reach)) if words else WordMatches({}, {}, {})
    # Two numbers for one row: with the length of its text below it where words are scored.
    scores = {row // similarity.STEPS: score for row, score in found.scores.items()}
    rows = best_rows(db, "row", scores, wanted, pool, _COLUMNS)
    meanings: dict[int, tuple[float, int]] = {}
    if vector is not None and (mine := vectors.comparable(db, vector, model)) is not None:
        by_words = [row["text"] for row in rows]
        topical = both(reach, on_topic(where, any_topic=True))
        packed = vectors.nearest(db, vector, mine, topical, by_words, 2 * pool)
        cosines = vectors.closeness(vector, packed)
        close = {text: cosine for text, cosine in cosines.items() if cosine > least}
        rows += best_rows(db, "text", close, wanted, pool, _COLUMNS)
        wholes = {row["text"]: cosines[row["text"]] for row in rows if row["text"] in cosines}
        meanings = vectors.meanings(vector, packed, wholes)
    running = newest_states(_with_around(db, rows, wanted))
    mass = sum(found.worth.values())
    return Gathered(tuple(_candidates(running, words, found, meanings, mass)), mass)


def _with_around(db: MilvusDatabase, rows: Sequence[Row], wanted: str) -> Sequence[Row]:
    """These rows, and those of the same conversation close by."""
    turns = {
        turn(row["scope"], row["episode"][1:], row["position"] + step)
        for row in rows
        if row["turn"] >= 0
        for step in range(-AROUND, AROUND + 1)
    }
    near = sorted(turns - {row["turn"] for row in rows})
    return [*rows, *db.query_named("memories", "turn", near, _COLUMNS, also=wanted)]


def _candidates(
    rows: Iterable[Row],
    words: Mapping[str, str],
    found: WordMatches,
    meanings: Mapping[int, tuple[float, int]],
    mass: float,
) -> Iterable[Candidate]:
    for row in rows:
        candidate = Candidate(*map(row.__getitem__, _PLAIN))
        candidate.topic, candidate.episode, candidate.speaker = (
            given(row[name]) for name in ("topic", "episode", "speaker")
        )
        if candidate.position == NO_POSITION:
            candidate.position = None
        key = row["row"] * similarity.STEPS + row["length"]
        candidate.keyword = found.scores.get(key, 0.0)
        if candidate.keyword:
            said = [word for word, counts in found.postings.items() if key in counts]
            candidate.covered = sum(found.worth[word] for word in said) / mass
            candidate.terms = tuple(dict.fromkeys(words[word] for word in said))
        if meaning := meanings.get(row["text"]):
            candidate.meaning, candidate.passage = meaning
        yield candidate
