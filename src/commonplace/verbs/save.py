"""Save memories: draft, decide by the gates, write, embed.

A save runs top-down through four modules: `engine.drafts` turns each draft into a screened memory,
`engine.gates` decides whether it is new, known or a replacement, `engine.commit` writes the events,
the records and the index, and `engine.embed` adds the vector. In a book that stays open the last
step, and most questions to the judge, follow the answer (`engine.background`, `engine.review`).
"""

from __future__ import annotations

import gc
from contextlib import contextmanager

from ..engine.catch_up import with_index
from ..engine.commit import audited_refusals, decide_and_commit
from ..engine.drafts import draft_memories, refuse_purged, screen_fields
from ..engine.embed import embed_first, embed_one, embed_pending
from ..engine.gates import WriteGates
from ..engine.neighbours import comparison_vector
from ..engine.observed import observed
from ..engine.reasoner_cache import ReasonerCache
from ..engine.review import is_reviewed_later, review_later
from ..engine.stale_marks import other_values
from ..model.errors import BadInput, NotAllowed
from ..model.results import Saved
from ..rules import authority
from ..rules.drafts import checked_content

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from ..engine.change_set import ChangeSet
    from ..engine.engine import Engine
    from ..engine.gates import DraftOutcome
    from ..model.memory import Draft, Memory


BATCH = 500


@observed
def save(engine: Engine, draft: Draft) -> Saved:
    """Save one memory."""
    return save_many(engine, [draft])[0]


@observed
def save_many(
    engine: Engine,
    given: Sequence[Draft],
    *,
    progress: Callable[[int], object] = lambda _: None,
    embedding: Callable[[int, int], object] = lambda done, of: None,
) -> list[Saved]:
    """Save many memories; every draft is checked before the first is written.

    `progress` is called with the number of saved drafts, `embedding` with the number of memories
    that have vectors and their total.
    """
    reasoner = ReasonerCache(engine)
    if engine.background is not None:
        engine.background.touch()
    saved: list[Saved] = []
    with audited_refusals(engine), _no_garbage_collection():
        drafts = draft_memories(engine, given, reasoner)
        memories = [memory for _, memory in drafts]
        refuse_purged(engine, memories)
        later = is_reviewed_later(engine, memories)
        vector = None if later else comparison_vector(engine, memories)
        if vector is not None and engine.background is None:
            # A new index, as of a copied vault, finds by meaning only what has its vector.
            embed_first(engine)
        for start in range(0, len(drafts), BATCH):
            batch = drafts[start : start + BATCH]
            saved += _save_batch(engine, batch, reasoner, vector, reviewed_later=later)
            progress(len(saved))
    _embed(engine, saved, vector, embedding)
    if later:
        review_later(engine, saved[0])
    others = other_values(engine, [one.memory for one in saved])
    return [one.but(stale=others.get(one.id, "")) for one in saved] if others else saved


def preview_saves(engine: Engine, given: Sequence[Draft]) -> list[str]:
    """The action that a save of each draft would take, as one batch; nothing is written."""
    reasoner = ReasonerCache(engine)
    drafts = draft_memories(engine, given, reasoner)
    memories = [memory for _, memory in drafts]
    refuse_purged(engine, memories)

    def decide() -> list[str]:
        gates = WriteGates(engine, memories, reasoner, comparison_vector(engine, memories))
        return [gates.decide(draft, memory).action for draft, memory in drafts]

    return with_index(engine, decide)


def _save_batch(
    engine: Engine,
    batch: Sequence[tuple[Draft, Memory]],
    reasoner: ReasonerCache,
    vector: bytes | None,
    *,
    reviewed_later: bool,
) -> list[Saved]:
    memories = [memory for _, memory in batch]

    def decide() -> tuple[ChangeSet, list[DraftOutcome]]:
        gates = WriteGates(engine, memories, reasoner, vector, reviewed_later=reviewed_later)
        return gates.changes, [gates.decide(draft, memory) for draft, memory in batch]

    def decide_finally() -> tuple[ChangeSet, list[DraftOutcome]]:
        reasoner.lease_taken = True
        return with_index(engine, decide, quick=quick)

    # A line that a person has just written into `facts.md` counts against another value, and an
    # editor may write that file in place.
    quick = engine.edits_watched or all(memory.value is None for memory in memories)
    reasoner.lease_taken = False
    if reasoner.uses_model:
        # Decide once without the lease, so that nobody waits for a model's answers.
        with_index(engine, decide, quick=quick)
    scopes = {memory.scope for memory in memories}
    done, outcomes = decide_and_commit(engine, scopes, decide_finally)
    return [
        Saved(one.action, done.memories[one.id], done.indexed, one.replaced, one.why)
        for one in outcomes
    ]


def _embed(
    engine: Engine,
    saved: Sequence[Saved],
    vector: bytes | None,
    progress: Callable[[int, int], object],
) -> None:
    if engine.embedder is None or not saved:
        return
    if len(saved) == 1 and saved[0].action != "deduplicated":
        merged = saved[0].action == "merged"
        embed_one(engine, saved[0].memory, vector=None if merged else vector)
    elif len(saved) > 1:
        most = len(saved)
        embed_pending(engine, most=most, switch=False, progress=lambda done: progress(done, most))


@contextmanager
def _no_garbage_collection() -> Generator[None]:
    """Records never make reference cycles, and looking for them takes a sixth of the time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def save_personal(engine: Engine, name: str, content: str) -> str:
    """Write a new note into the owner's personal space and return its path."""
    authority.require_person(engine.source, "write a personal note")
    if engine.context.role != "owner":
        raise NotAllowed("Only the book's owner has a personal space.", hint="Use `save` instead.")
    if not name.strip():
        raise BadInput("The note has no name.", hint="Give it one, such as `trips`.")
    with audited_refusals(engine):
        fields = screen_fields(engine, {"name": name, "content": checked_content(content)})
    return engine.store.write_personal(fields["name"], fields["content"])
