"""Key-value facts: the most specific scope's answer comes first."""

from __future__ import annotations

from ..errors import BadInput
from ..model import LIVE
from ..ports.searching import Where
from ..rules import scoping
from ..rules.notes.namespaces import SEPARATOR, readings
from .catch_up import find_buried, with_index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from ..model import Memory
    from .engine import Engine


def recall_fact(engine: Engine, key: str, *, namespace: str | None = None) -> Memory | None:
    """The fact with that key from the most specific scope that has it.

    A key that only namespaces have may be told apart as `production/db.host`.
    """
    where = Where(statuses=LIVE, namespace=namespace, valid_at=engine.now())
    found = with_index(engine, lambda: lookup(engine, key, where=where))
    if len(found) > 1:
        names = [one.namespace or "" for one in found]
        raise BadInput(
            f"{key!r} is a fact of several namespaces: {', '.join(names)}.",
            hint=f"Say which: {names[0]}{SEPARATOR}{key}, or name the namespace.",
        )
    return found[0] if found else None


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
    engine: Engine,
    name: str,
    *,
    where: Where,
    as_of: datetime | None = None,
    as_question: bool = False,
) -> list[Memory]:
    """The fact of that name, most specific scope first; a person's own entry before an agent's.

    Where only namespaces have the key that is one fact of each, by namespace. `as_question` says
    that it need not be a name at all: a sentence full of slashes is not looked up by each of them.
    """
    whole = where.namespace is not None or (as_question and " " in name)
    read = ((where.namespace, name),) if whole else readings(name)
    for namespace, key in read:
        if found := _matching(engine, where.but(namespace=namespace, key=key, topics=None), as_of):
            return found
    return []


def _matching(engine: Engine, where: Where, as_of: datetime | None) -> list[Memory]:
    found = engine.index.select(where, visible=engine.visible, limit=100)
    buried = find_buried(engine, found)
    known = [memory for memory in found if memory.id not in buried and _held(memory, as_of)]
    best: dict[str | None, Memory] = {}
    for memory in sorted(known, key=_precedence):
        best[memory.namespace] = memory
    if None in best:
        return [best[None]]
    return [best[namespace] for namespace in sorted(best, key=str)]


def _held(memory: Memory, as_of: datetime | None) -> bool:
    """Whether it was current then: what was retired since was not yet."""
    return memory.status in LIVE or (as_of is not None and memory.updated > as_of)


def _precedence(memory: Memory) -> tuple[object, ...]:
    return (
        scoping.specificity(memory.scope),
        memory.owner == "curated",
        memory.updated,
        memory.id,
    )
