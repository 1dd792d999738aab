"""Give memories their vectors, a batch at a time, so that a killed run only has less left to do.

Nothing here fails its caller, who may just have saved something: what cannot be embedded now
stays in line until the embedder and the index answer again.
"""

from __future__ import annotations

from ..errors import Busy, Damaged, Unavailable
from ..rules.passages import cut, word_count
from ..rules.vectors import mean
from ..scope import EVERYTHING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..model import Memory
    from ..ports import Embedder, SearchIndex
    from .engine import Engine

BATCH = 32
MOST_PASSAGES = 200


def embed_pending(
    engine: Engine,
    *,
    most: int | None = None,
    switch: bool = True,
    progress: Callable[[int], object] = lambda _: None,
) -> int:
    """Embed what has no vectors yet, newest first, and say how many memories that was.

    Vectors of another model make way, or without `switch` stay, and then nothing is done.
    """
    embedder, index = engine.embedder, engine.index
    if embedder is None or "vector" not in index.capabilities:
        return 0
    done = 0
    try:
        if not index.use_model(embedder.model, embedder.dimensions, switch=switch):
            return 0
        while most is None or done < most:
            batch = BATCH if most is None else min(BATCH, most - done)
            embedded = _embed_batch(embedder, index, batch)
            if not embedded:
                break
            done += embedded
            progress(done)
    except (Unavailable, Busy, Damaged):
        return done
    return done


def embed_whole(engine: Engine, memory: Memory) -> None:
    """Embed one text and no more, so that saving it does not wait; its passages follow later.

    Where the index holds another model's vectors the text waits, since one save is no reason to
    make all of them again.
    """
    embedder, index = engine.embedder, engine.index
    if embedder is None or "vector" not in index.capabilities:
        return
    try:
        for key, waiting in index.unembedded(visible=EVERYTHING, limit=1, ids=[memory.id]).items():
            model, dimensions = embedder.model, embedder.dimensions
            if not index.use_model(model, dimensions, switch=False):
                return
            index.put_vectors(
                {key: embedder.embed([waiting.content])},
                model=model,
                dimensions=dimensions,
                complete=len(passages_of(waiting)) == 1,
            )
    except (Unavailable, Busy, Damaged):
        return


def passages_of(memory: Memory) -> list[str]:
    """The pieces of a memory that have vectors of their own."""
    return cut(memory.content, most=MOST_PASSAGES)


def _embed_batch(embedder: Embedder, index: SearchIndex, limit: int) -> int:
    """Embed the next in line; 0 when nobody waits or the index went over to another model."""
    waiting = index.unembedded(visible=EVERYTHING, limit=limit)
    if not waiting:
        return 0
    texts = {key: passages_of(memory) for key, memory in waiting.items()}
    made = iter(embedder.embed([text for own in texts.values() for text in own]))
    kept = index.put_vectors(
        {key: _with_whole(own, [next(made) for _ in own]) for key, own in texts.items()},
        model=embedder.model,
        dimensions=embedder.dimensions,
    )
    return len(waiting) if kept else 0


def _with_whole(passages: list[str], vectors: list[bytes]) -> list[bytes]:
    """The whole is the mean of its passages: that tells more than one reading of a long text."""
    if len(vectors) == 1:
        return vectors
    return [mean(vectors, [float(word_count(passage)) for passage in passages]), *vectors]
