"""Everything in the running for a recall: what the arms find, and the conversation around it."""

# ruff: noqa: S608 - every piece of SQL here is our own; a caller's values are always bound.

from __future__ import annotations

from ...ports import Candidate, Gathered
from ..sqlite.gathering import AROUND
from .conditions import condition, reach
from .searching import best_rows, word_scores

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from ...ports import Where
    from ...postgres.database import Connection
    from ...scope import Visible
    from ..sqlite.searching import Found
    from .conditions import Condition

_COLUMNS = (
    "m.memory, m.id, s.path, m.kind, m.status, m.trust, m.source, m.confidence, m.topic,"
    " m.created, m.updated, m.episode, m.position, m.speaker, m.words, m.asks, m.has_time,"
    " m.has_number"
)


def gather(
    db: Connection,
    words: Mapping[str, str],
    vector: bytes | None,
    *,
    visible: Visible,
    where: Where,
    pool: int,
    least: float,
    model: str | None,
    exactly: int,
) -> Gathered:
    """What words and meaning find among the visible memories that meet the conditions."""
    seen = reach(db, visible)
    if seen.nothing or pool < 1:
        return Gathered()
    wanted = seen.condition() & condition(where, any_topic=True)
    found = word_scores(db, words, seen)
    rows = best_rows(db, found.scores, wanted, pool)
    meanings: dict[int, tuple[float, int]] = {}
    if vector is not None:
        from . import vectors

        number = vectors.comparable(db, vector, model)
        if number is not None:
            close = vectors.nearest(
                db, vector, number, seen, also=rows, most=2 * pool, least=least, exactly=exactly
            )
            rows = list(dict.fromkeys([*rows, *best_rows(db, close, wanted, pool)]))
            wholes = {row: close[row] for row in rows if row in close}
            meanings = vectors.meanings(db, vector, number, wholes)
    mass = sum(found.worth.values())
    around = _around(db, rows, wanted)
    return Gathered(tuple(_candidates(db, around, words, found, meanings, mass)), mass)


def _around(db: Connection, rows: Collection[int], wanted: Condition) -> list[int]:
    """These rows, and those of the same conversation close by."""
    near = db.execute(
        "SELECT DISTINCT m.memory FROM memories AS c JOIN memories AS m ON m.episode = c.episode"
        f"  AND m.position BETWEEN c.position - {AROUND} AND c.position + {AROUND}"
        "  AND m.scope = c.scope"
        f" WHERE c.memory = ANY(%s) AND c.episode IS NOT NULL AND {wanted.sql} ORDER BY 1",
        (list(rows), *wanted.values),
    )
    return list(dict.fromkeys([*rows, *(row for (row,) in near)]))


def _candidates(
    db: Connection,
    rows: Collection[int],
    words: Mapping[str, str],
    found: Found,
    meanings: Mapping[int, tuple[float, int]],
    mass: float,
) -> Iterable[Candidate]:
    described = {
        row[0]: row
        for row in db.execute(
            f"SELECT {_COLUMNS} FROM memories AS m JOIN scopes AS s ON s.scope = m.scope"
            " WHERE m.memory = ANY(%s)",
            (list(rows),),
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
