"""Find memories without searching their text: by id, by name, by conditions."""

from __future__ import annotations

from ..errors import BadInput, Conflict, NotFound
from ..model import LIVE
from ..ports.searching import Where
from ..rules.screening import credentials_removed
from .catch_up import find_buried, with_index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from ..model import Memory
    from .engine import Engine

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
