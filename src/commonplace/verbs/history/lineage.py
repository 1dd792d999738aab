"""The versions of a memory: what it replaced, and what replaced it."""

from __future__ import annotations

from ...model import LIVE
from ...ports.searching import Where
from ...rules import scoping
from ...rules.identity import is_derived
from ...rules.notes.facts import fact_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ...model import Memory
    from ..engine import Engine

MOST_VALUES = 1_000


def versions(engine: Engine, memory: Memory) -> list[Memory]:
    """Every version the caller may see, oldest first. The index must be up to date."""
    return [*reversed(earlier(engine, memory)), memory, *later(engine, memory)]


def earlier(engine: Engine, memory: Memory) -> list[Memory]:
    """What a memory replaced, newest first."""
    return _walk(memory, lambda one: _before(engine, one))


def all_earlier(engine: Engine, memory: Memory) -> list[Memory]:
    """What a memory replaced or was merged from, and they in turn, as far as one may write them."""
    found = {memory.id: memory}
    edge = [memory]
    while edge:
        here = edge.pop()
        for old in (_before(engine, here), *_gave_way(engine, here)):
            if old is None or old.id in found or not scoping.may_write(engine.context, old.scope):
                continue
            found[old.id] = old
            edge.append(old)
    return list(found.values())[1:]


def later(engine: Engine, memory: Memory) -> list[Memory]:
    """What replaced a memory, and what replaced that, to the newest."""
    return _walk(memory, lambda one: _after(engine, one))


def replaces(new: Memory, old: Memory) -> bool:
    """Whether readers take the old one for superseded because the new one is there.

    Only within one scope: nobody hides another's memory by claiming to supersede it. A version
    that the old one has replaced in turn, because it was restored, replaces nothing.
    """
    return (
        new.supersedes == old.id
        and new.id != old.id
        and new.scope == old.scope
        and new.status in (*LIVE, "superseded")
        and new.superseded_by != old.id
        and old.supersedes != new.id
    )


def _walk(start: Memory, step: Callable[[Memory], Memory | None]) -> list[Memory]:
    found: list[Memory] = []
    seen, here = {start.id}, step(start)
    while here is not None and here.id not in seen:
        found.append(here)
        seen.add(here.id)
        here = step(here)
    return found


def _before(engine: Engine, memory: Memory) -> Memory | None:
    if memory.supersedes:
        return _read(engine, memory.supersedes)
    values = _earlier_values(engine, memory)
    if memory.status == "superseded":
        values = [value for value in values if _retired(value) < _retired(memory)]
    return values[-1] if values else None


def _gave_way(engine: Engine, memory: Memory) -> list[Memory]:
    """Everything that was retired in favour of a memory: it names only one of them itself."""
    where = Where(superseded_by=memory.id)
    found = engine.index.select(where, visible=engine.visible, limit=MOST_VALUES)
    return [one for one in found if one.status not in LIVE]


def _after(engine: Engine, memory: Memory) -> Memory | None:
    if memory.superseded_by is None:
        return None
    if memory.superseded_by == _line(memory):
        for value in _earlier_values(engine, memory):
            if _retired(value) > _retired(memory):
                return value
    return _read(engine, memory.superseded_by)


def _earlier_values(engine: Engine, memory: Memory) -> list[Memory]:
    """What a line of `facts.md` said before, oldest first.

    A line has no room to name what it replaced; its earlier values name the line instead.
    """
    if memory.key is None or not is_derived(memory.id):
        return []
    statuses = ("superseded", "archived")
    where = Where(key=memory.key, scopes=(str(memory.scope),), statuses=statuses)
    found = engine.index.select(where, visible=engine.visible, limit=MOST_VALUES)
    line = _line(memory)
    return sorted((value for value in found if value.superseded_by == line), key=_retired)


def _line(memory: Memory) -> str:
    return fact_id(memory.scope, memory.namespace, memory.key or "")


def _retired(memory: Memory) -> tuple[object, ...]:
    return (memory.updated, memory.id)


def _read(engine: Engine, id: str) -> Memory | None:
    return engine.store.read([id], visible=engine.visible).get(id)
