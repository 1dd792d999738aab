"""Embedding and indexing: neither ever costs a saver the memory, and no model undoes another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from commonplace import Commonplace, sqlite
from commonplace.embedders.hashing import HashingEmbedder
from commonplace.errors import EmbedderUnavailable
from commonplace.ports import Put, Where
from commonplace.scope import EVERYTHING
from commonplace.verbs.embed import embed_pending, embed_whole
from commonplace.verbs.engine import Engine
from tests.conftest import OpenBook

LONG = "\n\n".join(f"Chapter {n}: " + f"the ferry to island {n} sails. " * 40 for n in range(4))


class Otherwise(HashingEmbedder):
    """Another model, of equal width."""

    model = "otherwise"


class Interrupted(HashingEmbedder):
    """Something happens in the book while it works."""

    def __init__(self, meanwhile: Callable[[], object]) -> None:
        self._meanwhile = meanwhile

    def embed(self, texts: Sequence[str], *, query: bool = False) -> list[bytes]:
        self._meanwhile()
        return super().embed(texts, query=query)


class Away(HashingEmbedder):
    """Cannot be reached, not even to say how wide its vectors are."""

    @property
    def dimensions(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]
        raise EmbedderUnavailable("The embedder is away.")


def engine_of(book: Commonplace) -> Engine:
    return book._engine


def in_line(engine: Engine) -> set[str]:
    waiting = engine.index.unembedded(visible=EVERYTHING, limit=1000)
    return {one.content for one in waiting.values()}


def near(engine: Engine, text: str, model: str) -> set[str]:
    """What has a vector of that model."""
    [vector] = HashingEmbedder().embed([text])
    found = engine.index.gather(
        {}, vector, visible=EVERYTHING, where=Where(), least=-2.0, model=model
    )
    keys = [one.key for one in found.candidates if one.meaning is not None]
    return {one.content for one in engine.index.fetch(keys, visible=EVERYTHING).values()}


def test_what_was_just_saved_has_a_vector(url: str, open_at: OpenBook) -> None:
    engine = engine_of(book := open_at(url, embedder="hash"))
    book.save("Ada likes tea")
    assert near(engine, "tea", "hash-1") == {"Ada likes tea"}
    assert in_line(engine) == set()


def test_a_long_text_is_found_at_once_and_its_passages_follow(url: str, open_at: OpenBook) -> None:
    engine = engine_of(book := open_at(url, embedder="hash"))
    book.save(LONG)
    assert len(near(engine, "ferry", "hash-1")) == len(in_line(engine)) == 1
    assert embed_pending(engine) == 1
    assert in_line(engine) == set()


def test_one_save_with_another_model_drops_no_vector(url: str, open_at: OpenBook) -> None:
    engine = engine_of(book := open_at(url, embedder="hash"))
    book.save("Ada likes tea")
    other = engine.but(embedder=Otherwise())
    pears = Commonplace(other).save("Bob likes pears").memory
    embed_whole(other, pears)
    assert embed_pending(other, switch=False) == 0
    assert near(engine, "tea", "hash-1") == {"Ada likes tea"}
    assert in_line(engine) == {"Bob likes pears"}


def test_pending_work_goes_over_to_a_new_model(url: str, open_at: OpenBook) -> None:
    engine = engine_of(book := open_at(url, embedder="hash"))
    book.save("Ada likes tea")
    assert embed_pending(engine.but(embedder=Otherwise())) == 1
    assert near(engine, "tea", "hash-1") == set()
    assert near(engine, "tea", "otherwise") == {"Ada likes tea"}


def test_embedding_ends_when_another_process_goes_over_to_its_own_model(
    book: Commonplace,
) -> None:
    book.save("Ada likes tea")
    engine = engine_of(book)
    late = Interrupted(lambda: engine.index.use_model("otherwise", 384))
    assert embed_pending(engine.but(embedder=late)) == 0
    assert in_line(engine) == {"Ada likes tea"}
    assert near(engine, "tea", "otherwise") == near(engine, "tea", "hash-1") == set()


def test_a_note_rewritten_while_it_is_embedded_gets_the_vector_of_its_new_text(
    book: Commonplace,
) -> None:
    ships = book.save("All about ships").memory
    engine = engine_of(book)

    def rewrite() -> None:
        old = engine.store.read([ships.id], visible=EVERYTHING)[ships.id]
        new = old.but(content="Entirely about tomatoes")
        if old != new:
            with engine.store.lease() as lease:
                engine.store.write([Put(new, expect=old)], lease=lease)
            book.list()

    embed_whole(engine.but(embedder=Interrupted(rewrite)), ships)
    assert near(engine, "tomatoes", "hash-1") == set()
    assert in_line(engine) == {"Entirely about tomatoes"}
    embed_pending(engine.but(embedder=HashingEmbedder()))
    assert near(engine, "tomatoes", "hash-1") == {"Entirely about tomatoes"}


def test_an_embedder_that_is_away_fails_nobody(book: Commonplace) -> None:
    engine = engine_of(book).but(embedder=Away())
    tea = Commonplace(engine).save("Ada likes tea").memory
    embed_whole(engine, tea)
    assert embed_pending(engine) == 0
    assert in_line(engine) == {"Ada likes tea"}


def test_a_locked_index_does_not_fail_the_save(url: str, open_at: OpenBook) -> None:
    engine = engine_of(book := open_at(url, embedder="hash"))
    book.save("Ada likes tea")
    sqlite.be_patient(engine.index._db, 0.01)  # pyright: ignore[reportAttributeAccessIssue]
    locker = sqlite.connect(engine.index.location, durable=False)
    locker.execute("BEGIN IMMEDIATE")
    saved = book.save("Bob likes pears")
    assert (saved.action, saved.indexed) == ("created", False)
    assert embed_pending(engine) == 0
    locker.execute("ROLLBACK")
    locker.close()
    assert {one.content for one in book.list()} == {"Ada likes tea", "Bob likes pears"}
    assert embed_pending(engine) == 1


def test_a_damaged_index_is_mended_by_the_next_save(url: str, open_at: OpenBook) -> None:
    book = open_at(url, embedder="hash")
    book.save("Ada likes tea")
    path = Path(engine_of(book).index.location)
    book.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xa5" * (len(whole) - 4096))
    book = open_at(url, embedder="hash")
    saved = book.save("Bob likes pears")
    assert (saved.action, saved.indexed) == ("created", True)
    assert book.save("Ada likes tea").action == "deduplicated"
    assert {one.content for one in book.list()} == {"Ada likes tea", "Bob likes pears"}
