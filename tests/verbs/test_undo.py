"""Undo: an automatic change with everything derived from it, or all automatic changes."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from commonplace import Commonplace, Conflict, Refused
from commonplace.books.open import open_move_target
from commonplace.books.services import make_key
from commonplace.settings import Settings
from tests import as_person
from tests.conftest import Clock, OpenBook
from tests.verbs.test_maintain import by_hand, live, messy


def test_undoing_everything_automatic_brings_every_memory_back(
    open_vault: OpenBook, vault: Path, clock: Clock
) -> None:
    book = open_vault()
    begun = clock.now
    messy(book, vault, clock)
    before = {memory.id: memory.content for memory in book.list(limit=1_000)}
    book.maintain()
    clock.pass_days(40)
    book.maintain()
    assert {memory.id for memory in book.list(limit=1_000)} != before.keys()
    undone = as_person(book).undo_automatic(begun)
    assert undone.left_alone == ()
    assert {memory.id: memory.content for memory in book.list(limit=1_000)} == before
    assert book.inbox() == []
    assert book.undo_automatic(begun).reverted == ()
    assert book.audit_verify().sound


def test_only_what_happened_since_is_undone(book: Commonplace, clock: Clock) -> None:
    early = book.save("The launch event is on Tuesday", expires=clock.now)
    clock.pass_days(1)
    book.maintain()
    late = book.save("The retrospective is on Friday", expires=clock.now)
    clock.pass_days(1)
    since = clock.now
    book.maintain()
    assert len(book.undo_automatic(since).reverted) == 1
    assert [book.get(id).status for id in (early.id, late.id)] == ["archived", "active"]


def test_what_a_person_did_is_left_alone(book: Commonplace, clock: Clock) -> None:
    begun = clock.now
    kept = book.save("Lunch is at noon")
    gone = book.save("Coffee is at ten")
    book.forget(gone.id)
    book.fact_store("colour", "red")
    book.fact_store("colour", "blue")
    assert book.undo_automatic(begun).reverted == ()
    assert live(book) == ["Lunch is at noon", "colour: blue"]
    assert book.get(kept.id).status == "active"


def test_what_was_derived_from_an_undone_merge_goes_with_it(
    open_vault: OpenBook, vault: Path
) -> None:
    book = open_vault()
    texts = [
        "The office plants are watered monthly",
        "The office plants are watered monthly by the porter",
    ]
    for number, text in enumerate(texts):
        by_hand(vault / "projects" / "hq" / "memory" / "insight", f"{number}.md", text)
    book.maintain()
    (merged,) = book.list()
    for project in ("a", "b"):
        book.save(merged.content, scope=f"/project/{project}")
    book.maintain()
    (waiting,) = book.inbox()
    assert waiting.action == "promote"
    assert merged.id in {memory.id for memory in waiting.about}
    undone = book.revert(merged.id)
    assert {memory.status for memory in undone.memories} == {"active", "deleted"}
    assert book.inbox() == []
    assert sorted(m.content for m in book.list(scope="/project/hq")) == texts


def test_a_change_that_was_built_upon_is_reported_and_not_forced(
    open_vault: OpenBook, vault: Path, clock: Clock
) -> None:
    book = open_vault()
    begun = clock.now - timedelta(days=1)
    folder = vault / "system" / "memory" / "insight"
    by_hand(folder, "one.md", "The office door code changes monthly")
    by_hand(folder, "two.md", "The office door code changes monthly on the keypad")
    book.maintain()
    (merged,) = book.list()
    book.edit(merged.id, content="The office door has a badge reader now")
    undone = book.undo_automatic(begun)
    assert undone.left_alone
    assert "replaced" in undone.left_alone[0].why
    assert live(book) == ["The office door has a badge reader now"]


def test_changes_in_curated_space_each_name_their_way_back(
    url: str, open_at: OpenBook, clock: Clock
) -> None:
    person, agent = open_at(url, source="cli"), open_at(url)
    week_ago = clock.now - timedelta(days=7)
    person.fact_store("deploy.branch", "main")
    agent.save("An agent's own note")
    person.fact_store("deploy.branch", "trunk")
    changed = person.changes(week_ago)
    assert [one.event.action for one in changed] == ["superseded", "created", "created"]
    assert {one.memory.key for one in changed if one.memory} == {"deploy.branch"}
    command, revert, event = changed[1].revert.split()
    assert (command, revert) == ("commonplace", "revert")
    person.revert(event)
    fact = person.fact_recall("deploy.branch")
    assert fact is not None
    assert fact.value == "main"
    clock.pass_days(8)
    assert person.changes(clock.now - timedelta(days=7)) == []


def test_changes_can_be_only_those_that_nobody_asked_for(book: Commonplace, clock: Clock) -> None:
    begun = clock.now
    launch = book.save("The launch event is on Tuesday", expires=clock.now)
    clock.pass_days(1)
    book.maintain()
    (only,) = book.changes(begun, owners=("agent", "curated"), automatic=True)
    assert (only.event.action, only.event.memory) == ("archived", launch.id)


def test_a_move_an_erasure_and_a_new_key_offer_no_way_back_that_there_is_not(
    url: str, open_at: OpenBook, clock: Clock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, old_key = clock.now, make_key()
    monkeypatch.setenv("COMMONPLACE_KEY", old_key)
    book = open_at(url, source="cli")
    book.save("Kakadu77-Wombat", seal=True, title="Door code", owner="curated")
    monkeypatch.setenv("COMMONPLACE_KEY", f"{make_key()} {old_key}")
    book = open_at(url, source="cli")
    assert book.rotate_key().resealed == 1
    book.save("Ada keeps bees", scope="/user/ada")
    as_person(book).erase_user("ada")
    settings = Settings(state=str(tmp_path / "state"), embedder="none")
    with open_move_target(book, f"sqlite:{tmp_path / 'new.db'}", settings=settings) as moved:
        book.move(moved)
        offered = {one.event.action: one for one in moved.changes(begun)}
        assert {"moved", "erased", "resealed"} <= offered.keys()
        for action in ("moved", "erased", "resealed"):
            assert offered[action].revert == "", action
            with pytest.raises(Refused, match="cannot be undone"):
                moved.revert(offered[action].event.id)


def test_a_repetition_is_no_change_to_undo(book: Commonplace) -> None:
    for value in ("main", "release", "release"):
        book.fact_store("deploy_branch", value)
    book.revert("deploy_branch")
    fact = book.fact_recall("deploy_branch")
    assert fact is not None
    assert fact.value == "main"
    for _ in range(2):
        book.save("The release train leaves on Tuesday")
    book.revert("The release train leaves on Tuesday")
    assert [one.key for one in book.list()] == ["deploy_branch"]


def test_tags_that_a_repetition_brought_are_undone(book: Commonplace) -> None:
    saved = book.save("The release train leaves on Tuesday", tags=["train"])
    book.save("The release train leaves on Tuesday", tags=["weekly"])
    book.revert(saved.id)
    assert book.get(saved.id).tags == ("train",)


TEXT, OTHER = "Lena leads the mobile team", "Oskar feeds the office cat"


@pytest.mark.parametrize("change", ["edit", "correct"])
def test_the_undo_of_a_change_leaves_a_text_that_was_saved_again_once_in_use(
    book: Commonplace, clock: Clock, change: str
) -> None:
    person = as_person(book)
    first = person.save(TEXT)
    clock.pass_days(1)
    changed = person.edit(first.id, content=OTHER).id if change == "edit" else ""
    changed = changed or person.correct(first.id, OTHER).memory.id
    clock.pass_days(1)
    again = person.save(TEXT)
    assert {one.content for one in person.list()} == {TEXT, OTHER}
    person.revert(changed)
    assert [one.id for one in person.list()] == [again.id]
    old = person.get(first.id)
    assert (old.status, old.superseded_by) == ("superseded", again.id)
    person.revert(changed)
    assert {one.id for one in person.list()} == {again.id, changed}
    assert person.get(first.id).superseded_by == changed
    assert person.audit_verify().sound


@pytest.mark.parametrize("way", ["revert", "restore"])
@pytest.mark.parametrize("gone", ["forget", "revert"])
def test_what_was_forgotten_and_saved_again_does_not_come_back_beside_itself(
    book: Commonplace, clock: Clock, gone: str, way: str
) -> None:
    person = as_person(book)
    first = person.save(TEXT)
    clock.pass_days(1)
    getattr(person, gone)(first.id)
    clock.pass_days(1)
    again = person.save(TEXT)
    with pytest.raises(Conflict, match="The same text was saved again and is in use"):
        getattr(person, way)(first.id)
    assert [one.id for one in person.list()] == [again.id]
    person.forget(again.id)
    getattr(person, way)(first.id)
    assert [one.id for one in person.list()] == [first.id]


@pytest.mark.parametrize("value", ["8080", "9090"])
def test_a_fact_that_was_forgotten_and_stored_again_has_one_value(
    book: Commonplace, clock: Clock, value: str
) -> None:
    person = as_person(book)
    first = person.fact_store("port", "8080").memory
    clock.pass_days(1)
    person.forget(first.id)
    clock.pass_days(1)
    person.fact_store("port", value)
    for way in (person.revert, person.restore):
        with pytest.raises(Conflict, match="nothing was changed"):
            way(first.id)
    assert [one.value for one in person.list()] == [value]
