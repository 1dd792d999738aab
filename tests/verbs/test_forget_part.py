"""Of a memory that tells of several things only what is about the named one is forgotten."""

from __future__ import annotations

import pytest

from commonplace import Commonplace
from tests import as_person
from tests.agent.test_typed_in_passing import kept
from tests.conftest import OpenBook

BOTH = "Odile keeps the seals, Odette does the minutes."


@pytest.fixture
def talked(open_vault: OpenBook) -> Commonplace:
    return open_vault(source="hook", context={"project": "choir"})


@pytest.mark.parametrize(
    ("told", "said", "stays"),
    [
        (BOTH, "forget what I said about Odette", "Odile keeps the seals."),
        (BOTH, "forget everything I said about Odile", "Odette does the minutes."),
        (
            "Schwester Alma hat den Schlüssel, Schwester Alwine die Laterne.",
            "vergiss, was ich über Schwester Alma gesagt habe",
            "Schwester Alwine hat die Laterne.",
        ),
        (
            "Runa feeds the hens and Runo feeds the geese.",
            "oublie ce que j'ai dit sur Runo",
            "Runa feeds the hens.",
        ),
        ("The press needs oil. The vat leaks.", "drop the note on the vat", "The press needs oil."),
    ],
)
def test_a_wish_leaves_what_is_told_of_others(
    talked: Commonplace, told: str, said: str, stays: str
) -> None:
    talked.save(told)
    talked.session("later").add(said, role="user")
    assert kept(talked) == [stays]
    assert talked.inbox() == []
    [left] = talked.list()
    talked.revert(left.id)
    assert kept(talked) == [told]


@pytest.mark.parametrize(
    "said", ["forget what I said about Odette", "forget everything I said about Odette"]
)
def test_where_it_cannot_be_parted_a_person_is_asked(talked: Commonplace, said: str) -> None:
    told = talked.save("Odile and Odette share the office, Olga has the attic.").memory
    talked.session("later").add(said, role="user")
    assert kept(talked) == [told.content]
    [asked] = talked.inbox()
    assert [one.id for one in asked.about] == [told.id]


def test_a_preview_says_what_stays_and_its_confirmation_keeps_it(book: Commonplace) -> None:
    both = book.save(BOTH)
    alone = book.save("Odette sings alto.")
    seen = book.about("Odette")
    assert {one.id for one in seen.going} == {both.id, alone.id}
    assert seen.left == {both.id: "Odile keeps the seals."}
    done = book.forget_about("Odette", seen.id)
    assert [one.id for one in done.memories] == [alone.id]
    assert [one.content for one in done.shortened] == ["Odile keeps the seals."]
    assert kept(book) == ["Odile keeps the seals."]
    book.revert(done.id)
    assert sorted(kept(book)) == ["Odette sings alto.", BOTH]


def test_a_purge_takes_all_of_it(book: Commonplace) -> None:
    book.save(BOTH)
    person = as_person(book)
    seen = person.about("Odette", purge=True)
    assert seen.left == {}
    person.purge_about("Odette", seen.id)
    assert kept(book) == []


def test_what_cannot_be_parted_is_near_and_goes_if_it_is_chosen(book: Commonplace) -> None:
    told = book.save("Odile and Odette share the office, Olga has the attic.")
    seen = book.about("Odette")
    assert seen.going == ()
    assert [(one.memory.id, one.why) for one in seen.near] == [
        (told.id, "it tells of other things in the same sentence")
    ]


@pytest.mark.parametrize(
    "told",
    [
        "The Bergen cruise begins in May, at noon, in the old harbour.",
        "The Bergen cruise begins in May. The cruise costs 900 euros.",
        "The Bergen cruise begins in May. It costs 900 euros.",
    ],
)
def test_what_is_told_of_one_thing_goes_whole(book: Commonplace, told: str) -> None:
    meant = book.save(told)
    seen = book.about("the Bergen cruise")
    assert [one.id for one in seen.going] == [meant.id]
    assert seen.left == {}


def test_an_agent_is_told_which_memory_goes_only_in_part(book: Commonplace) -> None:
    from commonplace.doors.mcp.tool_answers import forgotten_answer, preview_answer

    book.save(BOTH)
    seen = book.about("Odette")
    assert "(only in part; stays: Odile keeps the seals.)" in preview_answer(book, seen).text
    done = forgotten_answer(book.forget_about("Odette", seen.id))
    assert "Forgotten: 1 memory, 1 only in part." in done.text
