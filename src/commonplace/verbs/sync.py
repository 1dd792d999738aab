"""Make everything derived agree with the store again, and mend what a crash left half done."""

from __future__ import annotations

from ..model import Synced
from ..ports import Put, Where
from ..rules import versions
from ..scope import EVERYTHING
from .catch_up import catch_up, find_buried
from .commit import commit, event
from .embed import embed_pending

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..model import Memory
    from .engine import Engine

PAGE = 500


def sync(
    engine: Engine, *, rebuild: bool = False, progress: Callable[[int], object] = lambda _: None
) -> Synced:
    """Follow outside edits, finish interrupted changes, remove what purges left elsewhere."""
    if rebuild:
        engine.index.reset()
    erased = _erase_buried(engine)
    indexed = catch_up(engine, progress=progress)
    repaired = _finish_supersessions(engine)
    engine.store.refresh_map()
    embed_pending(engine, progress=lambda done: progress(indexed + done))
    return Synced(
        indexed=indexed,
        repaired=repaired,
        erased=erased,
        problems=tuple(engine.store.problems()),
    )


def _erase_buried(engine: Engine) -> int:
    """Remove purged notes that a copy or another device brought back."""
    if not engine.ledger.burials():
        return 0
    erased = 0
    with engine.store.lease() as lease:
        for changes in engine.store.changes(0, visible=EVERYTHING):
            memories = [one for document in changes.documents for one in document.memories]
            if buried := find_buried(engine, memories):
                erased += len(engine.store.erase(buried, lease=lease))
                engine.index.forget(buried)
    return erased


def _finish_supersessions(engine: Engine) -> int:
    """A crash between the two writes of a supersession leaves the old one active: retire it."""
    repaired = 0
    for old, new in _unfinished(engine):
        with engine.store.lease() as lease:
            gone = versions.retired(old, new)
            commit(
                engine,
                lease,
                [Put(gone, expect=old)],
                [event(engine, "superseded", gone, before=old, related=(new.id,), automatic=True)],
            )
        repaired += 1
    return repaired


def _unfinished(engine: Engine) -> list[tuple[Memory, Memory]]:
    found: list[tuple[Memory, Memory]] = []
    offset = 0
    while page := engine.index.select(
        Where(statuses=("superseded",)), visible=EVERYTHING, limit=PAGE, offset=offset
    ):
        for indexed in page:
            old = engine.store.read([indexed.id], visible=EVERYTHING).get(indexed.id)
            if old is not None and old.status == "active":
                newer = engine.index.select(Where(supersedes=old.id), visible=EVERYTHING, limit=1)
                found += [(old, new) for new in newer]
        offset += PAGE
    return found
