"""Embedding and indexing: their failures never lose a save, and two models do not mix."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event
from time import sleep

import pytest

from commonplace import Commonplace, Hit, Proposed
from commonplace.backends.common import sqlite
from commonplace.backends.neural.fallback import HashingEmbedder
from commonplace.engine.embed import (
    MOST_TOGETHER,
    embed_in_background,
    embed_one,
    embed_pending,
    question_embedder,
)
from commonplace.engine.engine import Engine
from commonplace.model.errors import EmbedderUnavailable
from commonplace.model.scope import EVERYTHING
from commonplace.ports.record_store import Put
from commonplace.ports.search_index import Where
from tests.conftest import OpenBook

LONG = "\n\n".join(f"Chapter {n}: " + f"the ferry to island {n} sails. " * 40 for n in range(4))


class Otherwise(HashingEmbedder):
    """Another model with vectors of the same size."""

    model = "otherwise"


class Interrupted(HashingEmbedder):
    """Runs a function of the test while it embeds."""

    def __init__(self, meanwhile: Callable[[], object]) -> None:
        self._meanwhile = meanwhile

    def embed(self, texts: Sequence[str], *, query: bool = False) -> list[bytes]:
        self._meanwhile()
        return super().embed(texts, query=query)


class Away(HashingEmbedder):
    """An unreachable embedder, which cannot even report its dimensions."""

    @property
    def dimensions(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]
        raise EmbedderUnavailable("The embedder is away.")


def engine_of(book: Commonplace) -> Engine:
    return book._engine


def in_line(engine: Engine) -> set[str]:
    waiting = engine.index.unembedded(visible=EVERYTHING, limit=1000)
    return {one.content for one in waiting.values()}


def near(engine: Engine, text: str, model: str) -> set[str]:
    """Ids of the memories with vectors of a model."""
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
    embed_one(other, pears)
    assert embed_pending(other, switch=False) == 0
    assert near(engine, "tea", "hash-1") == {"Ada likes tea", "Bob likes pears"}
    assert engine.index.models() == ["hash-1"]


def test_pending_work_goes_over_to_a_new_model(url: str, open_at: OpenBook) -> None:
    engine = engine_of(book := open_at(url, embedder="hash"))
    book.save("Ada likes tea")
    assert embed_pending(engine.but(embedder=Otherwise())) == 1
    assert near(engine, "tea", "hash-1") == set()
    assert near(engine, "tea", "otherwise") == {"Ada likes tea"}


def test_questions_go_by_the_old_vectors_until_the_new_ones_are_complete(
    url: str, open_at: OpenBook
) -> None:
    old = engine_of(book := open_at(url, embedder="hash"))
    book.save_many([f"Island number {n} has a ferry" for n in range(10)])
    new = old.but(embedder=Otherwise())
    assert embed_pending(new, most=4) == 4
    asked = question_embedder(new)
    assert asked is not None
    assert asked.model == "hash-1"
    assert len(near(old, "ferry", "hash-1")) == 10
    meant = [hit for hit in Commonplace(new).recall("ferri island") if says(hit, "meaning")]
    assert len(meant) == 10, "the old vectors are the ones compared"
    shown = Commonplace(new).status().embedder
    assert shown == "otherwise (re-embedding: 40 %; until then recall goes by hash-1)"

    saved = Commonplace(new).save("Harbour cranes are painted yellow").memory
    assert saved.content in near(new, "cranes", "hash-1"), "what is new is found at once"
    assert embed_pending(new) == 7
    assert near(old, "ferry", "hash-1") == set()
    assert len(near(new, "ferry", "otherwise")) == 11
    assert question_embedder(new) is new.embedder
    assert Commonplace(new).status().embedder == "otherwise"


def says(hit: Hit, part: str) -> bool:
    return any(why.part == part for why in hit.why)


def test_an_old_model_that_is_gone_leaves_the_new_vectors_there_are(
    url: str, open_at: OpenBook
) -> None:
    engine = engine_of(book := open_at(url, embedder="hash"))
    book.save_many(["Ada likes tea", "Bob likes pears"])
    new = engine.but(embedder=Otherwise(), embedder_for_model=lambda _: None)
    assert embed_pending(new, most=1) == 1
    assert question_embedder(new) is new.embedder
    assert Commonplace(new).recall("pears")[0].memory.content == "Bob likes pears"


def test_going_back_to_the_old_model_keeps_its_vectors(url: str, open_at: OpenBook) -> None:
    engine = engine_of(book := open_at(url, embedder="hash"))
    book.save_many(["Ada likes tea", "Bob likes pears"])
    assert embed_pending(engine.but(embedder=Otherwise()), most=1) == 1
    assert embed_pending(engine) == 0
    assert engine.index.models() == ["hash-1"]
    assert len(near(engine, "tea", "hash-1")) == 2


def test_embedding_ends_when_another_process_chooses_another_model(
    url: str, open_at: OpenBook
) -> None:
    engine = engine_of(book := open_at(url, embedder="hash"))
    book.save("Ada likes tea")
    late = Interrupted(lambda: engine.index.use_model("sextant", 384))
    late.model = "otherwise"
    assert embed_pending(engine.but(embedder=late)) == 0
    assert engine.index.models() == ["hash-1", "sextant"]
    assert near(engine, "tea", "hash-1") == {"Ada likes tea"}


def test_a_book_that_stays_open_embeds_anew_beside_everything_else(
    url: str, open_at: OpenBook
) -> None:
    first = open_at(url, embedder="hash")
    first.save_many([f"Island number {n} has a ferry" for n in range(30)])
    engine = engine_of(open_at(url, embedder="hash", background=True))
    background = engine.background
    assert background is not None
    book = Commonplace(engine.but(embedder=Otherwise()))
    assert book.recall("ferry")
    background.wait()
    assert engine.index.models() == ["otherwise"]
    assert len(near(engine, "ferry", "otherwise")) == 30
    book.save(LONG)
    background.wait()
    assert in_line(engine) == set(), "the passages of a long text follow"


def test_closing_a_book_ends_its_background_between_two_steps(url: str, open_at: OpenBook) -> None:
    first = open_at(url, embedder="none")
    first.save_many([f"Island number {n} has a ferry" for n in range(200)])
    engine = engine_of(book := open_at(url, embedder="hash", background=True))
    began = Event()
    slow = Interrupted(lambda: (began.set(), sleep(0.02)))
    embed_in_background(engine.but(embedder=slow))
    assert began.wait(10)
    book.close()
    left = engine_of(open_at(url, embedder="hash"))
    waiting = left.index.waiting("hash-1")
    assert 0 < waiting < 200
    assert embed_pending(left) == waiting


def test_an_embedder_that_is_away_is_not_asked_at_every_turn(url: str, open_at: OpenBook) -> None:
    engine = engine_of(book := open_at(url, background=True))
    book.save("Ada likes tea")
    asked: list[bool] = []

    def fail() -> None:
        asked.append(True)
        raise EmbedderUnavailable("The embedder is away.")

    away = engine.but(embedder=Interrupted(fail))
    for _ in range(3):
        embed_in_background(away)
        assert away.background is not None
        away.background.wait()
    assert len(asked) == 1


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

    embed_one(engine.but(embedder=Interrupted(rewrite)), ships)
    assert near(engine, "tomatoes", "hash-1") == set()
    assert in_line(engine) == {"Entirely about tomatoes"}
    embed_pending(engine.but(embedder=HashingEmbedder()))
    assert near(engine, "tomatoes", "hash-1") == {"Entirely about tomatoes"}


def test_an_embedder_that_is_away_fails_nobody(book: Commonplace) -> None:
    engine = engine_of(book).but(embedder=Away())
    tea = Commonplace(engine).save("Ada likes tea").memory
    embed_one(engine, tea)
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


def test_no_text_gets_the_vector_of_another_when_the_index_is_made_anew_meanwhile(
    open_vault: OpenBook, vault: Path
) -> None:
    book = open_vault()
    for name, text in (
        ("a", "Anna likes lakes"),
        ("b", "Boats carry rice"),
        ("c", "Cheese needs salt"),
    ):
        (vault / f"{name}.md").write_text(f"{text}.\n")
        book.look()
    # In an index that is made anew, the texts after this one have other rows.
    (vault / "a.md").unlink()
    book.look()
    engine = engine_of(book)
    done: list[bool] = []

    def damage_once() -> None:
        if not done:
            done.append(True)
            Path(engine.index.location).unlink()
            engine.index.use_model("hash-1", HashingEmbedder().dimensions)

    embed_pending(engine.but(embedder=Interrupted(damage_once)))
    embed_pending(engine.but(embedder=HashingEmbedder()))
    assert in_line(engine) == set()
    for text in ("Boats carry rice.", "Cheese needs salt."):
        [vector] = HashingEmbedder().embed([text])
        found = engine.index.gather(
            {}, vector, visible=EVERYTHING, where=Where(), least=-2.0, model="hash-1"
        )
        best = max(found.candidates, key=lambda one: one.meaning or -2.0)
        [memory] = engine.index.fetch([best.key], visible=EVERYTHING).values()
        assert memory.content.strip() == text


def test_a_note_written_by_hand_is_sure_before_it_is_embedded_and_sync_says_that_it_was(
    open_vault: OpenBook, vault: Path
) -> None:
    book = open_vault(embedder="hash")
    for text in ("I drink coffee in Munich", "Bob lives at the sea", "Anna sails on Sundays"):
        book.save(text)
    (vault / "notes").mkdir()
    (vault / "notes" / "tea.md").write_text("I drink Sencha tea at 4pm.\n")
    found = book.recall("what tea do I drink")
    assert found[0].memory.content.strip() == "I drink Sencha tea at 4pm."
    assert found.sure == "strong"
    assert book.sync().embedded == 1
    assert book.sync().embedded == 0


def test_a_long_lived_book_embeds_a_note_as_soon_as_it_is_seen(
    open_vault: OpenBook, vault: Path
) -> None:
    book = open_vault(embedder="hash", background=True)
    note = vault / "system" / "insight" / "screens.md"
    note.parent.mkdir(parents=True)
    note.write_text("The waiting-room screens reboot in winter")
    book.look()
    engine = engine_of(book)
    for _ in range(200):
        if near(engine, "screens", "hash-1"):
            break
        sleep(0.02)
    assert near(engine, "screens", "hash-1") == {"The waiting-room screens reboot in winter"}


def test_doctor_names_the_notes_that_wait_for_a_vector(open_vault: OpenBook, vault: Path) -> None:
    book = open_vault(embedder="hash", source="cli")
    book.save("Ada likes tea")
    note = vault / "system" / "insight" / "screens.md"
    note.parent.mkdir(parents=True)
    note.write_text("The waiting-room screens reboot in winter")
    [found] = [one for one in book.doctor() if one.where == "vectors"]
    assert "1 (screens)" in found.what
    assert "commonplace sync" in found.hint
    assert book.embed_waiting() == 1
    assert [one for one in book.doctor() if one.where == "vectors"] == []


def test_doctor_names_nothing_that_recall_never_returns(url: str, open_at: OpenBook) -> None:
    plain = open_at(url, source="person")
    kept, gone = plain.save("Ada runs the orchard"), plain.save("Tea is at four")
    with pytest.raises(Proposed):
        open_at(url, source="mcp").edit(kept.memory.id, content="Ada runs the mill")
    (waiting,) = plain.inbox()
    plain.reject(waiting.memory.id)
    plain.forget(gone.memory.id)
    book = open_at(url, embedder="hash", source="person")
    assert book.waiting_for_vectors == 3
    [found] = [one for one in book.doctor() if one.where == "vectors"]
    assert f": 1 ({kept.memory.slug})" in found.what
    book.forget(kept.memory.id)
    assert [one for one in book.doctor() if one.where == "vectors"] == []


def test_what_one_process_leaves_without_a_vector_the_next_one_embeds(
    url: str, open_at: OpenBook
) -> None:
    plain = open_at(url)
    for name in ("Ada", "Bob", "Eve"):
        plain.save(f"{name} likes tea of another kind, and says so")
    book = open_at(url, embedder="hash", source="cli")
    assert book.embed_waiting(2) == 2
    assert book.waiting_for_vectors == 1
    assert book.embed_waiting(2) == 1
    assert book.embed_waiting(2) == 0


def test_long_texts_are_embedded_one_after_the_other(url: str, open_at: OpenBook) -> None:
    calls: list[int] = []

    class Counting(HashingEmbedder):
        def embed(self, texts: Sequence[str], *, query: bool = False) -> list[bytes]:
            calls.append(len(texts))
            return super().embed(texts, query=query)

    book = open_at(url, embedder="none")
    for number in range(3):
        names = (f"x{number}y{count}" for count in range(4_000))
        book.save(f"Keep the log of ferry {number}: " + " ".join(names))
    engine = engine_of(book).but(embedder=Counting())
    assert embed_pending(engine) == 3
    assert len(calls) == 3
    assert min(calls) > MOST_TOGETHER / 2
