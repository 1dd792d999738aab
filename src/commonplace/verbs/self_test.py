"""Self-test of recall: questions about the book's own memories, and about things it lacks.

The sample is chosen by id, so that the next test asks about the same memories and a change in
the numbers is a change in the book. Only numbers are stored, never a text.
"""

from __future__ import annotations

import json
import os
import time
import zlib
from collections import Counter
from heapq import nsmallest

from ..engine.catch_up import with_index
from ..engine.search import RecallRequest
from ..model.codec import iso
from ..model.identity import normalized
from ..model.memory import LIVE, TIERS
from ..model.value import Value
from ..ports.search_index import Where
from ..rules.ranking import measures
from .evaluate import percentiles_ms
from .recall import recall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime
    from typing import Any

    from ..engine.engine import Engine
    from ..model.memory import Memory, Recalled
    from ..model.scope import Tenant

MOST_ASKED, MOST_STRANGERS = 200, 50
MOST_READ = 5_000
"""Memories read to find rare words."""
PAGE = 500
PLACES = 10
WORST = 10
TREND = 60
"""Earlier tests stored for comparison."""
TREND_FILE = "eval.jsonl"
SURE = ("strong", "weak", "none")


class SelfTestHit(Value):
    """One memory that was asked about, and its place in the answer."""

    id: str
    name: str
    question: str
    place: int | None
    """None if it was not among the first ten."""
    sure: str


class SelfTestCheck(Value):
    """The numbers of one self-test."""

    at: datetime
    memories: int
    """Memories that the caller can recall."""
    asked: int
    first: float
    """Share of memories found in first place."""
    top10: float
    """Share of memories found among the first ten."""
    sure: Mapping[str, int]
    """Number of answers by sureness, for its own memories."""
    strangers: Mapping[str, int]
    """The same for unknown things, where `none` is right and `strong` is wrong."""
    strong_right: float | None
    """Share of strong answers that held the memory asked about."""
    p50_ms: float
    p95_ms: float


class OwnEvaluation(Value):
    """Result of a self-test, with earlier ones."""

    checked: SelfTestCheck
    worst: tuple[SelfTestHit, ...]
    trend: tuple[Mapping[str, Any], ...]
    """Earlier tests and this one, oldest first, as they are stored."""
    kept: bool
    """False if this test could not be stored."""


def evaluate_own(
    engine: Engine, *, progress: Callable[[int, int], object] = lambda done, of: None
) -> OwnEvaluation:
    """Ask about up to 200 memories and 50 unknown things; nothing counts as a use."""
    count, sample = with_index(engine, lambda: _sample(engine))
    texts = [memory.content for memory in sample]
    frequency = measures.word_frequencies(texts)
    questions = [
        (memory, question)
        for memory in sample[:MOST_ASKED]
        if (question := measures.question_about(memory.content, frequency, memory.id))
    ]
    unknown = measures.unanswerable_questions(
        texts, frequency, MOST_STRANGERS, engine.store.store_id
    )
    ask = _Asker(engine, len(questions) + len(unknown), progress)
    sought = [_self_test_hit(memory, question, ask(question)) for memory, question in questions]
    strangers = Counter(ask(question).sure for question in unknown)
    checked = _checked(engine.now(), count, sought, strangers, ask.took_s)
    path = os.path.join(engine.state, TREND_FILE)
    scope = str(engine.context.scope)
    earlier = [line for line in _read_trend(path) if line.get("scope") == scope]
    trend = [*earlier, {**_line(checked), "scope": scope}]
    return OwnEvaluation(
        checked, _worst(sought), tuple(trend[-TREND:]), _append_line(path, trend[-1])
    )


class _Asker:
    """Recalls without a log entry or a use, and measures the time."""

    def __init__(self, engine: Engine, total: int, progress: Callable[[int, int], object]) -> None:
        self._engine = engine.but(untracked=True)
        self._total = total
        self._progress = progress
        self.took_s: list[float] = []

    def __call__(self, question: str) -> Recalled:
        began = time.perf_counter()
        recalled = recall(self._engine, RecallRequest(question, limit=PLACES))
        self.took_s.append(time.perf_counter() - began)
        self._progress(len(self.took_s), self._total)
        return recalled


def _sample(engine: Engine) -> tuple[int, list[Memory]]:
    """The number of recallable memories, and a stable sample of them."""
    seen = 0

    def counted() -> Iterator[Memory]:
        nonlocal seen
        for memory in _recallable(engine):
            seen += 1
            yield memory

    sample = nsmallest(MOST_READ, counted(), key=_sample_order)
    return seen, sample


def _sample_order(memory: Memory) -> tuple[int, str]:
    return zlib.crc32(memory.id.encode()), memory.id


def _recallable(engine: Engine) -> Iterator[Memory]:
    searched = tuple(tier for tier in TIERS if tier != "archive")
    where = Where(statuses=LIVE, tiers=searched, valid_at=engine.now())
    offset = 0
    while page := engine.index.select(
        where, visible=engine.visible, order="oldest", limit=PAGE, offset=offset
    ):
        yield from page
        offset += PAGE


def _self_test_hit(memory: Memory, question: str, recalled: Recalled) -> SelfTestHit:
    # Recall returns one of two memories with the same text; either is right.
    text = normalized(memory.content)
    places = (
        place
        for place, hit in enumerate(recalled, 1)
        if hit.memory.id == memory.id or normalized(hit.memory.content) == text
    )
    return SelfTestHit(memory.id, memory.slug, question, next(places, None), recalled.sure)


def _checked(
    at: datetime,
    memories: int,
    sought: Sequence[SelfTestHit],
    strangers: Mapping[str, int],
    took_s: Sequence[float],
) -> SelfTestCheck:
    asked = len(sought)
    strong = [one for one in sought if one.sure == "strong"]
    called_strong = len(strong) + strangers.get("strong", 0)
    p50_ms, p95_ms = percentiles_ms(took_s)
    return SelfTestCheck(
        at=at,
        memories=memories,
        asked=asked,
        first=_share(sum(one.place == 1 for one in sought), asked) or 0.0,
        top10=_share(sum(one.place is not None for one in sought), asked) or 0.0,
        sure=_counts(Counter(one.sure for one in sought)),
        strangers=_counts(strangers),
        strong_right=_share(sum(one.place is not None for one in strong), called_strong),
        p50_ms=p50_ms,
        p95_ms=p95_ms,
    )


def _share(some: int, of: int) -> float | None:
    return round(some / of, 4) if of else None


def _counts(found: Mapping[str, int]) -> dict[str, int]:
    return {name: found.get(name, 0) for name in SURE}


def _worst(sought: Sequence[SelfTestHit]) -> tuple[SelfTestHit, ...]:
    """Memories not found, then those found late."""
    late = [one for one in sought if one.place != 1]
    return tuple(sorted(late, key=lambda one: (-(one.place or PLACES + 1), one.id))[:WORST])


def _line(checked: SelfTestCheck) -> dict[str, Any]:
    return {**checked.__dict__, "at": iso(checked.at)}


def _read_trend(path: str) -> list[dict[str, Any]]:
    """The stored tests; a line cut short by a crash is skipped."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.readlines()
    except OSError:
        return []
    return [row for line in lines[-TREND:] if (row := _parsed(line))]


def forget_trend(engine: Engine, tenant: Tenant) -> None:
    """Remove a tenant's stored tests from this device."""
    path = os.path.join(engine.state, TREND_FILE)
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.readlines()
    except OSError:
        return
    kept = [line for line in lines if not tenant.has(str((_parsed(line) or {}).get("scope")))]
    if kept != lines:
        with open(f"{path}.new", "w", encoding="utf-8") as file:
            file.writelines(kept)
        os.replace(f"{path}.new", path)


def _parsed(line: str) -> dict[str, Any] | None:
    try:
        row: Any = json.loads(line)
        return {**row, "at": str(row["at"]), "first": float(row["first"])}
    except (ValueError, KeyError, TypeError):
        return None


def _append_line(path: str, line: Mapping[str, Any]) -> bool:
    try:
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
    except OSError:
        return False  # The result is still returned; only the trend lacks it.
    return True
