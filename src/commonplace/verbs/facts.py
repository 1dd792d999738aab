"""Key-value facts: the most specific scope's answer comes first."""

from __future__ import annotations

from ..model import LIVE
from ..ports.searching import Where
from ..rules import scoping
from .catch_up import find_buried, with_index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from ..model import Memory
    from .engine import Engine


def recall_fact(engine: Engine, key: str, *, namespace: str | None = None) -> Memory | None:
    """The fact with that key from the most specific scope that has it."""
    where = Where(statuses=LIVE, namespace=namespace, valid_at=engine.now())
    return with_index(engine, lambda: lookup(engine, key, where=where))


def list_facts(
    engine: Engine, *, namespace: str | None = None, scope: str | None = None, limit: int = 1_000
) -> list[Memory]:
    """Every visible fact with a key, by scope and key; a broader scope's are listed too."""
    where = Where(
        kinds=("fact",),
        statuses=LIVE,
        namespace=namespace,
        scopes=(scope,) if scope else None,
        valid_at=engine.now(),
    )
    found = with_index(
        engine, lambda: engine.index.select(where, visible=engine.visible, limit=limit)
    )
    keyed = [memory for memory in found if memory.key is not None]
    return sorted(keyed, key=lambda m: (str(m.scope), m.namespace or "", m.key or ""))


def lookup(
    engine: Engine, key: str, *, where: Where, as_of: datetime | None = None
) -> Memory | None:
    """First match, most specific scope first; a person's own entry before an agent's."""
    found = engine.index.select(where.but(key=key, topics=None), visible=engine.visible, limit=100)
    buried = find_buried(engine, found)
    known = (memory for memory in found if memory.id not in buried and _held(memory, as_of))
    return max(known, key=_precedence, default=None)


def _held(memory: Memory, as_of: datetime | None) -> bool:
    """Whether it was current then: what was retired since was not yet."""
    return memory.status in LIVE or (as_of is not None and memory.updated > as_of)


def _precedence(memory: Memory) -> tuple[object, ...]:
    return (
        scoping.specificity(memory.scope),
        memory.namespace is None,
        memory.owner == "curated",
        memory.updated,
        memory.id,
    )
