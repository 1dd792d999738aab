"""Give memories their vectors, a batch at a time, so that a killed run only has less left to do.

Nothing here fails its caller, who may just have saved something: what cannot be embedded now
stays in line until the embedder and the index answer again.
"""

from __future__ import annotations

from ..language.passages import cut, word_count
from ..language.similarity import mean
from ..model.errors import Busy, Damaged, Unavailable
from ..model.scope import EVERYTHING
from ..notes.display import is_sealed, searchable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..model.memory import Memory
    from ..ports.embedder import Embedder
    from ..ports.search_index import SearchIndex
    from .engine import Engine

BATCH, SMALL_BATCH = 32, 8
"""Small ones in the background, where others wait for their turn."""
MOST_PASSAGES = 200


def asking(engine: Engine) -> Embedder | None:
    """Who embeds questions: the embedder whose vectors the index has.

    After a change of embedder that is the one before, until the new vectors are complete. Where
    it cannot be used any more, questions go by as many of the new ones as there are.
    """
    embedder = engine.embedder
    if embedder is None or "vector" not in engine.index.capabilities:
        return None
    models = engine.index.models()
    if models and models[0] != embedder.model and engine.former is not None:
        return engine.former(models[0]) or embedder
    return embedder


def embed_pending(
    engine: Engine,
    *,
    most: int | None = None,
    switch: bool = True,
    progress: Callable[[int], object] = lambda _: None,
    stopped: Callable[[], bool] = lambda: False,
    batch: int = BATCH,
) -> int:
    """Embed what has no vectors yet, newest first, and say how many memories that was.

    Vectors of another model stay in use until these are complete; without `switch` none are begun.
    """
    embedder, index = engine.embedder, engine.index
    if embedder is None or "vector" not in index.capabilities:
        return 0
    done = 0
    try:
        if not index.use_model(embedder.model, embedder.dimensions, switch=switch):
            return 0
        while (most is None or done < most) and not stopped():
            size = batch if most is None else min(batch, most - done)
            embedded = _embed_batch(embedder, index, size)
            if not embedded:
                break
            done += embedded
            progress(done)
    except (Unavailable, Busy, Damaged):
        return done
    return done


def embed_all(engine: Engine, progress: Callable[[int, int], object]) -> int:
    """Embed everything that waits, telling how many of how many memories are done."""
    embedder, index = engine.embedder, engine.index
    if embedder is None or "vector" not in index.capabilities:
        return 0
    try:
        index.use_model(embedder.model, embedder.dimensions)
        total = index.waiting(embedder.model)
    except (Unavailable, Busy, Damaged):
        return 0
    return embed_pending(engine, progress=lambda done: progress(done, total))


def embed_in_background(engine: Engine) -> None:
    """Let what has no vectors yet get them beside everything else, where a book stays open."""
    embedder, index = engine.embedder, engine.index
    if engine.background is None or embedder is None or "vector" not in index.capabilities:
        return
    if index.models() == [embedder.model] and not index.waiting(embedder.model):
        return
    engine.background.begin(
        lambda stopped: embed_pending(engine, stopped=stopped, batch=SMALL_BATCH)
    )


def embed_whole(engine: Engine, memory: Memory, *, vector: bytes | None = None) -> None:
    """Embed one text and no more, so that saving it does not wait; its passages follow later.

    `vector` is what the book's embedder makes of the text, if that is known already. While it
    is not the one that answers questions, the one that does is asked instead.
    """
    embedder, index = asking(engine), engine.index
    if embedder is None:
        return
    try:
        model, dimensions = embedder.model, embedder.dimensions
        if not index.use_model(model, dimensions, switch=False):
            return
        # A vector made for comparing is of the whole text; of a sealed one search knows the name.
        known = vector if embedder is engine.embedder and not is_sealed(memory) else None
        line = index.unembedded(visible=EVERYTHING, limit=1, ids=[memory.id], model=model)
        for key, waiting in line.items():
            index.put_vectors(
                {key: [known] if known else embedder.embed([searchable(waiting)])},
                model=model,
                dimensions=dimensions,
                complete=len(passages_of(waiting)) == 1,
            )
    except (Unavailable, Busy, Damaged):
        return
    embed_in_background(engine)


def passages_of(memory: Memory) -> list[str]:
    """The pieces of a memory that have vectors of their own."""
    return cut(searchable(memory), most=MOST_PASSAGES)


def _embed_batch(embedder: Embedder, index: SearchIndex, limit: int) -> int:
    """Embed the next in line; 0 when nobody waits or there is no more room for the model."""
    waiting = index.unembedded(visible=EVERYTHING, limit=limit, model=embedder.model)
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
