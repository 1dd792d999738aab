"""Embed memories in batches, each stored when it is done, so that a killed run loses little.

An unavailable embedder or index never fails the caller: memories without vectors wait until both
answer again.
"""

from __future__ import annotations

from time import monotonic

from ..language.similarity import mean
from ..model.errors import Busy, Damaged, EmbedderUnavailable, Unavailable
from ..model.scope import EVERYTHING
from ..notes.display import is_sealed, searchable_text
from ..ports.search_index import Where
from .catch_up import with_index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..model.memory import Memory
    from ..ports.embedder import Embedder
    from ..ports.search_index import SearchIndex
    from .engine import Engine

BATCH, SMALL_BATCH = 32, 8
"""Small batches in the background, where other work waits for its turn."""
MOST_PASSAGES = 200
"""Passages of one text."""
MOST_TOGETHER = 40
"""Passages of a batch of several texts: others wait until a batch is stored."""
MOST_AT_ONCE, MOST_SECONDS = 1_000, 60.0
"""Memories and time that one background process of a hook spends on vectors."""
MOST_SECONDS_FIRST = 3.0
"""A command that saves spends no longer than this on the vectors of other memories."""


def question_embedder(engine: Engine) -> Embedder | None:
    """The embedder for questions: that of the vectors in the index.

    After a change of embedder the previous one is used until the new vectors are complete, or the
    new one at once if the previous one cannot be opened.
    """
    embedder = engine.embedder
    if embedder is None or "vector" not in engine.index.capabilities:
        return None
    models = engine.index.models()
    if models and models[0] != embedder.model and engine.embedder_for_model is not None:
        return engine.embedder_for_model(models[0]) or embedder
    return embedder


def embed_pending(
    engine: Engine,
    *,
    most: int | None = None,
    switch: bool = True,
    progress: Callable[[int], object] = lambda _: None,
    stopped: Callable[[], bool] = lambda: False,
    batch: int = BATCH,
    keep: dict[str, bytes] | None = None,
) -> int:
    """Embed memories without vectors, newest first; returns their number.

    Vectors of another model stay in use until the new ones are complete; without `switch` no new
    model is begun. The vectors of texts that are in `keep` are kept there as well.
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
            embedded = _embed_batch(embedder, index, size, {} if keep is None else keep)
            if not embedded:
                break
            done += embedded
            progress(done)
    except (Unavailable, Busy, Damaged):
        return done
    return done


def embed_all(engine: Engine, progress: Callable[[int, int], object]) -> int:
    """Embed all memories without vectors; `progress` gets the number done and the total."""
    embedder, index = engine.embedder, engine.index
    if embedder is None or "vector" not in index.capabilities:
        return 0
    try:
        index.use_model(embedder.model, embedder.dimensions)
        total = index.waiting(embedder.model)
    except (Unavailable, Busy, Damaged):
        return 0
    return embed_pending(engine, progress=lambda done: progress(done, total))


def waiting_for_vectors(engine: Engine) -> int:
    """How many memories that the index knows wait for a vector of the book's embedder."""
    embedder, index = engine.embedder, engine.index
    if embedder is None or "vector" not in index.capabilities:
        return 0
    if embedder.model in index.models():
        return index.waiting(embedder.model)
    return sum(index.count(Where(), visible=EVERYTHING, by="status").values())


def embed_waiting(engine: Engine, *, most: int = MOST_AT_ONCE) -> int:
    """Embed some of the memories that wait, for a process that ends soon; returns their number.

    The next call goes on where this one stops, after `most` memories or MOST_SECONDS.
    """
    if not waiting_for_vectors(engine):
        return 0
    end = monotonic() + MOST_SECONDS
    return embed_pending(engine, most=most, batch=SMALL_BATCH, stopped=lambda: monotonic() > end)


def embed_first(engine: Engine) -> None:
    """Embed what waits before a save of a process that ends soon is compared, if that is quick."""
    with_index(engine, lambda: None, quick=True)
    # Vectors of a new embedder are of no use before they are complete.
    if question_embedder(engine) is engine.embedder and waiting_for_vectors(engine):
        end = monotonic() + MOST_SECONDS_FIRST
        embed_pending(engine, switch=False, batch=SMALL_BATCH, stopped=lambda: monotonic() > end)


def embed_in_background(engine: Engine) -> None:
    """Embed memories without vectors while the book is idle, if it stays open."""
    if engine.background is not None and waiting_for_vectors(engine):
        engine.background.embed(lambda: _embed_step(engine))


def _embed_step(engine: Engine) -> int:
    """Embed a few memories; 0 if none waits. Raises if some wait and none could be embedded."""
    known = engine.background.vectors if engine.background else {}
    done = embed_pending(engine, most=SMALL_BATCH, batch=SMALL_BATCH, keep=known)
    if not done and waiting_for_vectors(engine):
        raise EmbedderUnavailable("No vector could be made.", hint="Ask `doctor` for the reason.")
    return done


def embed_one(engine: Engine, memory: Memory, *, vector: bytes | None = None) -> None:
    """Embed one memory: in a book that stays open later, else its whole text at once.

    `vector` is that of the book's embedder, if it is known already. While another embedder is used
    for questions, that one embeds the text at once. Passages of a long text follow with the next
    memories that wait.
    """
    embedder, index = question_embedder(engine), engine.index
    if embedder is None:
        return
    if engine.background is not None and vector is None and embedder is engine.embedder:
        engine.background.embed(lambda: _embed_step(engine), due=1)
        return
    try:
        model, dimensions = embedder.model, embedder.dimensions
        if not index.use_model(model, dimensions, switch=False):
            return
        # The known vector is of the content; a sealed memory is searched by its title.
        known = vector if embedder is engine.embedder and not is_sealed(memory) else None
        begun = index.begun()
        line = index.unembedded(visible=EVERYTHING, limit=1, ids=[memory.id], model=model)
        for key, waiting in line.items():
            vectors = [known] if known else embedder.embed([searchable_text(waiting)])
            if index.begun() != begun:
                return  # In another index the key is of another text.
            index.put_vectors(
                {key: vectors},
                model=model,
                dimensions=dimensions,
                complete=len(passages_of(waiting)) == 1,
            )
    except (Unavailable, Busy, Damaged):
        return
    embed_in_background(engine)


def passages_of(memory: Memory) -> list[str]:
    """The passages of a memory, each of which gets a vector."""
    # Imported here: a hook asks this module what waits, and embeds nothing.
    from ..language.passages import cut

    return cut(searchable_text(memory), most=MOST_PASSAGES)


def _embed_batch(embedder: Embedder, index: SearchIndex, limit: int, keep: dict[str, bytes]) -> int:
    """Embed the next batch; 0 if no memory waits, or the index takes no vectors of the model."""
    begun = index.begun()
    waiting = index.unembedded(visible=EVERYTHING, limit=limit, model=embedder.model)
    if not waiting:
        return 0
    texts: dict[int, list[str]] = {}
    parts: list[str] = []
    for key, memory in waiting.items():
        own = passages_of(memory)
        if texts and len(parts) + len(own) > MOST_TOGETHER:
            break
        texts[key] = own
        parts += own
    vectors = embedder.embed(parts)
    keep.update(pair for pair in zip(parts, vectors, strict=True) if pair[0] in keep)
    if index.begun() != begun:
        return 0  # In another index the keys are of other texts, which wait for the next batch.
    made = iter(vectors)
    kept = index.put_vectors(
        {key: _with_whole(own, [next(made) for _ in own]) for key, own in texts.items()},
        model=embedder.model,
        dimensions=embedder.dimensions,
    )
    return len(texts) if kept else 0


def _with_whole(passages: list[str], vectors: list[bytes]) -> list[bytes]:
    """The passage vectors after their mean, which finds more than one vector of a long text."""
    if len(vectors) == 1:
        return vectors
    from ..language.passages import word_count

    return [mean(vectors, [float(word_count(passage)) for passage in passages]), *vectors]
