"""One run of tidying: plan everything, then carry the plan out."""

from __future__ import annotations

from datetime import timedelta

from ...errors import Busy
from ...model import Problem
from ...ports.searching import Where
from ...scope import EVERYTHING
from ..catch_up import catch_up
from ..sync import mend
from . import ageing, chains, contradictions, duplicates, reflecting, warmth
from .applying import apply
from .desk import Desk
from .report import Maintained

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..engine import Engine

    Step = Callable[[Desk], None]

SLACK = timedelta(days=1)
"""How far clocks of devices that share a book may differ."""
BY_TIME: tuple[Step, ...] = (
    ageing.expire,
    ageing.retire_versions,
    ageing.mark_stale,
    ageing.revive,
    ageing.propose_archive,
    warmth.by_heat,
)
"""Steps that a wrong clock would lead astray."""
BEFORE: tuple[Step, ...] = (duplicates.merge_duplicates, contradictions.resolve)
AFTER: tuple[Step, ...] = (
    chains.compact,
    reflecting.find_patterns,
    reflecting.often_corrected,
    reflecting.connect,
    reflecting.widen,
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
    desk = Desk(engine, tick=tick)
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
