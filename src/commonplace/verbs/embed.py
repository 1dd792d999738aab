"""Give memories their vectors, a batch at a time, so that a killed run only has less left to do."""

from __future__ import annotations

from ..errors import EmbedderUnavailable
from ..rules.passages import cut, word_count
from ..rules.vectors import mean
from ..scope import EVERYTHING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..model import Memory
    from .engine import Engine

BATCH = 32
MOST_PASSAGES = 200


def embed_pending(
    engine: Engine,
    *,
    most: int | None = None,
    progress: Callable[[int], object] = lambda _: None,
) -> int:
    """Embed what has no vectors yet, newest first; without an embedder there is nothing to do."""
    embedder = engine.embedder
    if embedder is None or "vector" not in engine.index.capabilities:
        return 0
    engine.index.use_model(embedder.model, embedder.dimensions)
    done = 0
    while most is None or done < most:
        batch = BATCH if most is None else min(BATCH, most - done)
        waiting = engine.index.unembedded(visible=EVERYTHING, limit=batch)
        if not waiting:
            break
        texts = {memory.id: passages_of(memory) for memory in waiting}
        try:
            made = iter(embedder.embed([text for own in texts.values() for text in own]))
        except EmbedderUnavailable:
            # Nothing is lost: they stay in line until the embedder answers again.
            break
        engine.index.put_vectors(
            {id: _with_whole(own, [next(made) for _ in own]) for id, own in texts.items()}
        )
        done += len(waiting)
        progress(done)
    return done


def embed_whole(engine: Engine, memory: Memory) -> None:
    """Embed one text and no more, so that saving it does not wait; its passages follow later."""
    embedder = engine.embedder
    if embedder is None or "vector" not in engine.index.capabilities:
        return
    passages = passages_of(memory)
    try:
        vectors = embedder.embed([memory.content])
    except EmbedderUnavailable:
        return
    engine.index.use_model(embedder.model, embedder.dimensions)
    engine.index.put_vectors({memory.id: vectors}, complete=len(passages) == 1)


def passages_of(memory: Memory) -> list[str]:
    """The pieces of a memory that have vectors of their own."""
    return cut(memory.content, most=MOST_PASSAGES)


def _with_whole(passages: list[str], vectors: list[bytes]) -> list[bytes]:
    """The whole is the mean of its passages: that tells more than one reading of a long text."""
    if len(vectors) == 1:
        return vectors
    return [mean(vectors, [float(word_count(passage)) for passage in passages]), *vectors]
