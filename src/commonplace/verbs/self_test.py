"""Ask the book about itself: does each memory come back, and does it know what it does not know?

The memories asked about are chosen by their ids, so that the next check asks about the same ones
and a change in the numbers is a change in the book. Only numbers are kept, never a text.
"""

from __future__ import annotations

import json
import os
import time
import zlib
from collections import Counter
from heapq import nsmallest

from ..engine.catch_up import with_index
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
    from ..ports.ledger import Ledger

MOST_ASKED, MOST_STRANGERS = 200, 50
MOST_READ = 5_000
"""Memories that say which words are rare."""
PAGE = 500
PLACES = 10
WORST = 10
TREND = 60
"""How many earlier checks are remembered for comparison."""
FILE = "eval.jsonl"
SURE = ("strong", "weak", "none")


class Sought(Value):
    """One memory that was asked about: with which words, and where it came back."""

    id: str
    name: str
    question: str
    place: int | None
    """None when it was not among the first ten."""
    sure: str


class SelfTestCheck(Value):
    """One check, in numbers."""

    at: datetime
    memories: int
    """How many the caller can recall."""
    asked: int
    first: float
    """The share of memories that came back first …"""
    top10: float
    """… and among the first ten."""
    sure: Mapping[str, int]
    """How sure the book was of its own memories."""
    strangers: Mapping[str, int]
    """How sure it was of what it does not know: `none` is right, `strong` is wrong."""
    strong_right: float | None
    """Of all answers called strong, the share that held the memory asked about."""
    p50_ms: float
    p95_ms: float


class OwnEvaluation(Value):
    """How well the book knows itself, now and before."""

    checked: SelfTestCheck
    worst: tuple[Sought, ...]
    trend: tuple[Mapping[str, Any], ...]
    """Earlier checks and this one, oldest first, as they were written down."""
    kept: bool
    """False when this check could not be written down."""


def evaluate_own(
    engine: Engine, *, progress: Callable[[int, int], object] = lambda done, of: None
) -> OwnEvaluation:
    """Ask about a couple of hundred memories and some strangers; nothing counts as a use."""
    count, sample = with_index(engine, lambda: _sample(engine))
    texts = [memory.content for memory in sample]
    frequency = measures.frequencies(texts)
    questions = [
        (memory, question)
        for memory in sample[:MOST_ASKED]
        if (question := measures.about(memory.content, frequency, memory.id))
    ]
    unknown = measures.strangers(texts, frequency, MOST_STRANGERS, engine.store.store_id)
    ask = _Asker(engine, len(questions) + len(unknown), progress)
    sought = [_sought(memory, question, ask(question)) for memory, question in questions]
    strangers = Counter(ask(question).sure for question in unknown)
    checked = _checked(engine.now(), count, sought, strangers, ask.took_s)
    path = os.path.join(engine.state, FILE)
    scope = str(engine.context.scope)
    earlier = [line for line in _read(path) if line.get("scope") == scope]
    trend = [*earlier, {**_line(checked), "scope": scope}]
    return OwnEvaluation(checked, _worst(sought), tuple(trend[-TREND:]), _keep(path, trend[-1]))


class _Asker:
    """Recalls as the caller would, leaving no trace: a check must not make memories look used."""

    def __init__(self, engine: Engine, total: int, progress: Callable[[int, int], object]) -> None:
        self._engine = engine.but(ledger=_discreet(engine.ledger))
        self._total = total
        self._progress = progress
        self.took_s: list[float] = []

    def __call__(self, question: str) -> Recalled:
        began = time.perf_counter()
        recalled = recall(self._engine, question, where=Where(statuses=LIVE), limit=PLACES)
        self.took_s.append(time.perf_counter() - began)
        self._progress(len(self.took_s), self._total)
        return recalled


class _Discreet:
    """A ledger that does not write down what is asked."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ledger, name)

    def log(self, retrieval: object) -> None:
        """Let it pass."""

    def count_use(self, ids: object, *, at: datetime) -> None:
        """Let it pass."""


def _discreet(ledger: Ledger) -> Ledger:
    silent: Any = _Discreet(ledger)
    return silent


def _sample(engine: Engine) -> tuple[int, list[Memory]]:
    """How many memories can be recalled, and a few thousand of them that stay the same ones."""
    seen = 0

    def counted() -> Iterator[Memory]:
        nonlocal seen
        for memory in _recallable(engine):
            seen += 1
            yield memory

    sample = nsmallest(MOST_READ, counted(), key=_lot)
    return seen, sample


def _lot(memory: Memory) -> tuple[int, str]:
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


def _sought(memory: Memory, question: str, recalled: Recalled) -> Sought:
    # Of two memories with the same text recall returns one, and either is the right answer.
    text = normalized(memory.content)
    places = (
        place
        for place, hit in enumerate(recalled, 1)
        if hit.memory.id == memory.id or normalized(hit.memory.content) == text
    )
    return Sought(memory.id, memory.slug, question, next(places, None), recalled.sure)


def _checked(
    at: datetime,
    memories: int,
    sought: Sequence[Sought],
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


def _worst(sought: Sequence[Sought]) -> tuple[Sought, ...]:
    """Those that did not come back, then those that came late."""
    late = [one for one in sought if one.place != 1]
    return tuple(sorted(late, key=lambda one: (-(one.place or PLACES + 1), one.id))[:WORST])


def _line(checked: SelfTestCheck) -> dict[str, Any]:
    return {**checked.__dict__, "at": iso(checked.at)}


def _read(path: str) -> list[dict[str, Any]]:
    """The checks written down so far; a line that a crash cut short is passed over."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.readlines()
    except OSError:
        return []
    return [row for line in lines[-TREND:] if (row := _parsed(line))]


def forget_trend(engine: Engine, tenant: Tenant) -> None:
    """Remove what a tenant's own checks left on this device."""
    path = os.path.join(engine.state, FILE)
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


def _keep(path: str, line: Mapping[str, Any]) -> bool:
    try:
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
    except OSError:
        return False  # The numbers are told all the same; only the trend misses a point.
    return True
