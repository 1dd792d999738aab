"""Figures on the health of the book: its present state, and what happened in a period."""

from __future__ import annotations

import os
from datetime import timedelta

from ..engine.catch_up import with_index
from ..model.errors import CommonplaceError
from ..model.memory import LIVE, Use
from ..model.scope import Scope
from ..model.value import Value
from ..notes.display import own_time
from ..ports.search_index import Where
from ..rules import alarms, lifecycle, proposals
from ..rules.audit import (
    CONTRADICTED,
    REFUSED,
    is_imported,
    is_repeat,
    is_write,
    refusal_reason_of,
    refused_count,
)
from ..rules.lifecycle import staleness
from ..rules.ranking.retrieval_details import duration_s, was_answered, was_for_prompt
from .inbox import inbox
from .inbox_count import count_waiting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from ..engine.engine import Engine
    from ..model.memory import Event, Memory, Retrieval
    from ..rules.alarms import Alarm
    from .inbox import InboxEntry


SAMPLE, STRETCHES = 2_000, 20
"""Size of the sample of a large book, and the number of evenly spread ranges it is read from."""
MOST_COUNTED = 1_000
DAY, BUSY = timedelta(days=1), timedelta(minutes=5)
IN_USE = Where(statuses=LIVE)


class BookFigures(Value):
    """Figures on the present state, within what the caller may see."""

    by_status: tuple[tuple[str, int], ...]
    stale: tuple[float, ...]
    """Staleness of live memories, 0 to 1, sorted; a sample of every age in a large book."""
    scopes_of_one_user: int
    """Scopes of the user who has most."""
    scopes_a_user: float
    waiting: int
    overdue: int
    """Entries of the inbox older than a day; nobody can have decided yet what came today."""
    contradictions: int
    """Contradictions in the inbox."""
    record_bytes: int = 0
    local_bytes: int = 0
    """Size of the records, and of this machine's index, counters and logs; 0 for others than the
    owner."""
    index_behind: int = 0
    """Changes that the index had not read yet."""
    vectors_waiting: int = 0
    backed_up_s: float | None = None
    """Unix time of the last backup: 0 if never, None if no backups are configured."""

    def stale_at(self, share: float) -> float:
        """Quantile of the staleness: this share of the memories is fresher."""
        if not self.stale:
            return 0.0
        return self.stale[min(len(self.stale) - 1, int(share * len(self.stale)))]


def book_figures(engine: Engine) -> BookFigures:
    """Measure the present state of the book."""
    # Measured first, because reading lets the index catch up.
    behind = max(0, engine.store.revision() - engine.index.revision())
    memories = with_index(engine, lambda: sample_memories(engine))
    disputed = contradictions(engine)
    scopes = _scopes_by_user(engine)
    by_status = engine.index.count(Where(), visible=engine.visible, by="status")
    waiting = count_waiting(engine, engine.visible)
    mine = engine.context.role == "owner"
    return BookFigures(
        by_status=tuple(sorted(by_status.items())),
        stale=staleness_values(
            engine, memories, engine.ledger.uses([one.id for one in memories]), disputed
        ),
        scopes_of_one_user=max(scopes.values(), default=0),
        scopes_a_user=sum(scopes.values()) / len(scopes) if scopes else 0.0,
        waiting=waiting,
        overdue=waiting - count_waiting(engine, engine.visible, engine.now() - DAY),
        contradictions=len(disputed),
        record_bytes=engine.store.size() if mine else 0,
        local_bytes=_folder_bytes(engine.state) if mine else 0,
        index_behind=behind,
        vectors_waiting=_vectors_waiting(engine),
        backed_up_s=_backed_up_s(engine) if mine else None,
    )


def sample_memories(engine: Engine) -> list[Memory]:
    """Live memories of every age: all of a small book, evenly spread ranges of a large one."""
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


def staleness_values(
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
    """Proposals in the inbox that report a contradiction."""
    where = Where(statuses=("staged",), kinds=(proposals.PROPOSAL_KIND,), tags=("contradiction",))
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
    from .backup import open_backups

    try:
        moments = open_backups(engine).snapshots()
    except CommonplaceError:
        return 0.0  # Backups that cannot be reached count as none.
    return moments[0].at.timestamp() if moments else 0.0


def _folder_bytes(folder: str) -> int:
    total = 0
    for at, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(at, name)).st_size
            except FileNotFoundError:
                continue  # Locks and drafts may be gone since they were listed.
    return total


MOST_EVENTS, MOST_RECALLS, MOST_WAITING = 20_000, 10_000, 200
DUPLICATE_ACTIONS = ("merge", "supersede")
"""Proposals that say that two memories are the same."""
SHOWN = 8
"""Most used and never used memories shown."""


class PeriodFigures(Value):
    """Figures on a period, within what the caller may see."""

    standing: BookFigures
    days: tuple[tuple[str, int, int, int], ...]
    """Each day with its numbers of writes, questions and refused writes."""
    asked: int
    """Questions asked, and prompts that memories were looked up for."""
    handed: int
    hit_ratio: float | None
    """Share of questions with an answer; None without questions."""
    recall_p95_s: float | None
    """95th percentile of the time of a recall."""
    repeated: float | None
    """Share of writes that repeated known memories."""
    refused: tuple[tuple[str, int], ...]
    """Number of refused writes per reason, the most frequent first."""
    duplicates: tuple[InboxEntry, ...]
    """Possible duplicates in the inbox."""
    hot: tuple[tuple[Memory, int], ...]
    cold: tuple[Memory, ...]
    alarms: tuple[tuple[Alarm, float], ...] = ()
    """Figures past their limits."""

    @property
    def blocked(self) -> int:
        """Number of refused writes."""
        return sum(count for _, count in self.refused)


def period_figures(engine: Engine, since: datetime) -> PeriodFigures:
    """Measure the period since a moment."""
    events = engine.ledger.events(visible=engine.visible, since=since, limit=MOST_EVENTS)
    log = engine.ledger.retrievals(visible=engine.own_log, limit=MOST_RECALLS)
    lately = [one for one in log if one.at >= since]
    pulled = [one for one in lately if not was_for_prompt(one)]
    now = book_figures(engine)
    hot, cold = _hot_and_cold(engine, log)
    figures = PeriodFigures(
        standing=now,
        days=_days(events, lately),
        asked=len(pulled),
        handed=len(lately) - len(pulled),
        hit_ratio=sum(map(was_answered, pulled)) / len(pulled) if pulled else None,
        recall_p95_s=_slowest_s(lately),
        repeated=repeated_share(events),
        refused=_refused(events),
        duplicates=tuple(
            one for one in inbox(engine, limit=MOST_WAITING) if one.action in DUPLICATE_ACTIONS
        ),
        hot=hot,
        cold=cold,
    )
    return figures.but(alarms=tuple(alarms.ringing_alarms(_alarm_figures(engine, figures, events))))


def repeated_share(events: Sequence[Event]) -> float | None:
    """Share of writes that repeated known memories; None without writes."""
    repeats = sum(map(is_repeat, events))
    new = sum(is_write(event) and not is_repeat(event) for event in events)
    return repeats / (repeats + new) if repeats + new else None


def _alarm_figures(
    engine: Engine, found: PeriodFigures, events: Sequence[Event]
) -> dict[str, float | None]:
    """The figures that alarms compare with their limits.

    An import brings at once what others write in months, so it counts for none of them.
    """
    yesterday = engine.now() - DAY
    imported = {id for one in events if is_imported(one) for id in (one.memory, *one.related)}
    events = [event for event in events if not is_imported(event)]
    today = [event for event in events if event.at >= yesterday]
    blocked = sum(
        refused_count(one)
        for one in _with_action(today, REFUSED)
        if refusal_reason_of(one) in alarms.BLOCKING
    )
    writes = [event for event in events if is_write(event)]
    timed = found.asked + found.handed
    return {
        "writes_a_minute": _busiest(event for event in today if is_write(event)),
        "hit_ratio": found.hit_ratio if found.asked >= alarms.ENOUGH else None,
        "repeated": repeated_share(events) if len(writes) >= alarms.ENOUGH else None,
        "contradictions_a_day": sum(
            max(1, len(one.related))
            for one in _with_action(today, CONTRADICTED)
            if imported.isdisjoint((one.memory, *one.related))
        ),
        "recall_p95_s": found.recall_p95_s if timed >= alarms.ENOUGH else None,
        "stale_median": found.standing.stale_at(0.5),
        "scopes_of_one_user": found.standing.scopes_of_one_user,
        "blocked_a_day": blocked,
        "overdue": found.standing.overdue,
        "backup_age_s": _age_s(engine, found.standing.backed_up_s),
    }


def _age_s(engine: Engine, at_s: float | None) -> float | None:
    return None if at_s is None else engine.now().timestamp() - at_s


def _slowest_s(lately: Sequence[Retrieval]) -> float | None:
    took = sorted(seconds for one in lately if (seconds := duration_s(one)) is not None)
    return took[int(0.95 * len(took))] if took else None


def _with_action(events: Iterable[Event], action: str) -> list[Event]:
    return [event for event in events if event.action == action]


def _busiest(writes: Iterable[Event]) -> float:
    """Writes per minute in the busiest five minutes."""
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
            count(event.at, 2, refused_count(event))
    for one in questions:
        count(one.at, 1)
    return tuple((day, of[0], of[1], of[2]) for day, of in sorted(counted.items()))


def _refused(events: Sequence[Event]) -> tuple[tuple[str, int], ...]:
    counted: dict[str, int] = {}
    for event in _with_action(events, REFUSED):
        reason = refusal_reason_of(event)
        counted[reason] = counted.get(reason, 0) + refused_count(event)
    return tuple(sorted(counted.items(), key=lambda pair: (-pair[1], pair[0])))


def _hot_and_cold(
    engine: Engine, log: Sequence[Retrieval]
) -> tuple[tuple[tuple[Memory, int], ...], tuple[Memory, ...]]:
    """The most used memories, and the oldest ones never used.

    In a large book, the retrieval log adds used memories that the sample lacks.
    """
    known = {one.id: one for one in with_index(engine, lambda: sample_memories(engine))}
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
    return own_time(memory), memory.id
