"""Undoing what maintenance retired: both memories stand as before, and are left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace import Commonplace, Conflict
from commonplace.model.memory import Memory
from tests import as_person
from tests.conftest import Clock, OpenBook
from tests.verbs.test_maintain import TEA, by_hand, live

NAMES = ("slug", "title", "id", "short id", "text")


def called(memory: Memory, way: str) -> str:
    """One of the ways to name a memory."""
    names = {"slug": memory.slug, "title": memory.title, "id": memory.id, "text": memory.content}
    return names.get(way) or memory.id[-6:]


def as_stored(book: Commonplace) -> dict[str, Memory]:
    """The live memories, but for the moment of their last change."""
    return {one.id: one.but(updated=one.created) for one in book.list()}


def note(title: str, text: str, tags: str = "") -> str:
    return f"---\ntitle: {title}\ntags: [{tags}]\n---\n{text}"


@pytest.fixture
def duplicates(open_vault: OpenBook, vault: Path) -> Commonplace:
    insights = vault / "system" / "memory" / "insight"
    by_hand(insights, "tea-one.md", note("Tea one", TEA))
    by_hand(insights, "tea-two.md", note("Tea two", TEA, "drinks"))
    return open_vault()


@pytest.fixture
def contradiction(open_vault: OpenBook, vault: Path) -> Commonplace:
    insights = vault / "system" / "memory" / "insight"
    by_hand(insights, "sure.md", note("Port", "The staging server listens on port 9090"))
    unsure = "---\ntitle: Old port\nconfidence: 0.5\n---\nThe staging server listens on port 8080"
    by_hand(insights, "unsure.md", unsure)
    return open_vault()


@pytest.mark.parametrize("way", NAMES)
@pytest.mark.parametrize("messed", ["duplicates", "contradiction"])
def test_a_retired_memory_comes_back_by_any_name_and_both_are_as_before(
    messed: str, way: str, request: pytest.FixtureRequest
) -> None:
    book: Commonplace = request.getfixturevalue(messed)
    before = as_stored(book)
    (change,) = book.maintain().changes
    gone = book.get(change.memories[0])
    assert gone.status == "superseded"
    undone = book.revert(called(gone, way))
    assert undone.action == "retired"
    assert as_stored(book) == before


@pytest.mark.parametrize("messed", ["duplicates", "contradiction"])
def test_what_was_undone_is_neither_done_nor_asked_again(
    messed: str, request: pytest.FixtureRequest, clock: Clock
) -> None:
    book: Commonplace = request.getfixturevalue(messed)
    (change,) = book.maintain().changes
    book.revert(book.get(change.memories[0]).slug)
    for touched in change.memories:
        clock.pass_days(1)
        # A later change of one of them does not make the question a new one.
        as_person(book).edit(touched, tags=["seen"])
        assert book.maintain().changes == ()
    assert book.inbox() == []
    assert len(live(book)) == 2


def test_the_one_that_was_kept_comes_apart_by_its_name_too(duplicates: Commonplace) -> None:
    before = as_stored(duplicates)
    (change,) = duplicates.maintain().changes
    kept = duplicates.get(change.memories[1])
    assert kept.tags == ("drinks",)
    duplicates.revert(kept.slug)
    assert as_stored(duplicates) == before


def test_undoing_the_creation_of_the_one_that_was_kept_revives_the_other(
    open_vault: OpenBook, vault: Path
) -> None:
    book = open_vault()
    saved = book.save(TEA)
    by_hand(vault / "system" / "memory" / "insight", "tea.md", TEA)
    assert [one.action for one in book.maintain().changes] == ["retired"]
    created = next(one for one in book.history(saved.id).events if one.action == "created")
    book.revert(created.id)
    assert live(book) == [TEA]


def test_a_memory_that_a_save_replaced_comes_back_by_its_name_beside_the_new_one(
    book: Commonplace, clock: Clock
) -> None:
    old = book.save("The staging server listens on port 8080")
    clock.pass_days(3)
    book.save("The staging server listens on port 9090")
    assert book.get(old.id).status == "superseded"
    book.revert(old.memory.slug)
    assert len(live(book)) == 2
    clock.pass_days(3)
    assert book.maintain().changes == ()
    assert book.inbox() == []


def test_a_decision_of_a_person_is_undone_by_the_name_of_the_one_that_went(
    open_vault: OpenBook, vault: Path
) -> None:
    book = open_vault()
    insights = vault / "system" / "memory" / "insight"
    by_hand(insights, "one.md", "The staging server listens on port 8080")
    by_hand(insights, "two.md", "The staging server listens on port 9090")
    book.maintain()
    (waiting,) = book.inbox()
    as_person(book).accept(waiting.memory.id, keep="two")
    as_person(book).revert("one")
    assert len(live(book)) == 2
    assert len(book.inbox()) == 1


def test_the_name_of_an_older_version_means_the_newest(book: Commonplace) -> None:
    first = book.save("Lunch is at noon")
    second = book.edit(first.id, content="Lunch is at one")
    third = book.edit(second.id, content="Lunch is at two")
    undone = book.revert(first.memory.slug)
    assert third.id in {memory.id for memory in undone.memories}
    assert live(book) == ["Lunch is at one"]


def test_the_hint_of_a_refused_restore_brings_the_memory_back(duplicates: Commonplace) -> None:
    (change,) = duplicates.maintain().changes
    with pytest.raises(Conflict) as refused:
        duplicates.restore(change.memories[0])
    assert f"`revert {change.memories[0]}`" in refused.value.hint
