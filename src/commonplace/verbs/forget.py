"""Forget, bring back, and remove for good."""

from __future__ import annotations

from ..errors import Conflict
from ..model import LIVE, Forgotten, Purged, Restored
from ..ports import Put, Where
from ..rules import scoping
from ..rules.codec import to_millisecond
from ..scope import EVERYTHING
from .catch_up import catch_up
from .commit import commit, event, follow
from .find import get

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model import Memory
    from .engine import Engine


def forget(engine: Engine, ref: str) -> Forgotten:
    """Stop recalling a memory; it stays in the book and can be restored."""
    now = to_millisecond(engine.now())
    return Forgotten(
        _set_status(
            engine,
            ref,
            "forgotten",
            status="deleted",
            deleted_at=now,
            updated=now,
            always_load=False,
        )
    )


def restore(engine: Engine, ref: str) -> Restored:
    """Recall a forgotten, archived or superseded memory again."""
    now = to_millisecond(engine.now())
    old = get(engine, ref)
    if old.superseded_by and (newer := _live(engine, old.superseded_by)):
        raise Conflict(
            f"A newer version, {newer.id}, has taken this memory's place.",
            hint=f"Forget that one first, or undo the change with `revert {newer.id}`.",
        )
    return Restored(
        _set_status(
            engine,
            old.id,
            "restored",
            status="active",
            deleted_at=None,
            superseded_by=None,
            updated=now,
        )
    )


def purge(engine: Engine, ref: str) -> Purged:
    """Remove a memory and its earlier versions for good, leaving only content-free tombstones."""
    memory = get(engine, ref)
    scoping.require_writable(engine.context, memory.scope)
    with engine.store.lease() as lease:
        catch_up(engine)
        doomed = _versions(engine, memory)
        ids = [one.id for one in doomed]
        derived = _derived(engine, ids)
        engine.ledger.append([event(engine, "purged", one) for one in doomed])
        engine.store.erase(ids, lease=lease)
        follow(engine)
        engine.index.forget(ids)
        engine.ledger.scrub(ids, [text for one in doomed for text in _texts(one)])
    return Purged(tuple(ids), tuple(derived))


def _set_status(engine: Engine, ref: str, action: str, **changes: object) -> Memory:
    memory = get(engine, ref)
    scoping.require_writable(engine.context, memory.scope)
    with engine.store.lease() as lease:
        old = engine.store.read([memory.id], visible=engine.visible).get(memory.id, memory)
        new = old.but(**changes)
        done = commit(
            engine, lease, [Put(new, expect=old)], [event(engine, action, new, before=old)]
        )
    return done.stored[0].memory


def _live(engine: Engine, id: str) -> Memory | None:
    found = engine.store.read([id], visible=EVERYTHING).get(id)
    return found if found and found.status in LIVE else None


def _versions(engine: Engine, memory: Memory) -> list[Memory]:
    """The memory and everything it superseded, directly or through others."""
    chain, seen = [memory], {memory.id}
    while (older := chain[-1].supersedes) and older not in seen:
        found = engine.store.read([older], visible=EVERYTHING).get(older)
        if found is None:
            break
        chain.append(found)
        seen.add(older)
    return chain


def _derived(engine: Engine, ids: list[str]) -> list[str]:
    found: list[str] = []
    for origin in ids:
        children = engine.index.select(Where(derived_from=origin), visible=engine.visible)
        found += [child.id for child in children if child.id not in ids]
    return found


def _texts(memory: Memory) -> list[str]:
    return [text for text in (memory.content, memory.value, memory.summary) if text]
