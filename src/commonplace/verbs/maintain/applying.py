"""Carry a plan out: short turns at the book, and nothing over somebody else's change."""

from __future__ import annotations

from ...errors import Conflict
from ...scope import EVERYTHING
from ..commit import commit, event
from ..notices import contradicted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ...model import Event, Memory
    from ...ports.records import Put
    from ..engine import Engine
    from .report import Change, Planned

CONTRADICTIONS = "contradictions"
"""The step that looks for them."""
MOST_TOGETHER = 50
"""How many records are written in one turn, so that others do not wait for long."""


def apply(
    engine: Engine, planned: Sequence[Planned], progress: Callable[[str, int, int], object]
) -> list[Change]:
    """Write everything that was planned; says what was passed over because it had changed."""
    passed_over: list[Change] = []
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


def _write(engine: Engine, turn: Sequence[Planned]) -> list[Change]:
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
