"""Merges, by a save and by maintenance: never two values in one text, never a thing said twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace import Commonplace
from commonplace.rules.relations.slots import says_all_of
from tests.conftest import Clock, OpenBook

TWO_VALUES = [
    ("Our weekly planning is in the small room", "Our weekly planning is in the large room",
     "small", "large"),
    ("The village plays the old game of bowls every summer",
     "The village plays the old game of boules every summer", "bowls", "boules"),
    ("My sister Mona works for a bakery near the station in Lyon",
     "My sister Mona works for a florist near the station in Lyon", "bakery", "florist"),
    ("The nightly export goes to the bucket called amber. It takes an hour.",
     "The nightly export goes to the bucket called cobalt. It takes an hour.", "amber", "cobalt"),
    ("Parcels for the lab are left at the front desk with Nina",
     "Parcels for the lab are left at the loading dock with Nina", "front desk", "loading dock"),
]  # fmt: skip
SAID_TWICE = [
    ("I have two kids.", "I have two kids and a dog."),
    ("We keep the spare key under the blue pot",
     "We keep the spare key under the blue pot by the back door"),
    ("The choir rehearses in the old chapel",
     "The choir usually rehearses in the old chapel on the hill"),
    ("Tomatoes from the garden are sold at the market",
     "Tomatoes from the garden are often sold at the farmers market"),
]  # fmt: skip


def texts(book: Commonplace) -> list[str]:
    return [one.content for one in book.list() if one.kind != "proposal"]


def by_hand(vault: Path, *notes: str) -> None:
    folder = vault / "system" / "memory" / "insight"
    folder.mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(notes):
        (folder / f"note-{number}.md").write_text(f"{text}\n", encoding="utf-8")


def says_twice(text: str) -> bool:
    """Whether the sentences of a text, without their full stops, repeat each other."""
    said = [one.strip() for one in text.replace("\n", ". ").split(".") if one.strip()]
    shared = [set(one.casefold().split()) for one in said]
    return any(
        len(one & other) >= 0.7 * min(len(one), len(other))
        for at, one in enumerate(shared)
        for other in shared[at + 1 :]
    )


@pytest.mark.parametrize(("one", "other", "first", "second"), TWO_VALUES)
@pytest.mark.parametrize("together", [False, True], ids=["singly", "batch"])
def test_a_save_never_joins_two_values(
    open_vault: OpenBook, one: str, other: str, first: str, second: str, *, together: bool
) -> None:
    book = open_vault(embedder="bundled")
    if together:
        book.save_many([one, other])
    else:
        book.save(one)
        book.save(other)
    assert second in " ".join(texts(book)), "the newer value is kept"
    for text in texts(book):
        assert first not in text or second not in text.replace(f"(was {second})", "")


@pytest.mark.parametrize(("one", "other", "first", "second"), TWO_VALUES)
def test_maintenance_never_joins_two_values(
    open_vault: OpenBook, vault: Path, one: str, other: str, first: str, second: str
) -> None:
    book = open_vault(embedder="bundled")
    by_hand(vault, one, other)
    book.maintain()
    assert not any(first in text and second in text for text in texts(book))


@pytest.mark.parametrize(("short", "rich"), SAID_TWICE)
@pytest.mark.parametrize("swapped", [False, True])
def test_no_text_says_a_thing_twice_after_a_save(
    open_vault: OpenBook, short: str, rich: str, *, swapped: bool
) -> None:
    book = open_vault(embedder="bundled")
    for text in (rich, short) if swapped else (short, rich):
        book.save(text)
    assert any(rich.rstrip(".") in text for text in texts(book)), "nothing is lost"
    assert not any(map(says_twice, texts(book)))


@pytest.mark.parametrize(("short", "rich"), SAID_TWICE)
def test_no_text_says_a_thing_twice_after_maintenance(
    open_vault: OpenBook, vault: Path, short: str, rich: str
) -> None:
    book = open_vault(embedder="bundled")
    by_hand(vault, short, rich)
    book.maintain()
    assert any(rich.rstrip(".") in text for text in texts(book)), "nothing is lost"
    assert not any(map(says_twice, texts(book)))


def test_the_fuller_of_two_sentences_stands_for_both_and_comes_apart_again(
    book: Commonplace, clock: Clock
) -> None:
    book.save("We keep the spare key under the blue pot")
    clock.pass_days(1)
    saved = book.save("We keep the spare key under the blue pot by the back door")
    assert saved.action == "merged"
    assert texts(book) == ["We keep the spare key under the blue pot by the back door"]
    book.revert(next(event.id for event in book.audit() if event.action == "merged"))
    assert len(texts(book)) == 2


@pytest.mark.parametrize(
    ("richer", "poorer", "says_all"),
    [
        ("I have two kids and a dog.", "I have two kids.", True),
        ("The choir also rehearses in the chapel on Mondays", "The choir rehearses in the chapel",
         True),
        ("I like tea with milk", "I like tea", True),
        ("I like tea cake", "I like tea", False),
        ("I like green tea", "I like tea", False),
        ("I like tea and not coffee", "I like tea", False),
        ("I have two kids if you count the dog", "I have two kids", False),
        ("The branch is main", "The branch was main", False),
        ("Bob thinks the branch is main", "The branch is main", False),
        ("We ship", "We ship", False),
    ],
)  # fmt: skip
def test_only_words_that_add_make_a_statement_fuller(
    richer: str, poorer: str, *, says_all: bool
) -> None:
    assert says_all_of(richer, poorer) is says_all
