"""How the book fares: what is written and asked, how much is stale, hot, cold or undecided."""

from __future__ import annotations

from ..model import LIVE, Use
from ..ports import Where
from ..rules import heat
from ..rules.staleness import staleness
from ..value import Value
from .catch_up import with_index
from .inbox import inbox

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from ..model import Event, Memory, Retrieval
    from .engine import Engine

MOST_EVENTS, MOST_RECALLS, SAMPLE = 20_000, 10_000, 2_000
WRITTEN = ("created", "staged", "corrected", "edited", "merged", "promoted")
REPEATED = ("deduplicated", "merged")
STALE, MANY_STALE, FEW_HITS, MANY_WAITING = 0.7, 0.25, 0.5, 20
SHOWN = 8
"""How many of the hottest and of the coldest are named."""


class Vitals(Value):
    """Figures of some days, as far as the caller may see."""

    days: tuple[tuple[str, int, int], ...]
    """Each day with how many memories were written and how many questions asked."""
    hit_ratio: float | None
    """The share of questions that were answered with anything; None when none was asked."""
    repeated: float | None
    """The share of writes that said what was known already."""
    contradictions: int
    waiting: int
    stale: tuple[float, ...]
    """How stale live memories are, from 0 to 1, sorted; of a large book, the newest."""
    hot: tuple[tuple[Memory, int], ...]
    cold: tuple[Memory, ...]
    alerts: tuple[str, ...] = ()

    def stale_at(self, share: float) -> float:
        """How stale a memory is that this share of the others is fresher than."""
        return (
            self.stale[min(len(self.stale) - 1, int(share * len(self.stale)))]
            if self.stale
            else 0.0
        )


def vitals(engine: Engine, since: datetime) -> Vitals:
    """The figures since then."""
    events = engine.ledger.events(visible=engine.visible, since=since, limit=MOST_EVENTS)
    asked = engine.ledger.retrievals(visible=engine.own_log, limit=MOST_RECALLS)
    asked = [one for one in asked if one.at >= since]
    waiting = inbox(engine)
    memories = with_index(
        engine,
        lambda: engine.index.select(Where(statuses=LIVE), visible=engine.visible, limit=SAMPLE),
    )
    uses = engine.ledger.uses([memory.id for memory in memories])
    contradicted = {
        one.id for each in waiting if each.action == "contradiction" for one in each.about
    }
    now = engine.now()
    stale = sorted(
        staleness(
            one,
            uses.get(one.id, Use()),
            engine.settings.ageing,
            now,
            contradicted=one.id in contradicted,
        )
        for one in memories
    )
    by_heat = sorted(memories, key=lambda one: heat.heat(uses.get(one.id, Use()), now))
    used = [one for one in by_heat if one.id in uses]
    figures = Vitals(
        days=_days(events, asked),
        hit_ratio=sum(bool(one.results) for one in asked) / len(asked) if asked else None,
        repeated=_repeated(events),
        contradictions=sum(one.action == "contradiction" for one in waiting),
        waiting=len(waiting),
        stale=tuple(stale),
        hot=tuple((one, uses[one.id].count) for one in used[: -SHOWN - 1 : -1]),
        cold=tuple([one for one in by_heat if one.id not in uses][-SHOWN:]),
    )
    return figures.but(alerts=tuple(_alerts(figures)))


def _days(events: Sequence[Event], asked: Sequence[Retrieval]) -> tuple[tuple[str, int, int], ...]:
    counted: dict[str, list[int]] = {}
    for event in events:
        if event.action in WRITTEN:
            counted.setdefault(event.at.date().isoformat(), [0, 0])[0] += 1
    for one in asked:
        counted.setdefault(one.at.date().isoformat(), [0, 0])[1] += 1
    return tuple((day, written, asked) for day, (written, asked) in sorted(counted.items()))


def _repeated(events: Sequence[Event]) -> float | None:
    repeated = sum(event.action in REPEATED for event in events)
    new = sum(event.action in WRITTEN and event.action not in REPEATED for event in events)
    return repeated / (repeated + new) if repeated + new else None


def _alerts(figures: Vitals) -> list[str]:
    found: list[str] = []
    stale = sum(one > STALE for one in figures.stale)
    if stale > MANY_STALE * len(figures.stale):
        found.append(f"{stale} of {len(figures.stale)} memories are stale; let tidying run.")
    if figures.hit_ratio is not None and figures.hit_ratio < FEW_HITS:
        found.append(f"Only {figures.hit_ratio:.0%} of questions were answered with anything.")
    if figures.contradictions:
        found.append(f"{figures.contradictions} contradictions wait in the inbox.")
    if figures.waiting > MANY_WAITING:
        found.append(f"{figures.waiting} things wait in the inbox.")
    return found
