"""Remember something: check, place, pass the gates, write, index."""

from __future__ import annotations

import gc
from contextlib import contextmanager

from ..errors import Refused
from ..results import Saved
from .catch_up import with_index
from .commit import commit
from .gates.deciding import Gates
from .gates.drafting import drafted, refusal_of_many
from .gates.judgements import Asking
from .gates.neighbours import meaning
from .notices import refusals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from ..model import Draft, Memory
    from .engine import Engine
    from .gates.plan import Plan

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
    asking = Asking(engine)
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
    from .embed import embed_pending, embed_whole

    if len(saved) == 1 and saved[0].action != "deduplicated":
        merged = saved[0].action == "merged"
        embed_whole(engine, saved[0].memory, vector=None if merged else vector)
    elif len(saved) > 1:
        most = len(saved)
        embed_pending(engine, most=most, switch=False, progress=lambda done: progress(done, most))


def refuse_purged(engine: Engine, memories: Sequence[Memory]) -> None:
    """Raise Refused when one of these texts was purged where it would be written."""
    if not engine.ledger.burials():
        return
    digests = [engine.digest(memory) for memory in memories]
    if not (buried := engine.ledger.buried(digests)):
        return
    gone = Refused(
        "This text was purged from the book and stays gone.",
        hint="Word it differently if it should be remembered after all.",
    ).because("purged")
    places = [place for place, digest in enumerate(digests) if digest in buried]
    raise (
        gone if len(memories) == 1 else refusal_of_many(dict.fromkeys(places, gone), len(memories))
    )


def _save_batch(
    engine: Engine, batch: Sequence[tuple[Draft, Memory]], asking: Asking, vector: bytes | None
) -> list[Saved]:
    def decide() -> tuple[Gates, list[Plan]]:
        gates = Gates(engine, [memory for _, memory in batch], asking, vector)
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
