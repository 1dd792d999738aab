"""How the book stands now: what it holds, how stale that is, what waits, and how large it is."""

from __future__ import annotations

import os
from datetime import timedelta

from ..engine.catch_up import with_index
from ..model.errors import CommonplaceError
from ..model.memory import LIVE, Use
from ..model.scope import Scope
from ..model.value import Value
from ..ports.search_index import Where
from ..rules import alarms, lifecycle, proposals
from ..rules.audit import CONTRADICTED, REFUSED, is_repeat, is_write, reason_of, texts_of
from ..rules.lifecycle import staleness
from ..rules.ranking import reasons
from .inbox import inbox

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from ..engine.engine import Engine
    from ..model.memory import Event, Memory, Retrieval
    from ..rules.alarms import Alarm
    from .inbox import Waiting


SAMPLE, STRETCHES = 2_000, 20
"""Of a larger book so many memories are looked at, from so many places of its history."""
MOST_COUNTED = 1_000
IN_USE = Where(statuses=LIVE)


class Standing(Value):
    """Figures of this moment, as far as the caller may see."""

    by_status: tuple[tuple[str, int], ...]
    stale: tuple[float, ...]
    """How stale live memories are, from 0 to 1, sorted; of a large book a sample of every age."""
    scopes_of_one_user: int
    """How many scopes the user has who has most."""
    scopes_a_user: float
    waiting: int
    contradictions: int
    """How many contradictions wait for a decision."""
    record_bytes: int = 0
    local_bytes: int = 0
    """What the records take where they are kept, and what this machine keeps beside them: index,
    counters, logs. Told to the owner only."""
    index_behind: int = 0
    """How many changes the index had not taken up yet."""
    vectors_waiting: int = 0
    backed_up_s: float | None = None
    """When the last backup was made, since 1970: 0 if never, None where none is wanted."""

    def stale_at(self, share: float) -> float:
        """How stale a memory is that this share of the others is fresher than."""
        if not self.stale:
            return 0.0
        return self.stale[min(len(self.stale) - 1, int(share * len(self.stale)))]


def standing(engine: Engine) -> Standing:
    """How the book stands now."""
    # Before anything is read: reading is what lets the index catch up.
    behind = max(0, engine.store.revision() - engine.index.revision())
    memories = with_index(engine, lambda: sampled(engine))
    disputed = contradictions(engine)
    scopes = _scopes_by_user(engine)
    by_status = engine.index.count(Where(), visible=engine.visible, by="status")
    mine = engine.context.role == "owner"
    return Standing(
        by_status=tuple(sorted(by_status.items())),
        stale=how_stale(
            engine, memories, engine.ledger.uses([one.id for one in memories]), disputed
        ),
        scopes_of_one_user=max(scopes.values(), default=0),
        scopes_a_user=sum(scopes.values()) / len(scopes) if scopes else 0.0,
        waiting=by_status.get("staged", 0),
        contradictions=len(disputed),
        record_bytes=engine.store.size() if mine else 0,
        local_bytes=_bytes_in(engine.state) if mine else 0,
        index_behind=behind,
        vectors_waiting=_vectors_waiting(engine),
        backed_up_s=_backed_up_s(engine) if mine else None,
    )


def sampled(engine: Engine) -> list[Memory]:
    """Live memories of every age: all of a small book, evenly spread stretches of a large one."""
    counted = engine.index.count(IN_USE, visible=engine.visible, by="status")
    total = sum(counted.values())
    if total <= SAMPLE:
        return engine.index.select(IN_USE, visible=engine.visible, limit=SAMPLE)
    return [
        memory
        for stretch in range(STRETCHES)
        for memory in engine.index.select(
            IN_USE,
            visible=engine.visible,
            limit=SAMPLE // STRETCHES,
            offset=stretch * total // STRETCHES,
        )
    ]


def how_stale(
    engine: Engine,
    memories: Iterable[Memory],
    uses: Mapping[str, Use],
    disputed: Iterable[Memory],
) -> tuple[float, ...]:
    """The staleness of each memory, sorted."""
    contradicted = {id for one in disputed for id in one.derived_from}
    now = engine.now()
    return tuple(
        sorted(
            staleness(
                one,
                uses.get(one.id, Use()),
                engine.settings.ageing,
                now,
                contradicted=one.id in contradicted,
            )
            for one in memories
        )
    )


def contradictions(engine: Engine) -> list[Memory]:
    """The contradictions that wait for a decision, as they lie in the inbox."""
    where = Where(statuses=("staged",), kinds=(proposals.KIND,), tags=("contradiction",))
    return engine.index.select(where, visible=engine.visible, limit=MOST_COUNTED)


def _scopes_by_user(engine: Engine) -> dict[tuple[str | None, str], int]:
    counted: dict[tuple[str | None, str], int] = {}
    for path in engine.index.count(IN_USE, visible=engine.visible, by="scope"):
        scope = Scope.parse(path)
        if (user := scope.value("user")) is not None:
            key = (scope.value("org"), user)
            counted[key] = counted.get(key, 0) + 1
    return counted


def _vectors_waiting(engine: Engine) -> int:
    if engine.embedder is None or "vector" not in engine.index.capabilities:
        return 0
    return engine.index.waiting(engine.embedder.model)


def _backed_up_s(engine: Engine) -> float | None:
    if not engine.settings.backup.place:
        return None
    from .backup import opened

    try:
        moments = opened(engine).moments()
    except CommonplaceError:
        return 0.0  # A place that cannot be reached keeps nothing safe.
    return moments[0].at.timestamp() if moments else 0.0


def _bytes_in(folder: str) -> int:
    total = 0
    for at, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(at, name)).st_size
            except FileNotFoundError:
                continue  # Gone since it was listed: locks and drafts come and go.
    return total


# How the book fares: what is written and asked, how much is stale, hot, cold or undecided.


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
    pulled = [one for one in lately if not reasons.was_handed(one)]
    now = standing(engine)
    hot, cold = _hot_and_cold(engine, log)
    figures = Vitals(
        standing=now,
        days=_days(events, lately),
        asked=len(pulled),
        handed=len(lately) - len(pulled),
        hit_ratio=sum(map(reasons.answered, pulled)) / len(pulled) if pulled else None,
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
    took = sorted(seconds for one in lately if (seconds := reasons.took_s(one)) is not None)
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
    used.sort(key=lambda pair: lifecycle.heat(pair[1], now), reverse=True)
    never = sorted((one for one in known.values() if not uses.get(one.id, Use()).count), key=_age)
    hot = tuple((one, use.count) for one, use in used[:SHOWN])
    return hot, tuple(never[:SHOWN])


def _age(memory: Memory) -> tuple[datetime, str]:
    return memory.updated, memory.id
