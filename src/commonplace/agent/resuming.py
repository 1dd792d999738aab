"""Where a task was left: what its session keeps between one call and the next, or a crash."""

from __future__ import annotations

import json

from ..errors import Damaged
from . import work
from .slots import WorkingMemory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..verbs.engine import Engine
    from .work import Work

STATE = "task"


def keep(engine: Engine, known: Work, slots: WorkingMemory, *, turn: int) -> None:
    """Write down where a task stands; it is on the disk when this returns."""
    note = known.note.content if known.note else ""
    kept = {"turn": turn, "note": note, "working": slots.to_json()}
    text = json.dumps(kept, ensure_ascii=False)
    engine.sessions.put_state(work.session_name(engine, known), STATE, text, now=engine.now())


def left(engine: Engine, known: Work) -> tuple[WorkingMemory, int]:
    """Working memory as it was left, and the turn; what somebody wrote in the note since holds."""
    kept = engine.sessions.state(work.session_name(engine, known), STATE, now=engine.now())
    if kept is None:
        return known.working(), 0
    try:
        read: dict[str, Any] = json.loads(kept)
        slots, turn = WorkingMemory.from_json(read["working"]), int(read["turn"])
        note = read["note"]
    except (Damaged, ValueError, KeyError, TypeError):
        return known.working(), 0
    if known.note is not None and known.note.content != note:
        slots = known.applied_to(slots)
    return slots, turn
