"""Looking through a book as a person does."""

from __future__ import annotations

from datetime import timedelta

from commonplace import Commonplace
from commonplace.ports.search_index import Where
from tests.conftest import Clock


def contents(book: Commonplace, query: str = "", **options: object) -> list[str]:
    return [hit.memory.content for hit in book.browse(query, **options)]  # pyright: ignore[reportArgumentType]


def test_browsing_goes_page_by_page_newest_first(book: Commonplace, clock: Clock) -> None:
    for number in range(5):
        clock.pass_days(1)
        book.save(f"Ledger page {number} is balanced")
    assert contents(book, limit=2) == [
        "Ledger page 4 is balanced",
        "Ledger page 3 is balanced",
    ]
    assert contents(book, limit=2, offset=4) == ["Ledger page 0 is balanced"]


def test_a_search_ranks_as_recall_and_leaves_no_trace(book: Commonplace) -> None:
    for text in ("We deploy from main", "The deploy bell rings at noon", "Tea is at four"):
        book.save(text)
    question = "which branch do we deploy from"
    found = contents(book, question)
    assert book.retrievals() == []
    assert not any(use.count for use in book.uses([one.id for one in book.list()]).values())
    assert found == [hit.memory.content for hit in book.recall(question)]


def test_what_does_not_fit_the_question_is_left_out_and_counted(book: Commonplace) -> None:
    book.save("We deploy from main after the review of the day")
    book.save("The day after, a bell rings from the tower of the town hall")
    question = "which branch do we deploy from in review"
    every = book.browse(question)
    fitting = book.browse(question, fitting=True)
    assert [hit.memory.content[:9] for hit in fitting] == ["We deploy"]
    assert (fitting.found, fitting.unfit) == (1, len(every) - 1)
    nothing = book.browse("zymurgy of the quokka", fitting=True)
    assert (list(nothing), nothing.found) == ([], 0)


def test_pages_of_a_search_follow_each_other_and_know_how_many_fit(book: Commonplace) -> None:
    for number in ("one", "two", "three", "four", "five"):
        book.save(f"The buoy called {number} is red")
    pages = [book.browse("red buoy", fitting=True, limit=2, offset=at) for at in (0, 2, 4)]
    assert [page.found for page in pages] == [5, 5, 5]
    assert len({hit.memory.id for page in pages for hit in page}) == 5


def test_memories_are_counted_by_an_axis(book: Commonplace) -> None:
    book.save("Orchids need rain water", kind="preference", tags=["Garden"])
    forgotten = book.save("Cacti need none", tags=["garden"])
    book.forget(forgotten.id)
    assert book.count_by("tag") == {"garden": 1}
    assert book.count_by("status", where=Where()) == {"active": 1, "deleted": 1}


def test_a_rehearsed_digest_leaves_no_trace_either(book: Commonplace) -> None:
    saved = book.save("The bell rings at noon")
    rehearsed = book.rehearsed(strategy="rrf").digest("when does the bell ring")
    assert saved.id in rehearsed.ids
    assert book.retrievals() == []


def test_as_of_a_day_shows_what_the_book_held_then(book: Commonplace, clock: Clock) -> None:
    old = book.save("The gate is green")
    clock.pass_days(2)
    before = clock.now
    clock.pass_days(2)
    book.edit(old.id, content="The gate is blue")
    book.save("The fence is new")
    assert contents(book, as_of=before) == ["The gate is green"]
    assert contents(book, "gate", as_of=before) == ["The gate is green"]
    assert contents(book, as_of=before - timedelta(days=9)) == []
    assert set(contents(book, as_of=clock.now)) == {"The gate is blue", "The fence is new"}


def test_a_member_browses_nobody_elses_memories(book: Commonplace, clock: Clock) -> None:
    book.save("Ada keeps an engine", scope="/user/ada")
    book.save("Grace keeps bees", scope="/user/grace")
    book.recall("who keeps what")
    grace = book.as_context({"user": "grace", "role": "member"})
    assert contents(grace) == ["Grace keeps bees"]
    assert contents(grace, "keeps an engine") in ([], ["Grace keeps bees"])
    assert contents(grace, as_of=clock.now) == ["Grace keeps bees"]
    figures = grace.vitals(clock.now - timedelta(days=1))
    named = [memory for memory, _ in figures.hot] + list(figures.cold)
    assert {str(memory.scope) for memory in named} == {"/user/grace"}
    assert figures.hit_ratio is None
