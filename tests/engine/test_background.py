"""A book that stays open answers a save first, and makes vectors and asks the judge afterwards."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic, sleep

import pytest

from commonplace import Commonplace
from commonplace.backends.neural.fallback import HashingEmbedder
from commonplace.engine import background as background_module
from commonplace.engine.background import Background
from commonplace.engine.engine import Engine
from commonplace.model.errors import EmbedderUnavailable
from tests.conftest import OpenBook

OLD, NEW = "We use Jenkins for CI.", "As of last week CI runs on Buildkite; the Jenkins box is off."
"""A change that only meaning tells: too few words are the same."""
PLAIN_OLD, PLAIN_NEW = "The Q3 offsite is in Ghent.", "The Q3 offsite is in Maastricht."
SAVER = """
import os, sys
import commonplace
from commonplace.engine import background
from commonplace.settings import Settings
background.IDLE_S = 600.0  # The process ends before the book is idle, however slow it is.
book = commonplace.open(sys.argv[1], settings=Settings(state=sys.argv[2], embedder="hash"))
for name in ("Ada", "Bob", "Eve"):
    book.save(f"{name} likes tea of another kind, and says so")
print(book.waiting_for_vectors, flush=True)
os._exit(0)
"""


class Watched(HashingEmbedder):
    """Remembers which threads asked it, and when."""

    def __init__(self, takes_s: float = 0.0) -> None:
        self.threads: list[str] = []
        self._takes_s = takes_s

    def embed(self, texts: Sequence[str], *, query: bool = False) -> list[bytes]:
        if not query:
            self.threads.append(threading.current_thread().name)
            sleep(self._takes_s)
        return super().embed(texts, query=query)


def engine_of(book: Commonplace) -> Engine:
    return book._engine


def background_of(book: Commonplace) -> Background:
    background = engine_of(book).background
    assert background is not None
    return background


def watched(book: Commonplace, embedder: Watched) -> Commonplace:
    return Commonplace(engine_of(book).but(embedder=embedder))


def eventually(met: Callable[[], bool], *, within_s: float = 30.0) -> bool:
    end = monotonic() + within_s
    while not met() and monotonic() < end:
        sleep(0.01)
    return met()


def test_a_save_is_answered_without_a_vector_which_follows_in_one_thread(
    url: str, open_at: OpenBook
) -> None:
    embedder = Watched()
    book = watched(open_at(url, embedder="hash", background=True), embedder)
    before = threading.active_count()
    for number in range(30):
        book.save(f"Island number {number} has a ferry of its own")
    assert threading.active_count() <= before + 1
    assert eventually(lambda: book.waiting_for_vectors == 0)
    assert set(embedder.threads) == {"commonplace-background"}


def test_a_recall_right_after_a_save_finds_it_by_its_vector(url: str, open_at: OpenBook) -> None:
    book = open_at(url, embedder="hash", background=True)
    book.save("The lighthouse keeper feeds the gulls")
    hit = book.recall("lighthous keepr")[0]
    assert any(why.part == "meaning" for why in hit.why)
    assert book.waiting_for_vectors == 0


def test_a_book_that_is_never_idle_gets_its_vectors_all_the_same(
    url: str, open_at: OpenBook
) -> None:
    book = open_at(url, embedder="hash", background=True)
    book.save("Ada likes tea")

    def done_while_busy() -> bool:
        background_of(book).touch()
        return book.waiting_for_vectors == 0

    assert eventually(done_while_busy)


def test_an_embedder_that_is_away_delays_no_save_and_no_recall(url: str, open_at: OpenBook) -> None:
    class Away(Watched):
        def embed(self, texts: Sequence[str], *, query: bool = False) -> list[bytes]:
            super().embed(texts, query=query)
            raise EmbedderUnavailable("The embedder is away.")

    away = Away()
    book = watched(open_at(url, embedder="hash", background=True), away)
    for name in ("Ada", "Bob", "Eve"):
        book.save(f"{name} likes tea")
        assert book.recall(f"What does {name} like?")[0].memory.content == f"{name} likes tea"
    assert len(away.threads) == 1, "it is not asked again for a while"


def test_what_a_process_leaves_without_a_vector_the_next_one_completes(
    url: str, open_at: OpenBook, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", SAVER, url, str(tmp_path / "state")]
    left = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert int(left) > 0
    book = open_at(url, embedder="hash", background=True)
    assert len(book.list()) == 3
    book.recall("tea")
    assert eventually(lambda: book.waiting_for_vectors == 0)


def test_closing_a_book_finishes_what_its_saves_left(url: str, open_at: OpenBook) -> None:
    book = open_at(url, embedder="bundled", background=True)
    old = book.save(OLD).memory
    assert book.save(NEW).action == "created"
    book.close()
    again = open_at(url, embedder="bundled", source="cli")
    assert again.waiting_for_vectors == 0
    assert [one.content for one in again.list()] == [NEW]
    assert again.history(old.id).versions[0].status == "superseded"


def test_a_change_that_words_make_likely_is_in_the_answer(url: str, open_at: OpenBook) -> None:
    book = open_at(url, embedder="bundled", background=True)
    old = book.save(PLAIN_OLD).memory
    saved = book.save(PLAIN_NEW)
    assert (saved.action, saved.replaced) == ("superseded", old.id)


def test_a_change_that_only_meaning_tells_is_made_before_the_next_answer(
    url: str, open_at: OpenBook
) -> None:
    book = open_at(url, embedder="bundled", background=True)
    old = book.save(OLD).memory
    new = book.save(NEW)
    assert new.action == "created"
    assert [hit.memory.content for hit in book.recall("What does CI run on?")] == [NEW]
    [change] = [one for one in book.history(old.id).events if one.action == "superseded"]
    assert change.automatic
    book.revert(change.id)
    assert {one.content for one in book.list()} == {OLD, NEW}, "both stand after an undo"


def test_a_review_of_an_older_save_never_ends_a_newer_one(url: str, open_at: OpenBook) -> None:
    book = open_at(url, embedder="bundled", background=True)
    for text in (OLD, NEW, "CI has moved from Buildkite to Woodpecker since."):
        book.save(text)
    background_of(book).wait()
    # With the other clause of what it replaces: the Jenkins box is still off.
    assert any(
        one.content.startswith("CI has moved from Buildkite to Woodpecker since.")
        for one in book.list()
    )


def test_what_was_edited_or_forgotten_meanwhile_is_not_reviewed(
    url: str, open_at: OpenBook
) -> None:
    book = open_at(url, embedder="bundled", background=True)
    book.save(OLD)
    new = book.save(NEW).memory
    book.forget(new.id)
    background_of(book).wait()
    assert [one.content for one in book.list()] == [OLD]


def test_what_says_the_same_in_other_words_is_one_memory_in_the_end(
    url: str, open_at: OpenBook
) -> None:
    book = open_at(url, embedder="bundled", background=True)
    book.save("The office closes at six in the evening.")
    book.save("At 6 pm the office shuts.")
    background_of(book).wait()
    contents = [one.content for one in book.list()]
    assert len(contents) <= 2
    assert "The office closes at six in the evening." in contents


def test_a_person_gets_the_judges_word_with_the_answer(url: str, open_at: OpenBook) -> None:
    book = open_at(url, embedder="bundled", background=True, source="person")
    book.save(OLD)
    assert book.save(NEW).action == "superseded"


def test_a_step_that_breaks_ends_neither_the_others_nor_the_book(
    url: str, open_at: OpenBook
) -> None:
    background = background_of(open_at(url, background=True))
    done: list[str] = []

    def broken() -> None:
        raise EmbedderUnavailable("It is away.")

    background.review("a", "text", broken)
    background.review("b", "other", lambda: done.append("b"))
    background.wait()
    assert done == ["b"]
    assert not background.has_work


def test_many_reviews_keep_no_list_waiting(url: str, open_at: OpenBook) -> None:
    book = open_at(url, background=True)
    background, done = background_of(book), list[str]()
    background.touch()
    for number in range(background_module.FEW_REVIEWS + 50):
        background.review(str(number), "", lambda: (sleep(0.05), done.append("x")))
    book.list()
    assert len(done) < background_module.FEW_REVIEWS + 50


def test_a_prompt_right_after_saves_is_answered_by_meaning_too(url: str, open_at: OpenBook) -> None:
    book = open_at(url, embedder="hash", background=True)
    agent = book.as_context({}, source="mcp")
    agent.save("Invoices leave on the first Monday")
    agent.save("The cellar floods when the snow melts")
    book.as_context({}, source="hook").prompt("when do the invoices leave?")
    assert book.waiting_for_vectors == 0


def test_a_step_that_takes_long_is_not_waited_for_longer_than_a_recall_may(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(background_module, "LONGEST_SETTLE_S", 0.1)
    background, begun, end = Background(), threading.Event(), threading.Event()

    def long_step() -> int:
        begun.set()
        end.wait(60)
        return 0

    background.embed(long_step, due=1)
    assert begun.wait(30)
    background.review("one", "a text", lambda: None)
    before = monotonic()
    background.settle(lambda: {"one"})
    waited = monotonic() - before
    end.set()
    background.close()
    assert waited < 30
    assert not background.has_work
