"""Remember something: check, place, pass the gates, write, index."""

from __future__ import annotations

import gc
from contextlib import contextmanager

from ..engine.catch_up import with_index
from ..engine.commit import commit, refusals, refuse_purged
from ..engine.drafts import drafted, screened_fields
from ..engine.gates import WriteGates
from ..engine.neighbours import ReasonerCache, meaning
from ..model.errors import NotAllowed
from ..model.results import Saved
from ..rules.drafts import checked_content

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from ..engine.change_set import DraftPlan
    from ..engine.engine import Engine
    from ..model.memory import Draft, Memory


BATCH = 500


def save(engine: Engine, draft: Draft) -> Saved:
    """Remember one thing."""
    return save_many(engine, [draft])[0]


def save_many(
    engine: Engine,
    given: Sequence[Draft],
    *,
    progress: Callable[[int], object] = lambda _: None,
    embedding: Callable[[int, int], object] = lambda done, of: None,
) -> list[Saved]:
    """Remember many things; every draft is checked before the first is written.

    `progress` is told how many are saved, `embedding` how many of how many have got vectors.
    """
    asking = ReasonerCache(engine)
    saved: list[Saved] = []
    with refusals(engine), _uninterrupted():
        new = drafted(engine, given, asking)
        memories = [memory for _, memory in new]
        refuse_purged(engine, memories)
        vector = meaning(engine, memories)
        for start in range(0, len(new), BATCH):
            saved += _save_batch(engine, new[start : start + BATCH], asking, vector)
            progress(len(saved))
    _embed(engine, saved, vector, embedding)
    return saved


@contextmanager
def _uninterrupted() -> Generator[None]:
    """Without looking for reference cycles, which records never make: a sixth of the time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def _embed(
    engine: Engine,
    saved: Sequence[Saved],
    vector: bytes | None,
    progress: Callable[[int, int], object],
) -> None:
    if engine.embedder is None or not saved:
        return
    from ..engine.embed import embed_pending, embed_whole

    if len(saved) == 1 and saved[0].action != "deduplicated":
        merged = saved[0].action == "merged"
        embed_whole(engine, saved[0].memory, vector=None if merged else vector)
    elif len(saved) > 1:
        most = len(saved)
        embed_pending(engine, most=most, switch=False, progress=lambda done: progress(done, most))


def _save_batch(
    engine: Engine,
    batch: Sequence[tuple[Draft, Memory]],
    asking: ReasonerCache,
    vector: bytes | None,
) -> list[Saved]:
    def decide() -> tuple[WriteGates, list[DraftPlan]]:
        gates = WriteGates(engine, [memory for _, memory in batch], asking, vector)
        return gates, [gates.plan(draft, memory) for draft, memory in batch]

    asking.held = False
    if asking.slow:
        with_index(engine, decide, look=False)
    with engine.store.lease() as lease:
        asking.held = True
        gates, plans = with_index(engine, decide, look=False)
        puts = list(gates.page.puts.values())
        committed = commit(engine, lease, puts, gates.page.events)
    written = {put.memory.id: done.memory for put, done in zip(puts, committed.stored, strict=True)}
    return [
        Saved(plan.action, written[plan.id], indexed=committed.indexed, replaced=plan.replaced)
        for plan in plans
    ]


# Write into the person's own space: only by this separate, explicit call.


def save_personal(engine: Engine, name: str, content: str) -> str:
    """Write one new note outside the book and return its path."""
    if engine.context.role != "owner":
        raise NotAllowed("Only the book's owner has a personal space.", hint="Use `save` instead.")
    kept = screened_fields(engine, {"name": name, "content": checked_content(content)})
    return engine.store.write_personal(kept["name"], kept["content"])
