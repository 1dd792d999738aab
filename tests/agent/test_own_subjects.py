"""A sentence with a subject of its own is no answer to what was spoken of before."""

from __future__ import annotations

import pytest

from commonplace import Commonplace
from tests.agent.test_typed_in_passing import kept, talk
from tests.conftest import OpenBook


@pytest.fixture
def book(open_vault: OpenBook) -> Commonplace:
    """A book with vectors, that hooks keep in a project."""
    return open_vault(source="hook", context={"project": "pump"}, embedder="bundled")


def test_it_is_kept_without_the_question_before(book: Commonplace) -> None:
    talk(
        book,
        "one",
        ("which address does the flow sensor have", "0x09."),
        ("the debug uart moved to UART4 on rev C, same baud", "Updated the overlay."),
    )
    assert kept(book) == ["The debug uart moved to UART4 on rev C, same baud."]


def test_of_a_list_only_what_is_named_ends(book: Commonplace) -> None:
    book.save("Deliveries go to Leiden and Voorschoten only")
    talk(
        book,
        "one",
        ("remember: the oven man is Piet", "I will remember Piet."),
        ("we no longer deliver to Voorschoten", "Removed Voorschoten."),
    )
    assert "Deliveries go to Leiden only" in kept(book), "Leiden goes on"
    assert not any("Voorschoten" in one or "“" in one for one in kept(book))


def test_after_actually_it_corrects_nothing_that_it_does_not_name(book: Commonplace) -> None:
    book.save("Firmware is released from main")
    book.save("I prefer rebase over merge commits.", kind="preference")
    talk(
        book,
        "one",
        ("which branch do releases come from", "main."),
        ("actually i take back the rebase thing, merge commits are fine", "Ok, merge commits."),
    )
    assert "Firmware is released from main" in kept(book)
    assert "I prefer rebase over merge commits." not in kept(book)
    assert not any("“" in one for one in kept(book))


def test_another_figure_corrects_the_memory_of_which_the_assistant_took_it(
    book: Commonplace,
) -> None:
    book.save("Chapter 3 uses the transect data of 2024 with 312 trees")
    talk(
        book,
        "one",
        ("how many trees did we have in ch 3?", "312 trees, from the 2024 transects."),
        ("hm there are 309, three were double counted. fix the text", "Changed 312 to 309."),
    )
    assert not any("312 trees" in one and "309" not in one for one in kept(book))
    assert any("309" in one for one in kept(book))


def test_what_is_said_of_a_thing_is_no_preference(book: Commonplace) -> None:
    talk(book, "one", ("le pain de seigle n'a plus besoin de deux jours, un seul suffit", "Noté."))
    [told] = [one for one in book.list() if one.kind != "session-summary"]
    assert (told.kind, str(told.scope)) == ("insight", "/project/pump")


def test_what_is_to_be_done_once_is_no_part_of_a_fact(book: Commonplace) -> None:
    said = "my main supervisor is now Maire Saag since Anneli moved to Tartu, update the title page"
    talk(book, "one", (said, "Updated."))
    assert any("Saag" in one for one in kept(book))
    assert not any("title page" in one for one in kept(book))


def test_it_replaces_a_memory_in_its_own_words(book: Commonplace) -> None:
    book.save("We're switching from Mollie to Stripe because of the fees")
    talk(
        book,
        "one",
        ("so pay via stripe right", "Yes."),
        ("we dropped stripe again, too much paperwork", "Back to Mollie."),
    )
    assert "We dropped stripe again, too much paperwork." in kept(book)
    assert not any("“" in one for one in kept(book))
