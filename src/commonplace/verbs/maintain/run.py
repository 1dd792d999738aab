"""One run of tidying: plan everything, then carry the plan out."""

from __future__ import annotations

from datetime import timedelta

from ...engine.catch_up import catch_up
from ...engine.commit import commit, contradicted, event
from ...model.errors import Busy, Conflict
from ...model.memory import Problem
from ...model.scope import EVERYTHING
from ...ports.search_index import Where
from ..sync import mend
from . import lifecycle, reflect, relations
from .plan import Maintained, MaintenancePlan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ...engine.engine import Engine
    from ...model.memory import Event, Memory
    from ...ports.record_store import Put
    from .plan import MaintenanceChange, Planned

    Step = Callable[[MaintenancePlan], None]


CONTRADICTIONS = "contradictions"
"""The step that looks for them."""
MOST_TOGETHER = 50
"""How many records are written in one turn, so that others do not wait for long."""


def apply(
    engine: Engine, planned: Sequence[Planned], progress: Callable[[str, int, int], object]
) -> list[MaintenanceChange]:
    """Write everything that was planned; says what was passed over because it had changed."""
    passed_over: list[MaintenanceChange] = []
    done = 0
    for turn in _turns(planned):
        progress(turn[0].change.step, done, len(planned))
        passed_over += _write(engine, turn)
        done += len(turn)
    return passed_over


def _turns(planned: Sequence[Planned]) -> Iterator[list[Planned]]:
    """Changes of one step that concern different memories are written together."""
    turn: list[Planned] = []
    touched: set[str] = set()
    for one in planned:
        ids = {write.put.memory.id for write in one.writes}
        full = len(touched) + len(ids) > MOST_TOGETHER
        if turn and (full or ids & touched or one.change.step != turn[0].change.step):
            yield turn
            turn, touched = [], set()
        turn.append(one)
        touched |= ids
    if turn:
        yield turn


def _write(engine: Engine, turn: Sequence[Planned]) -> list[MaintenanceChange]:
    with engine.store.lease() as lease:
        ids = [write.put.memory.id for one in turn for write in one.writes]
        current = engine.store.read(ids, visible=EVERYTHING)
        fresh = [one for one in turn if all(_as_planned(w.put, current) for w in one.writes)]
        writes = [write for one in fresh for write in one.writes]
        found = list(_contradictions(engine, fresh))  # First: what is done about them is newer.
        events = [
            event(
                engine,
                write.action,
                write.put.memory,
                before=write.put.expect,
                related=write.related,
                automatic=True,
            )
            for write in writes
        ]
        try:
            if writes:
                puts = [write.put for write in writes]
                commit(engine, lease, puts, [*found, *events])
        except Conflict:
            # Somebody's editor was faster than the check above.
            return [one.change for one in turn]
    return [one.change for one in turn if one not in fresh]


def _as_planned(put: Put, current: dict[str, Memory]) -> bool:
    return current.get(put.memory.id) == put.expect


def _contradictions(engine: Engine, planned: Sequence[Planned]) -> Iterator[Event]:
    """What was found to contradict each other, beside what is done about it."""
    for one in planned:
        if one.change.step == CONTRADICTIONS:
            first, *others = one.change.memories
            written = {write.put.memory.id: write.put.memory for write in one.writes}
            yield contradicted(engine, written[first], others)


# One run of tidying: plan everything, then carry the plan out.


SLACK = timedelta(days=1)
"""How far clocks of devices that share a book may differ."""
BY_TIME: tuple[Step, ...] = (
    lifecycle.expire,
    lifecycle.retire_versions,
    lifecycle.mark_stale,
    lifecycle.revive,
    lifecycle.propose_archive,
    lifecycle.by_heat,
)
"""Steps that a wrong clock would lead astray."""
BEFORE: tuple[Step, ...] = (relations.merge_duplicates, relations.resolve)
AFTER: tuple[Step, ...] = (
    lifecycle.compact,
    reflect.find_patterns,
    reflect.often_corrected,
    reflect.connect,
    reflect.widen,
)


def maintain(
    engine: Engine,
    *,
    dry_run: bool = False,
    trust_clock: bool = False,
    progress: Callable[[str, int, int], object] = lambda step, done, of: None,
) -> Maintained:
    """Tidy the book; with `dry_run` only say what would be done.

    Two runs never mix: while one is at it, another leaves it alone. A run that was interrupted is
    finished by the next.
    """
    engine = engine.but(source="maintain")
    try:
        with engine.store.lease("maintain", wait_s=0.0) as lease:
            return _run(engine, lease.check, dry_run, trust_clock, progress)
    except Busy:
        if _idle(engine):
            raise
        return Maintained(ran=False, dry_run=dry_run)


def _run(
    engine: Engine,
    tick: Callable[[], None],
    dry_run: bool,
    trust_clock: bool,
    progress: Callable[[str, int, int], object],
) -> Maintained:
    catch_up(engine)
    if not dry_run:
        progress("mend", 0, 1)
        mend(engine)
    behind = None if trust_clock else _clock_behind(engine)
    desk = MaintenancePlan(engine, tick=tick)
    for step in (*BEFORE, *(() if behind else BY_TIME), *AFTER):
        tick()
        step(desk)

    def ticking(step: str, done: int, of: int) -> None:
        tick()
        progress(step, done, of)

    passed_over = [] if dry_run else apply(engine, desk.planned, ticking)
    if not dry_run:
        engine.store.refresh_map()
    return Maintained(
        changes=tuple(one.change for one in desk.planned if one.change not in passed_over),
        dry_run=dry_run,
        passed_over=tuple(passed_over),
        waiting=sum(_waiting(engine).values()),
        problems=(behind,) if behind else (),
    )


def _waiting(engine: Engine) -> dict[str, int]:
    return engine.index.count(Where(statuses=("staged",)), visible=EVERYTHING, by="kind")


def _clock_behind(engine: Engine) -> Problem | None:
    """A clock that runs behind the book would make old things young: then nothing is aged."""
    newest = engine.ledger.events(visible=EVERYTHING, limit=1)
    if not newest or newest[0].at <= engine.now() + SLACK:
        return None
    return Problem(
        "clock",
        f"The newest change in this book is from {newest[0].at:%Y-%m-%d}, after today;"
        " so nothing was aged.",
        "Set the clock, or run `commonplace maintain --trust-clock` if that change is wrong.",
    )


def _idle(engine: Engine) -> bool:
    """Whether nobody is tidying: then what was busy is something else."""
    try:
        with engine.store.lease("maintain", wait_s=0.0):
            return True
    except Busy:
        return False
