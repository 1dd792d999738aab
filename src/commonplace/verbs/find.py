"""Find memories without searching their text: by id, by name, by conditions."""

from __future__ import annotations

from ..engine.catch_up import find_buried, with_index
from ..engine.search import lookup
from ..model.errors import BadInput, Conflict, NotFound
from ..model.memory import LIVE
from ..notes.wikilinks import SEPARATOR
from ..ports.search_index import Where
from ..rules.screening.screen import credentials_removed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from ..engine.engine import Engine
    from ..model.memory import Memory


MOST = 1_000


def get(engine: Engine, ref: str) -> Memory:
    """The memory with that id, slug, title or alias."""
    ref = ref.encode("utf-8", "replace").decode()
    found = engine.store.read([ref], visible=engine.visible)
    if found and not find_buried(engine, list(found.values())):
        return found[ref]
    named = with_index(
        engine, lambda: engine.index.select(Where(name=ref), visible=engine.visible, limit=20)
    )
    live = [memory for memory in named if memory.status in LIVE]
    if len(live) > 1:
        names = ", ".join(memory.slug or memory.id for memory in live)
        raise Conflict(f"Several memories are called {_told(ref)}.", hint=f"Name one: {names}.")
    for memory in live or named:
        current = engine.store.read([memory.id], visible=engine.visible).get(memory.id)
        if current is not None:
            return _newest(engine, current)
    raise NotFound(
        f"No memory is called {_told(ref)}.", hint="Look for it with `recall` or `list`."
    )


def _told(ref: str) -> str:
    """A name as an error may repeat it."""
    return repr(credentials_removed(ref)[:80])


def _newest(engine: Engine, memory: Memory) -> Memory:
    """A name outlives the version that had it: it means the newest one."""
    passed = {memory.id}
    while memory.superseded_by and memory.superseded_by not in passed:
        newer = engine.store.read([memory.superseded_by], visible=engine.visible)
        if memory.superseded_by not in newer:
            break
        passed.add(memory.superseded_by)
        memory = newer[memory.superseded_by]
    return memory


def list_memories(
    engine: Engine,
    where: Where,
    *,
    order: Literal["newest", "oldest", "updated", "name"],
    limit: int,
    offset: int,
) -> list[Memory]:
    """Memories that meet the conditions, in order, a page at a time."""
    if not 0 < limit <= MOST:
        raise BadInput(
            f"A page has 1 to {MOST} memories.", hint="The limit is how many come at once."
        )
    if offset < 0:
        raise BadInput("Less than nothing cannot be skipped.", hint="Give an offset of 0 or more.")
    return with_index(
        engine,
        lambda: engine.index.select(
            where, visible=engine.visible, order=order, limit=limit, offset=offset
        ),
    )


def statuses(*, include_archive: bool, include_inbox: bool) -> tuple[str, ...]:
    """What a read returns: live memories, and the archive or the inbox when asked for."""
    archive = ("superseded", "archived") if include_archive else ()
    return (*LIVE, *archive, *(("staged",) if include_inbox else ()))


# Key-value facts: the most specific scope's answer comes first.


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
