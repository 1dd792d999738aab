"""Make everything derived agree with the store again, and mend what a crash left half done."""

from __future__ import annotations

from ..engine.catch_up import catch_up, find_buried
from ..engine.commit import commit, event
from ..engine.embed import embed_all
from ..engine.revisions import replaces
from ..model.errors import Busy, Damaged, Unavailable
from ..model.identity import is_derived
from ..model.memory import LIVE
from ..model.results import Synced
from ..model.scope import EVERYTHING
from ..ports.record_store import Put
from ..ports.search_index import Where
from ..rules.relations import versions
from .backup import all_memories
from .erasures import finish_erasures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..engine.engine import Engine
    from ..model.memory import Memory

PAGE = 500
MOST_LOGGED = 100_000
_UNRETIRED = ("staged", *LIVE)


def sync(
    engine: Engine,
    *,
    rebuild: bool = False,
    progress: Callable[[int], object] = lambda _: None,
    embedding: Callable[[int, int], object] = lambda done, of: None,
) -> Synced:
    """Follow outside edits, finish interrupted changes, remove what purges left elsewhere.

    `progress` is told how many places were read, `embedding` how many memories have got vectors.
    """
    # Looked at first: a store that is not there must not cost us the index.
    indexed = catch_up(engine, progress=progress)
    if rebuild:
        engine.index.reset()
        indexed = catch_up(engine, progress=progress)
    mended = mend(engine, embedding=embedding)
    return mended.but(indexed=indexed, problems=tuple(engine.store.problems()))


def mend(
    engine: Engine, *, embedding: Callable[[int, int], object] = lambda done, of: None
) -> Synced:
    """Finish what was interrupted, and follow what other devices did; the index is up to date."""
    erased = _erase_buried(engine)
    finish_erasures(engine)
    repaired = _finish_supersessions(engine) + engine.ledger.mend()
    engine.store.refresh_map()
    _sweep_sessions(engine)
    embedded = embed_all(engine, embedding)
    return Synced(repaired=repaired, erased=erased, embedded=embedded)


def _sweep_sessions(engine: Engine) -> None:
    """What a conversation held is not there for longer than it was promised to be."""
    if engine.later_sessions is None:
        return
    try:
        engine.sessions.sweep(now=engine.now())
    except (Unavailable, Busy, Damaged):
        return  # Sessions are beside the book: it is mended without them.


def _erase_buried(engine: Engine) -> int:
    """Remove purged notes that a copy or another device brought back."""
    if not engine.ledger.burials():
        return 0
    erased = 0
    with engine.store.lease() as lease:
        for batch in all_memories(engine):
            lease.check()
            if buried := find_buried(engine, batch):
                # The log first: once the text is gone, nothing says which questions told it.
                texts = [one.content for one in batch if one.id in buried]
                engine.ledger.scrub(buried, texts)
                erased += len(engine.store.erase(buried, lease=lease))
                engine.index.forget(buried)
    _finish_purges(engine)
    return erased


def _finish_purges(engine: Engine) -> None:
    """A purge that was interrupted may have left what was purged in the log and the index."""
    logged = engine.ledger.retrievals(visible=EVERYTHING, limit=MOST_LOGGED)
    answered = {id for one in logged for id, _ in one.results if not is_derived(id)}
    if left := engine.ledger.buried(answered):
        engine.index.forget(left)
        engine.ledger.scrub(left, [])


def _finish_supersessions(engine: Engine) -> int:
    """A crash between the two writes of a supersession leaves the old one live: retire it."""
    repaired = 0
    for id in _unfinished(engine):
        with engine.store.lease() as lease:
            old = engine.store.read([id], visible=EVERYTHING).get(id)
            new = _successor(engine, old) if old is not None else None
            if old is None or new is None:
                continue
            gone = versions.retired(old, new)
            # Somebody asked for this and was interrupted: it is theirs, not an automatic change.
            told = event(engine, "superseded", gone, before=old, related=(new.id,))
            commit(engine, lease, [Put(gone, expect=old)], [told])
        repaired += 1
    return repaired


def _unfinished(engine: Engine) -> list[str]:
    """What the index takes for superseded while the store says otherwise."""
    found: list[str] = []
    offset = 0
    while page := engine.index.select(
        Where(statuses=("superseded",)), visible=EVERYTHING, limit=PAGE, offset=offset
    ):
        current = engine.store.read([one.id for one in page], visible=EVERYTHING)
        found += [id for id, one in current.items() if one.status in _UNRETIRED]
        offset += PAGE
    return found


def _successor(engine: Engine, old: Memory) -> Memory | None:
    """The newest version that has taken a memory's place, by what the store says."""
    if old.status not in _UNRETIRED:
        return None
    where = Where(supersedes=old.id, scopes=(str(old.scope),))
    found = engine.index.select(where, visible=EVERYTHING)
    current = engine.store.read([one.id for one in found], visible=EVERYTHING)
    newest_first = (current[one.id] for one in found if one.id in current)
    return next((new for new in newest_first if replaces(new, old)), None)
