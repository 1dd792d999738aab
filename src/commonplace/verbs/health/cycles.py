"""Versions that claim to have replaced each other in a circle, which only a hand can write."""

from __future__ import annotations

from ...model import Problem
from ...ports.searching import Where
from ..catch_up import with_index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..engine import Engine

MOST = 1_000_000


def cycles(engine: Engine) -> list[Problem]:
    """One problem for each circle of versions, named by its smallest id."""
    where = Where(superseding=True)
    found = with_index(
        engine, lambda: engine.index.select(where, visible=engine.visible, limit=MOST)
    )
    before = {memory.id: memory.supersedes for memory in found}
    names = {memory.id: memory.slug or memory.id for memory in found}
    problems: dict[str, Problem] = {}
    done: set[str] = set()
    for start in before:
        way: list[str] = []
        here: str | None = start
        while here in before and here not in done:
            done.add(here)
            way.append(here)
            here = before[here]
        if here in way:
            circle = way[way.index(here) :]
            first = min(circle)
            problems[first] = _problem(names[first], [names[id] for id in circle])
    return list(problems.values())


def _problem(where: str, circle: list[str]) -> Problem:
    if len(circle) == 1:
        what = "says that it supersedes itself"
    else:
        what = f"is part of a circle of versions: {' → '.join(circle)} → {circle[0]}"
    return Problem(where, what, "Remove one `supersedes` line from these notes by hand.")
