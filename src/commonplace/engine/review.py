"""Ask the models about a save after its answer, in a book that stays open.

A save is decided by words, and by the judge where words make one pair likely. Everything that only
meaning tells follows when the book is idle, or before a recall that may return the memory. What a
killed process leaves without a review, `maintain` compares.
"""

from __future__ import annotations

from ..model.memory import LIVE
from ..model.scope import EVERYTHING
from ..rules import authority
from ..rules.relations import merge
from .catch_up import with_index
from .change_set import ChangeSet
from .commit import decide_and_commit
from .reasoner_cache import ReasonerCache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..model.memory import Memory
    from ..model.results import Saved
    from .engine import Engine


def is_reviewed_later(engine: Engine, new: Sequence[Memory]) -> bool:
    """Whether a save is answered before the models are asked.

    A person waits for the answer. A language model is asked before, because whoever chose one wants
    its word on what is saved.
    """
    if engine.background is None or len(new) != 1 or engine.settings.reasoner != "rules":
        return False
    if new[0].owner != "agent" or authority.is_persons(new[0]):
        return False
    return engine.embedder is not None or engine.reasoner.reads_meaning


def review_later(engine: Engine, saved: Saved) -> None:
    """Let the background review a memory that was just created."""
    memory = saved.memory
    if engine.background is None or saved.action != "created" or not merge.comparison_group(memory):
        return
    if memory.status != "active":
        return  # It was judged already, and a person is asked.
    engine.background.review(memory.id, memory.content, lambda: review(engine, memory))


def review(engine: Engine, saved: Memory) -> bool:
    """Replace, merge or fold what the models see, automatically; returns whether it did."""
    from .gates import WriteGates

    # Made before the reviews. Without one, as while an endpoint is down, words find the neighbours.
    vector = engine.background.vectors.get(saved.content) if engine.background else None
    reasoner = ReasonerCache(engine)

    def decide() -> ChangeSet | None:
        stored = engine.store.read([saved.id], visible=EVERYTHING).get(saved.id)
        if stored is None or stored.status not in LIVE or stored.content != saved.content:
            return None
        return WriteGates(engine, [stored], reasoner, vector or None).review(stored)

    # Decide once without the lease, so that nobody waits for the judge.
    changes = with_index(engine, decide, look=False)
    if changes is None or not changes.events:
        return False

    def decide_finally() -> tuple[ChangeSet, None]:
        changes = with_index(engine, decide, look=False)
        return (changes if changes is not None and changes.events else ChangeSet()), None

    automatic = engine.but(all_automatic=True)
    done, _ = decide_and_commit(automatic, changes.scopes, decide_finally)
    return bool(done.memories)
