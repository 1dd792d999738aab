"""Bring index, log and sessions in line with the store, and finish interrupted changes."""

from __future__ import annotations

from datetime import timedelta

from ..engine.catch_up import catch_up_or_rebuild, find_purged
from ..engine.change_set import ChangeSet
from ..engine.commit import commit
from ..engine.embed import embed_all
from ..engine.interrupted import abandon_unwritten
from ..model.errors import Busy, Damaged, Unavailable
from ..model.identity import is_derived
from ..model.memory import LIVE
from ..model.results import Synced
from ..model.scope import EVERYTHING
from ..ports.search_index import Where
from ..rules.convergence import circles
from ..rules.relations import replacement
from .backup import all_memories
from .converge import QUIET_S, converge
from .erasures import finish_erasures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..engine.engine import Engine
    from ..model.memory import Memory

PAGE = 500
MOST_LOGGED = 100_000
_UNRETIRED = ("staged", *LIVE)


def sync(
    engine: Engine,
    *,
    rebuild: bool = False,
    quiet_s: float = QUIET_S,
    progress: Callable[[int], object] = lambda _: None,
    embedding: Callable[[int, int], object] = lambda done, of: None,
) -> Synced:
    """Index outside edits, finish interrupted changes, settle conflicts, erase purged memories.

    Conflict copies that changed within `quiet_s` may still be arriving and are left alone.
    `progress` is called with the number of places read, `embedding` with the number of memories
    that have vectors and their total.
    """
    # Before the reset: if the store is unreachable, the index must not be lost.
    indexed = catch_up_or_rebuild(engine, progress=progress)
    if rebuild:
        engine.index.reset()
        indexed = catch_up_or_rebuild(engine, progress=progress)
    mended = mend(engine, quiet_s=quiet_s, embedding=embedding)
    return mended.but(indexed=indexed, problems=tuple(engine.store.problems()))


def mend(
    engine: Engine,
    *,
    quiet_s: float = QUIET_S,
    embedding: Callable[[int, int], object] = lambda done, of: None,
) -> Synced:
    """Finish interrupted changes and what other devices left; the index must be up to date."""
    erased = _erase_purged(engine)
    finish_erasures(engine)
    converged = converge(engine, quiet_s=quiet_s)
    repaired = _finish_supersessions(engine) + engine.ledger.restore_lost_events()
    repaired += abandon_unwritten(engine)
    engine.store.refresh_map()
    _sweep_sessions(engine)
    embedded = embed_all(engine, embedding)
    return Synced(
        repaired=repaired,
        erased=erased,
        embedded=embedded,
        settled=converged.settled,
        asked=converged.asked,
        arriving=converged.arriving,
    )


def _sweep_sessions(engine: Engine) -> None:
    """Remove expired sessions."""
    if engine.lazy_sessions is None:
        return
    try:
        engine.sessions.sweep(now=engine.now())
    except (Unavailable, Busy, Damaged):
        return  # The book does not depend on its sessions.


def _erase_purged(engine: Engine) -> int:
    """Remove purged notes that a copy or another device brought back."""
    if not engine.ledger.tombstone_count():
        return 0
    erased = 0
    with engine.store.lease() as lease:
        for batch in all_memories(engine):
            lease.check()
            if purged := find_purged(engine, batch):
                # The log first: once the text is gone, its questions can no longer be found.
                texts = [one.content for one in batch if one.id in purged]
                engine.ledger.scrub(purged, texts)
                erased += len(engine.store.erase(purged, lease=lease))
                engine.index.forget(purged)
    _finish_purges(engine)
    return erased


def _finish_purges(engine: Engine) -> None:
    """Remove purged memories from the log and the index after an interrupted purge."""
    logged = engine.ledger.retrievals(visible=EVERYTHING, limit=MOST_LOGGED)
    handed = engine.ledger.digests(visible=EVERYTHING, limit=MOST_LOGGED)
    named = {id for one in logged for id, _ in one.results}
    named |= {id for one in handed for id in one.memories}
    left = {*engine.ledger.purged_keys({id for id in named if not is_derived(id)})}
    # An index whose file could not be written during a purge, or an older copy of it, has them.
    offset = 0
    while page := engine.index.select(Where(), visible=EVERYTHING, limit=PAGE, offset=offset):
        left |= find_purged(engine, page)
        offset += PAGE
    if left:
        engine.index.forget(left)
        engine.ledger.scrub(left, [])


def _finish_supersessions(engine: Engine) -> int:
    """Retire old versions that a crash between the two records of a replacement left live."""
    repaired = 0
    unfinished, successors = _superseded(engine)
    for circle in circles(successors):
        repaired += _revive_last_kept(engine, circle)
    for id in unfinished:
        with engine.store.lease() as lease:
            old = engine.store.read([id], visible=EVERYTHING).get(id)
            new = _successor(engine, old) if old is not None else None
            if old is None or new is None:
                continue
            changes = ChangeSet()
            # Not automatic: a caller asked for the replacement, and was interrupted.
            changes.change(
                "superseded", replacement.retired_version(old, new), before=old, related=(new.id,)
            )
            commit(engine, lease, changes, same_meaning=True)
        repaired += 1
    return repaired


def _superseded(engine: Engine) -> tuple[list[str], dict[str, str]]:
    """Superseded memories: ids of those that the store has as live, successors of the others."""
    found: list[str] = []
    successors: dict[str, str] = {}
    offset = 0
    while page := engine.index.select(
        Where(statuses=("superseded",)), visible=EVERYTHING, limit=PAGE, offset=offset
    ):
        current = engine.store.read([one.id for one in page], visible=EVERYTHING)
        found += [id for id, one in current.items() if one.status in _UNRETIRED]
        successors |= {id: one.superseded_by for id, one in current.items() if one.superseded_by}
        offset += PAGE
    return found, successors


def _revive_last_kept(engine: Engine, circle: Sequence[str]) -> int:
    """Bring back one of several memories that replaced each other, so that none is in use.

    So it is after two devices answered the question which one holds differently. The last answer
    counts: it retired all but the one that was retired before. Every device does the same.
    """
    with engine.store.lease() as lease:
        found = list(engine.store.read(circle, visible=EVERYTHING).values())
        if len(found) < len(circle) or any(one.status != "superseded" for one in found):
            return 0
        old = min(found, key=lambda one: (one.updated, one.id))
        updated = max(one.updated for one in found) + timedelta(milliseconds=1)
        revived = old.but(status="active", superseded_by=None, updated=updated)
        changes = ChangeSet()
        changes.change("revived", revived, before=old, related=circle, automatic=True)
        commit(engine, lease, changes, same_meaning=True)
        return 1


def _successor(engine: Engine, old: Memory) -> Memory | None:
    """The newest version that replaces a memory, as the store has it."""
    if old.status not in _UNRETIRED:
        return None
    where = Where(supersedes=old.id, scopes=(str(old.scope),))
    found = engine.index.select(where, visible=EVERYTHING)
    current = engine.store.read([one.id for one in found], visible=EVERYTHING)
    newest_first = (current[one.id] for one in found if one.id in current)
    return next((new for new in newest_first if replacement.replaces(new, old)), None)
