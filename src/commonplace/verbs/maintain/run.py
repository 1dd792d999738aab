"""One maintenance run: let every step plan, then write the plan in small commits."""

from __future__ import annotations

from datetime import timedelta

from ...engine.catch_up import catch_up_or_rebuild
from ...engine.change_set import ChangeSet
from ...engine.commit import commit
from ...model.errors import Busy, Conflict
from ...model.memory import Problem
from ...model.scope import EVERYTHING
from ...rules.audit import CONTRADICTED
from ..inbox_count import count_waiting
from ..sync import mend
from . import lifecycle, reflect, relations
from .plan import Maintained, MaintenancePlan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ...engine.engine import Engine
    from ...model.memory import Memory
    from .plan import MaintenanceChange, PlannedChange

    Step = Callable[[MaintenancePlan], None]


AGEING: tuple[Step, ...] = (
    lifecycle.expire,
    lifecycle.retire_versions,
    lifecycle.mark_stale,
    lifecycle.revive,
    lifecycle.propose_archive,
    lifecycle.update_always_load,
)
"""Steps that are left out if the clock is wrong."""
REFLECTING: tuple[Step, ...] = (
    lifecycle.propose_changed_claims,
    lifecycle.compact_versions,
    reflect.find_patterns,
    reflect.warn_of_corrections,
    reflect.propose_links,
    reflect.propose_promotions,
)
CLOCK_SLACK = timedelta(days=1)
"""Difference between the clocks of devices that share a book."""
MOST_TOGETHER = 50
"""Records in one commit, so that others do not wait for long."""


def maintain(
    engine: Engine,
    *,
    dry_run: bool = False,
    trust_clock: bool = False,
    progress: Callable[[str, int, int], object] = lambda step, done, of: None,
) -> Maintained:
    """Run all steps; with `dry_run` only report what they would change.

    While another run is going on, this one does nothing. The next run finishes an interrupted one.
    """
    engine = engine.but(source="maintain")
    try:
        with engine.store.lease("maintain", wait_s=0.0) as lease:
            return _run(engine, lease.check, dry_run, trust_clock, progress)
    except Busy:
        if _no_run_is_going_on(engine):
            raise  # The lease of another writer was meant.
        return Maintained(ran=False, dry_run=dry_run)


def _run(
    engine: Engine,
    tick: Callable[[], None],
    dry_run: bool,
    trust_clock: bool,
    progress: Callable[[str, int, int], object],
) -> Maintained:
    catch_up_or_rebuild(engine)
    if not dry_run:
        progress("mend", 0, 1)
        mend(engine)
    clock_problem = None if trust_clock else _clock_problem(engine)
    plan = MaintenancePlan(engine, tick=tick, dry_run=dry_run)
    for step in (relations.compare_memories, *(() if clock_problem else AGEING), *REFLECTING):
        tick()
        step(plan)

    def ticking(step: str, done: int, of: int) -> None:
        tick()
        progress(step, done, of)

    passed_over = [] if dry_run else _write_plan(engine, plan.planned, ticking)
    if not dry_run:
        engine.store.refresh_map()
    return Maintained(
        changes=tuple(one.change for one in plan.planned if one.change not in passed_over),
        dry_run=dry_run,
        passed_over=tuple(passed_over),
        waiting=count_waiting(engine, EVERYTHING),
        problems=(clock_problem,) if clock_problem else (),
    )


def _write_plan(
    engine: Engine, planned: Sequence[PlannedChange], progress: Callable[[str, int, int], object]
) -> list[MaintenanceChange]:
    """Write the plan; returns the changes that were passed over."""
    passed_over: list[MaintenanceChange] = []
    done = 0
    for batch in _batches(planned):
        progress(batch[0].change.step, done, len(planned))
        passed_over += _write_batch(engine.but(all_automatic=True), batch)
        done += len(batch)
    return passed_over


def _batches(planned: Sequence[PlannedChange]) -> Iterator[list[PlannedChange]]:
    """Changes of one step to different memories are written in one commit."""
    batch: list[PlannedChange] = []
    touched: set[str] = set()
    for one in planned:
        ids = one.changes.puts.keys()
        full = len(touched) + len(ids) > MOST_TOGETHER
        if batch and (full or ids & touched or one.change.step != batch[0].change.step):
            yield batch
            batch, touched = [], set()
        batch.append(one)
        touched |= ids
    if batch:
        yield batch


def _write_batch(engine: Engine, batch: Sequence[PlannedChange]) -> list[MaintenanceChange]:
    with engine.store.lease() as lease:
        ids = [id for one in batch for id in one.changes.puts]
        current = engine.store.read(ids, visible=EVERYTHING)
        unchanged = [one for one in batch if _is_unchanged(one, current)]
        changes = ChangeSet()
        for one in unchanged:
            changes.extend(one.changes)
        # The contradictions first: the events of their resolution are newer.
        changes.events.sort(key=lambda event: event.action != CONTRADICTED)
        try:
            if changes.puts:
                commit(engine, lease, changes)
        except Conflict:
            # A person edited a note after the check above.
            return [one.change for one in batch]
    return [one.change for one in batch if one not in unchanged]


def _is_unchanged(planned: PlannedChange, current: Mapping[str, Memory]) -> bool:
    return all(current.get(id) == put.expect for id, put in planned.changes.puts.items())


def _clock_problem(engine: Engine) -> Problem | None:
    """The problem of a clock that is behind the book: with it old memories would look young."""
    newest = engine.ledger.events(visible=EVERYTHING, limit=1)
    if not newest or newest[0].at <= engine.now() + CLOCK_SLACK:
        return None
    return Problem(
        "clock",
        f"The newest change in this book is from {newest[0].at:%Y-%m-%d}, after today;"
        " so nothing was aged.",
        "Set the clock, or run `commonplace maintain --trust-clock` if that change is wrong.",
    )


def _no_run_is_going_on(engine: Engine) -> bool:
    try:
        with engine.store.lease("maintain", wait_s=0.0):
            return True
    except Busy:
        return False
