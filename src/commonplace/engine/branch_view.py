"""Leave out memories of branches that the caller's HEAD does not have.

A hidden memory may have replaced another one, which holds as long as the branch is not merged: it
is put in its place.
"""

from __future__ import annotations

from ..model.checkout import HERE
from ..model.memory import LIVE
from ..model.value import Value
from ..ports.search_index import Where
from ..rules import branches
from .trace import omit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import TypeVar

    from ..model.memory import Hit, Memory
    from .engine import Engine

    T = TypeVar("T")

QUICK_S, PATIENT_S = 0.1, 5.0
"""How long git is waited for by a hook, which has a third of a second, and by others."""
HASTY = ("hook", "rest")
"""Doors that a hook waits for."""
MOST_PASSES = 5
MOST_VERSIONS = 20


class BranchView(Value):
    """How memories stand to a caller's HEAD."""

    compared: Mapping[str, str] = {}

    def hides(self, memory: Memory) -> bool:
        """Whether a memory belongs to a branch that is not merged here."""
        return bool(self.compared) and branches.is_hidden(memory, self.compared)

    def warning(self, memory: Memory) -> str:
        """What a reader should know of a memory's commit."""
        return branches.warning(memory, self.compared) if self.compared else ""


EVERYTHING_SHOWN = BranchView()


def branch_view(engine: Engine, memories: Iterable[Memory]) -> BranchView:
    """Compare the commits of memories with the caller's HEAD; outside a repository nothing is."""
    if engine.checkout is None:
        return EVERYTHING_SHOWN
    asked = {where for one in memories if (where := branches.learned_at(one))}
    if not asked:
        return EVERYTHING_SHOWN
    limit_s = QUICK_S if engine.source in HASTY else PATIENT_S
    compared = engine.checkout.compare(asked, limit_s=limit_s)
    if all(verdict == HERE for verdict in compared.values()):
        return EVERYTHING_SHOWN
    return BranchView(compared)


def unmerged(engine: Engine, where: Where) -> tuple[str, ...] | None:
    """The places that are known not to be merged here, unless a branch is asked for by name."""
    if engine.checkout is None or where.branch is not None:
        return None
    found = engine.checkout.unmerged()
    return tuple(one for one in found if branches.names_branch(one)) or None


def until_settled(engine: Engine, where: Where, read: Callable[[Where], T]) -> T:
    """Read without what is unmerged, and again as long as that finds more of it."""
    hidden = unmerged(engine, where)
    for _ in range(MOST_PASSES):
        found = read(where.but(not_learned=hidden))
        if (now := unmerged(engine, where)) == hidden:
            return found
        hidden = now
    return read(where.but(not_learned=hidden))


def holding_here(engine: Engine, memories: Iterable[Memory]) -> dict[str, list[Memory]]:
    """For memories that do not hold at the caller's HEAD, what they replaced and what does hold."""
    given = list(memories)
    view = branch_view(engine, given)
    hidden = [one for one in given if view.hides(one)]
    shown = {one.id for one in given if one not in hidden}
    facts = {_fact(one) for one in given if one.id in shown and one.key is not None}
    held: dict[str, list[Memory]] = {}
    for one in hidden:
        omit(engine.trace, one.id, "unmerged", branch=one.branch)
        older = replaced_by(engine, one)
        held[one.id] = [old for old in older if old.id not in shown and _fact(old) not in facts]
        shown |= {old.id for old in older}
    return held


def merged_here(engine: Engine, memories: Iterable[Memory]) -> list[Memory]:
    """The memories that hold at the caller's HEAD: a hidden one gives way to what it replaced."""
    given = list(memories)
    held = holding_here(engine, given)
    return [here for one in given for here in held.get(one.id, (one,))] if held else given


def with_warnings(engine: Engine, hits: Iterable[Hit]) -> list[Hit]:
    """The hits, each with what a reader should know of its commit."""
    found = list(hits)
    view = branch_view(engine, [hit.memory for hit in found])
    if view is EVERYTHING_SHOWN:
        return found
    return [hit.but(warning=view.warning(hit.memory)) for hit in found]


def replaced_by(engine: Engine, memory: Memory) -> list[Memory]:
    """The versions that a hidden memory replaced and that hold here, as live ones."""
    found: list[Memory] = []
    waiting, seen = [memory], {memory.id}
    while waiting and len(seen) <= MOST_VERSIONS:
        newer = waiting.pop()
        where = Where(superseded_by=newer.id, statuses=("superseded",))
        older = engine.index.select(where, visible=engine.visible, limit=MOST_VERSIONS)
        view = branch_view(engine, older)
        for one in older:
            if one.id not in seen:
                seen.add(one.id)
                waiting += [one] if view.hides(one) else []
                if not view.hides(one):
                    found.append(one.but(status=LIVE[0], superseded_by=None))
    return found


def _fact(memory: Memory) -> tuple[object, ...]:
    return memory.scope, memory.namespace, memory.key
