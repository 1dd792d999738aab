"""Measure recall on conversations with known answers, through the public facade.

A set is a folder with `corpus.jsonl.gz`, one turn of a conversation per line, and
`queries.jsonl.gz`, questions with the ids of the turns that answer them. Every turn is saved as
a memory, and every question is recalled.
"""

from __future__ import annotations

import gzip
import json
import os
import time
import zlib
from datetime import timedelta

from ..model.codec import moment
from ..model.errors import BadInput
from ..model.value import Value
from ..rules.ranking import measures
from ..rules.ranking.measures import Query

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime
    from typing import Any, Protocol

    from ..model.memory import Recalled
    from ..model.results import Saved

    Progress = Callable[[str, int, int], object]
    """Called with the stage, the number done, and the total."""

    class Book(Protocol):
        """The part of the facade that an evaluation uses."""

        @property
        def embedder(self) -> str:
            """Name of the embedding model."""
            ...

        def save_many(self, drafts: Sequence[Mapping[str, Any]]) -> list[Saved]:
            """Save many memories."""
            ...

        def as_context(self, context: Mapping[str, Any]) -> Book:
            """The same book for another caller."""
            ...

        def recall(
            self,
            query: str,
            *,
            limit: int,
            episodes: Sequence[str] | None,
            as_of: datetime | None,
        ) -> Recalled:
            """The memories that answer best."""
            ...


DEPTH = 50
"""Memories recalled per question."""
BATCH = 256
"""Turns saved at a time."""
UNREAD = {"strong": 0.75, "weak": 0.6, "none": 0.3}
"""Likelihood that stands for a rating where the checker read nothing."""
_DAY = timedelta(days=1)
_UNREADABLE = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 127])


class EvaluationTurn(Value):
    """One turn of a conversation."""

    id: str
    conversation: str
    session: str
    position: int
    text: str
    speaker: str | None = None
    time: datetime | None = None


class Evaluation(Value):
    """Result of an evaluation: ids found, scores and times."""

    run: Mapping[str, tuple[str, ...]]
    """The set's ids found for each question, best first."""
    sureness: Mapping[str, float]
    """How sure the book was of its answer to each question."""
    scores: measures.Scores
    embedder: str
    saved: int
    saving_s: float
    p50_ms: float
    p95_ms: float


def evaluate(
    open_book: Callable[[], AbstractContextManager[Book]],
    folder: str,
    *,
    haystack: bool = False,
    limit: int = DEPTH,
    most_queries: int | None = None,
    progress: Progress = lambda stage, done, of: None,
) -> Evaluation:
    """Save a set's conversations into a new book and ask every question.

    With `haystack` a question sees only the sessions that the set names for it.
    """
    turns, queries = read_turns(folder), read_queries(folder)
    if most_queries is not None:
        queries = _spread(queries, most_queries)
    places = {name: f"conversation-{number}" for number, name in enumerate(_conversations(turns))}
    with open_book() as book:
        embedder = book.embedder
        began = time.perf_counter()
        _save(book, turns, places, progress)
        saving_s = time.perf_counter() - began
        run: dict[str, tuple[str, ...]] = {}
        sureness: dict[str, float] = {}
        took_s: list[float] = []
        for query in queries:
            asker = book.as_context({"project": places.get(query.conversation, "unheard-of")})
            began = time.perf_counter()
            recalled = _ask(asker, query, limit, haystack=haystack)
            took_s.append(time.perf_counter() - began)
            run[query.id] = tuple(hit.memory.imported_id or "" for hit in recalled)
            sureness[query.id] = _sureness(recalled)
            progress("Asking", len(took_s), len(queries))
    p50_ms, p95_ms = percentiles_ms(took_s)
    return Evaluation(
        run=run,
        sureness=sureness,
        scores=measures.score_rankings(queries, run, sureness),
        embedder=embedder,
        saved=len(turns),
        saving_s=round(saving_s, 2),
        p50_ms=p50_ms,
        p95_ms=p95_ms,
    )


def read_turns(folder: str) -> list[EvaluationTurn]:
    """Every turn of a set's conversations, numbered within its session."""
    turns: list[EvaluationTurn] = []
    spoken: dict[tuple[str, str], int] = {}
    for where, row in _rows(folder, "corpus"):
        session = (_text(row, "conversation", where), _text(row, "session", where))
        position = spoken.get(session, 0)
        spoken[session] = position + 1
        text = _text(row, "text", where).translate(_UNREADABLE)
        if not text.strip():
            continue  # An empty turn cannot be saved.
        turns.append(
            EvaluationTurn(
                _text(row, "id", where),
                *session,
                position,
                text,
                speaker=row.get("speaker") or None,
                time=_time(row, where),
            )
        )
    return turns


def read_queries(folder: str) -> list[Query]:
    """Every question of a set, with the ids of its answers."""
    return [
        Query(
            _text(row, "id", where),
            _text(row, "text", where),
            _text(row, "conversation", where),
            time=_time(row, where),
            category=row.get("category") or "",
            evidence=tuple(row.get("evidence") or ()),
            newest=tuple(row.get("newest") or ()),
            haystack=tuple(row["haystack"]) if row.get("haystack") is not None else None,
        )
        for where, row in _rows(folder, "queries")
    ]


def percentiles_ms(took_s: Sequence[float]) -> tuple[float, float]:
    """Median and 95th percentile in milliseconds."""
    if not took_s:
        return 0.0, 0.0
    ordered = sorted(took_s)
    middle, late = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.95)]
    return round(middle * 1e3, 2), round(late * 1e3, 2)


def _save(
    book: Book, turns: Sequence[EvaluationTurn], places: Mapping[str, str], progress: Progress
) -> None:
    for start in range(0, len(turns), BATCH):
        batch = turns[start : start + BATCH]
        book.save_many([_draft(turn, places[turn.conversation]) for turn in batch])
        progress("Saving", start + len(batch), len(turns))


def _draft(turn: EvaluationTurn, place: str) -> dict[str, Any]:
    return {
        "content": turn.text,
        "scope": {"project": place},
        "created": turn.time,
        "speaker": turn.speaker,
        "episode": turn.session,
        "position": turn.position,
        "imported_id": turn.id,
    }


def _ask(book: Book, query: Query, limit: int, *, haystack: bool) -> Recalled:
    return book.recall(
        query.text,
        limit=limit,
        episodes=query.haystack if haystack else None,
        as_of=_end_of_day(query.time),
    )


def _sureness(recalled: Recalled) -> float:
    """The likelihood, or what stands for the word where nothing was read."""
    return recalled.sureness if recalled.sureness is not None else UNREAD[recalled.sure]


def _conversations(turns: Sequence[EvaluationTurn]) -> list[str]:
    return list(dict.fromkeys(turn.conversation for turn in turns))


def _end_of_day(asked: datetime | None) -> datetime | None:
    """The end of a question's day, because sets give no hour and the answer may come later."""
    if asked is None:
        return None
    midnight = asked.replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight + _DAY - timedelta(milliseconds=1)


def _spread(queries: Sequence[Query], most: int) -> list[Query]:
    """Evenly spread questions, because the categories of a set come in blocks."""
    step = max(1.0, len(queries) / max(1, most))
    return [queries[int(number * step)] for number in range(min(most, len(queries)))]


def _rows(folder: str, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each row of a file, with its position for error messages."""
    path = os.path.join(folder, f"{name}.jsonl.gz")
    number = 0
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                row: Any = json.loads(line)
                if not isinstance(row, dict):
                    raise ValueError("not an object")
                yield f"line {number} of {path}", row
    except FileNotFoundError as error:
        raise BadInput(
            f"{path} does not exist.", hint="Name a folder with corpus and queries as .jsonl.gz."
        ) from error
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise BadInput(
            f"{path} cannot be read from line {max(1, number)} on.",
            hint="Use gzip, with one JSON object per line.",
        ) from error


def _text(row: Mapping[str, Any], name: str, where: str) -> str:
    value = row.get(name)
    if not isinstance(value, str):
        raise BadInput(f"There is no {name!r} in {where}.", hint="Add it as a text.")
    return value


def _time(row: Mapping[str, Any], where: str) -> datetime | None:
    given = row.get("time")
    try:
        return moment(given) if given else None
    except (ValueError, TypeError) as error:
        raise BadInput(
            f"{given!r} is not a time, in {where}.", hint="Write it like 2026-11-15T09:00:00."
        ) from error
