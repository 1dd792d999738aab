"""How the book fares: what is written and asked, how much is stale, hot, cold or undecided."""

from __future__ import annotations

from datetime import timedelta

from ...model import LIVE, Use
from ...rules import alarms, asked
from ...rules.actions import CONTRADICTED, REFUSED, is_repeat, is_write, reason_of, texts_of
from ...rules.ageing import heat
from ...value import Value
from ..catch_up import with_index
from ..inbox import inbox
from .standing import sampled, standing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from ...model import Event, Memory, Retrieval
    from ...rules.alarms import Alarm
    from ..engine import Engine
    from ..inbox import Waiting
    from .standing import Standing

MOST_EVENTS, MOST_RECALLS, MOST_WAITING = 20_000, 10_000, 200
TWICE = ("merge", "supersede")
"""Proposals that say that two memories are one."""
SHOWN = 8
"""How many of the hottest and of the coldest are named."""
DAY, BUSY = timedelta(days=1), timedelta(minutes=5)


class Vitals(Value):
    """Figures of some days, as far as the caller may see."""

    standing: Standing
    days: tuple[tuple[str, int, int, int], ...]
    """Each day with how many memories were written, questions asked, and writes refused."""
    asked: int
    """How many questions somebody asked, and for how many prompts something was looked up."""
    handed: int
    hit_ratio: float | None
    """The share of questions that the book knew something about; None when none was asked."""
    recall_p95_s: float | None
    """How long the slowest of twenty took."""
    repeated: float | None
    """The share of writes that said what was known already."""
    refused: tuple[tuple[str, int], ...]
    """How many writes were refused for which reason, the most frequent first."""
    duplicates: tuple[Waiting, ...]
    """Memories that seem to say the same, waiting for a decision."""
    hot: tuple[tuple[Memory, int], ...]
    cold: tuple[Memory, ...]
    alarms: tuple[tuple[Alarm, float], ...] = ()
    """What is past its limit, with the figure."""

    @property
    def blocked(self) -> int:
        """How many writes were refused, whatever for."""
        return sum(count for _, count in self.refused)


def vitals(engine: Engine, since: datetime) -> Vitals:
    """The figures since then."""
    events = engine.ledger.events(visible=engine.visible, since=since, limit=MOST_EVENTS)
    log = engine.ledger.retrievals(visible=engine.own_log, limit=MOST_RECALLS)
    lately = [one for one in log if one.at >= since]
    pulled = [one for one in lately if not asked.was_handed(one)]
    now = standing(engine)
    hot, cold = _hot_and_cold(engine, log)
    figures = Vitals(
        standing=now,
        days=_days(events, lately),
        asked=len(pulled),
        handed=len(lately) - len(pulled),
        hit_ratio=sum(map(asked.answered, pulled)) / len(pulled) if pulled else None,
        recall_p95_s=_slowest(lately),
        repeated=repeated_share(events),
        refused=_refused(events),
        duplicates=tuple(one for one in inbox(engine, limit=MOST_WAITING) if one.action in TWICE),
        hot=hot,
        cold=cold,
    )
    return figures.but(alarms=tuple(alarms.ringing(_figures(engine, figures, events))))


def repeated_share(events: Sequence[Event]) -> float | None:
    """The share of writes that were known already."""
    repeats = sum(map(is_repeat, events))
    new = sum(is_write(event) and not is_repeat(event) for event in events)
    return repeats / (repeats + new) if repeats + new else None


def _figures(engine: Engine, found: Vitals, events: Sequence[Event]) -> dict[str, float | None]:
    """What the alarms look at."""
    yesterday = engine.now() - DAY
    today = [event for event in events if event.at >= yesterday]
    blocked = sum(texts_of(one) for one in _of(today, REFUSED) if reason_of(one) in alarms.BLOCKING)
    writes = [event for event in events if is_write(event)]
    return {
        "writes_a_minute": _busiest(event for event in today if is_write(event)),
        "hit_ratio": found.hit_ratio if found.asked >= alarms.ENOUGH else None,
        "repeated": found.repeated if len(writes) >= alarms.ENOUGH else None,
        "contradictions_a_day": sum(max(1, len(one.related)) for one in _of(today, CONTRADICTED)),
        "recall_p95_s": found.recall_p95_s,
        "stale_median": found.standing.stale_at(0.5),
        "scopes_of_one_user": found.standing.scopes_of_one_user,
        "blocked_a_day": blocked,
        "waiting": found.standing.waiting,
        "backup_age_s": _age_s(engine, found.standing.backed_up_s),
    }


def _age_s(engine: Engine, at_s: float | None) -> float | None:
    return None if at_s is None else engine.now().timestamp() - at_s


def _slowest(lately: Sequence[Retrieval]) -> float | None:
    took = sorted(seconds for one in lately if (seconds := asked.took_s(one)) is not None)
    return took[int(0.95 * len(took))] if took else None


def _of(events: Iterable[Event], action: str) -> list[Event]:
    return [event for event in events if event.action == action]


def _busiest(writes: Iterable[Event]) -> float:
    """Writes a minute in the busiest few minutes."""
    times = sorted(event.at for event in writes)
    most = first = 0
    for last, at in enumerate(times):
        while at - times[first] > BUSY:
            first += 1
        most = max(most, last - first + 1)
    return most * 60 / BUSY.total_seconds()


def _days(
    events: Sequence[Event], questions: Sequence[Retrieval]
) -> tuple[tuple[str, int, int, int], ...]:
    counted: dict[str, list[int]] = {}

    def count(at: datetime, place: int, by: int = 1) -> None:
        counted.setdefault(at.date().isoformat(), [0, 0, 0])[place] += by

    for event in events:
        if is_write(event):
            count(event.at, 0)
        elif event.action == REFUSED:
            count(event.at, 2, texts_of(event))
    for one in questions:
        count(one.at, 1)
    return tuple((day, of[0], of[1], of[2]) for day, of in sorted(counted.items()))


def _refused(events: Sequence[Event]) -> tuple[tuple[str, int], ...]:
    counted: dict[str, int] = {}
    for event in _of(events, REFUSED):
        reason = reason_of(event)
        counted[reason] = counted.get(reason, 0) + texts_of(event)
    return tuple(sorted(counted.items(), key=lambda pair: (-pair[1], pair[0])))


def _hot_and_cold(
    engine: Engine, log: Sequence[Retrieval]
) -> tuple[tuple[tuple[Memory, int], ...], tuple[Memory, ...]]:
    """The memories of use and those that never were, oldest first.

    In a book too large to look at whole, the log of questions knows the hot ones.
    """
    known = {one.id: one for one in with_index(engine, lambda: sampled(engine))}
    asked_for = {id for one in log for id, _ in one.results} - known.keys()
    known |= {
        id: one
        for id, one in engine.store.read(asked_for, visible=engine.visible).items()
        if one.status in LIVE
    }
    uses = engine.ledger.uses(known)
    now = engine.now()
    used = [(one, uses[one.id]) for one in known.values() if uses.get(one.id, Use()).count]
    used.sort(key=lambda pair: heat.heat(pair[1], now), reverse=True)
    never = sorted((one for one in known.values() if not uses.get(one.id, Use()).count), key=_age)
    hot = tuple((one, use.count) for one, use in used[:SHOWN])
    return hot, tuple(never[:SHOWN])


def _age(memory: Memory) -> tuple[datetime, str]:
    return memory.updated, memory.id
