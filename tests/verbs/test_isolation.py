"""What one caller does never reaches, removes or reveals what belongs to another."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from commonplace import BadInput, Commonplace, Conflict, NotAllowed, NotFound, Refused, Unavailable
from tests import as_person
from tests.conftest import Clock, OpenBook

ADA = {"org": "acme", "user": "ada", "role": "member"}
BOB = {"org": "acme", "user": "bob", "role": "member"}


def test_an_edit_cannot_move_a_memory_or_rewrite_its_past(book: Commonplace) -> None:
    ada = book.as_context(ADA)
    saved = ada.save("Ada's note")
    changes: list[dict[str, Any]] = [
        {"scope": "/org/acme/user/bob"}, {"supersedes": "x"}, {"trust": "user"},
    ]  # fmt: skip
    for change in changes:
        with pytest.raises(BadInput):
            ada.edit(saved.id, **change)
    for empty in ("tier", "kind", "sensitivity", "always_load", "confidence", "title", "tags"):
        with pytest.raises(BadInput):
            ada.edit(saved.id, **{empty: None})
    assert book.as_context(BOB).list() == []
    assert ada.get(saved.id) == saved.memory


def test_purging_a_text_leaves_the_same_text_of_others_alone(book: Commonplace) -> None:
    ada, bob = book.as_context(ADA), book.as_context(BOB)
    mine, theirs = ada.save("The heron count is 4711"), bob.save("The heron count is 4711")
    as_person(ada).purge(mine.id)
    assert bob.recall("heron count")[0].memory.id == theirs.id
    assert book.sync().erased == 0
    assert bob.save("The heron count is 4711").action == "deduplicated"
    with pytest.raises(Refused):
        ada.save("The heron count is 4711")


def test_a_member_reads_only_its_own_questions(book: Commonplace) -> None:
    book.recall("a very private question")
    ada = book.as_context(ADA)
    ada.recall("what is for lunch?")
    assert [one.query for one in ada.retrievals()] == ["what is for lunch?"]
    assert ada.why().retrieval.query == "what is for lunch?"


def test_the_whole_book_is_its_owner_s_business(book: Commonplace) -> None:
    ada = book.as_context(ADA)
    secret = book.as_context(BOB).save("Bob's salary")
    book.as_context(BOB).recall("salary")
    for act in (ada.sync, ada.audit_verify):
        with pytest.raises(NotAllowed):
            act()
    assert ada.doctor() == []
    assert ada.uses([secret.id]) == {}


def test_a_grant_can_be_read_as_well_as_written(book: Commonplace) -> None:
    granted = book.as_context({**ADA, "grants": frozenset({"/org/acme/project/x"})})
    saved = granted.save("Shared with the project", scope="/org/acme/project/x")
    assert granted.get(saved.id) == saved.memory


def test_the_first_of_two_editors_wins_and_nothing_forks(book: Commonplace) -> None:
    saved = book.save("Colour is teal")
    book.correct(saved.id, "Colour is navy")
    for act in (
        lambda: book.correct(saved.id, "Colour is red"),
        lambda: book.edit(saved.id, content="Colour is red"),
        lambda: book.save("Colour is red", supersedes=saved.id),
    ):
        with pytest.raises(Conflict):
            act()
    assert [memory.content for memory in book.list()] == ["Colour is navy"]


def test_a_new_version_keeps_what_was_known_about_the_old(book: Commonplace) -> None:
    saved = book.save(
        "Demo at noon", expires="2027-01-01T00:00:00Z", source_tasks=["t1"], episode="chat",
        position=3, speaker="Ada", tags=["demo"], valid_from="2026-11-01T00:00:00Z",
    )  # fmt: skip
    new = book.edit(saved.id, content="Demo at one")
    for field in ("expires", "source_tasks", "episode", "position", "speaker", "tags"):
        assert getattr(new, field) == getattr(saved.memory, field)
    assert new.version == 2


def test_nothing_is_corrected_to_purged_text(book: Commonplace) -> None:
    as_person(book).purge(book.save("The heron count is 4711").id)
    right = book.save("The heron count is 4712")
    with pytest.raises(Refused):
        book.correct(right.id, "The heron count is 4711")
    assert book.get(right.id).status == "active"


def test_a_batch_may_repeat_what_the_book_already_knows(book: Commonplace) -> None:
    first = book.save("Alpha", tags=["a"])
    saved = book.save_many(
        [{"content": "Alpha", "tags": ["b"]}, {"content": "alpha.", "tags": ["c"]}]
    )
    assert {one.action for one in saved} == {"deduplicated"}
    assert book.get(first.id).tags == ("a", "b", "c")
    facts = book.save_many([{"key": "k", "value": "1"}, {"key": "k", "value": "2"}])
    assert [one.action for one in facts] == ["created", "superseded"]
    assert [memory.value for memory in book.fact_list()] == ["2"]


def test_what_expired_can_be_said_again(book: Commonplace, clock: Clock) -> None:
    book.save("The demo is today", expires="2026-11-16T00:00:00Z")
    clock.pass_days(3)
    assert book.save("The demo is today").action == "created"
    assert len(book.recall("demo")) == 1


def test_an_agent_does_not_overrule_a_person(url: str, open_at: OpenBook) -> None:
    person, agent = open_at(url, source="cli"), open_at(url, source="mcp")
    person.fact_store("deploy", "main")
    assert agent.fact_store("deploy", "evil").action == "staged"
    fact = agent.fact_recall("deploy")
    assert fact is not None
    assert fact.value == "main"
    outside = open_at(url, source="import:web")
    with pytest.raises(Refused):
        outside.save("Replaced", supersedes=fact.id)


def test_a_person_who_repeats_a_text_vouches_for_it(url: str, open_at: OpenBook) -> None:
    outside, person = open_at(url, source="import:web"), open_at(url, source="cli")
    saved = outside.save("Tests run with make")
    again = person.save("Tests run with make", always_load=True)
    assert again.id == saved.id
    assert (again.memory.trust, again.memory.always_load) == ("user", True)


def test_a_weak_or_double_meaning_changes_nothing(book: Commonplace) -> None:
    book.save("The deploy branch is main")
    with pytest.raises(NotFound):
        book.correct("my branch of the bank is in Paris", "It is in Rome")
    book.save("One", title="Deploy")
    book.save("Two", title="Deploy")
    for act in (as_person(book).purge, book.forget, book.get):
        with pytest.raises(Conflict) as caught:
            act("Deploy")
        assert "deploy-" in caught.value.hint
    assert len(book.list()) == 3


def test_after_a_purge_its_place_can_be_used_again(url: str, open_at: OpenBook) -> None:
    person = open_at(url, source="cli")
    person.purge(person.fact_store("seat", "1111").id)
    person.fact_store("seat", "2222")
    person.sync()
    fact = person.fact_recall("seat")
    assert fact is not None
    assert fact.value == "2222"


def test_an_exact_key_obeys_the_filters_and_the_moment(book: Commonplace, clock: Clock) -> None:
    fact = book.fact_store("deploy", "main")
    assert book.recall("deploy", kinds=["workflow"]) == []
    book.forget(fact.id)
    clock.pass_days(3)
    assert book.recall("deploy", as_of=clock.now) == []


def test_an_agent_s_digest_can_be_asked_for_by_the_owner(book: Commonplace) -> None:
    book.save("Lint before you commit", scope="/agent/coding", always_load=True)
    assert "Lint before" in book.session_start(agent="coding").text
    book.digest("when do I lint?", agent="coding")
    assert book.why().retrieval.query == "when do I lint?"


def test_a_purge_takes_the_copies_of_a_text_but_not_what_others_said_in_its_words(
    book: Commonplace,
) -> None:
    first = book.save("Ada is allergic to nuts", scope="/project/x")
    copy = book.promote(first.id, "/")
    assert set(as_person(book).purge(copy.memory.id).ids) == {first.id, copy.memory.id}
    turns = book.save_many([{"content": "ok", "episode": "chat", "position": n} for n in range(3)])
    as_person(book).purge(turns[0].id)
    left = book.list(order="oldest", include_archive=True)
    assert [memory.position for memory in left] == [1, 2]


def test_a_purge_removes_no_question_that_somebody_else_has_asked(book: Commonplace) -> None:
    ada, bob = book.as_context(ADA), book.as_context(BOB)
    ada.save("The harbour master is called Olaf")
    asked = ["who is the harbour master", "1", "is the gate sign hazelnut-12 or 13"]
    for question in asked:
        ada.recall(question)
    bob.recall("is it true that the gate sign is hazelnut-12")
    as_person(bob).purge(bob.fact_store("retries", "1").id)
    as_person(bob).purge(bob.fact_store("gate", "hazelnut-12").id)
    as_person(bob).purge(bob.save("The gate sign is hazelnut-12").id)
    assert [one.query for one in reversed(ada.retrievals())] == asked
    assert bob.retrievals() == []
    # The owner's purge leaves no word of it with anybody.
    as_person(book).purge(book.fact_store("gate", "hazelnut-12").id)
    assert [one.query for one in reversed(ada.retrievals())] == asked[:2]


def test_a_purge_spares_a_note_that_began_as_a_copy_of_the_purged_one(
    open_vault: OpenBook, vault: Path
) -> None:
    here, there = open_vault(), open_vault(state="second")
    lamp = here.save("The lighthouse needs a new lamp every spring")
    (note,) = vault.rglob("*lighthouse*.md")
    harbour = "The harbour master is called Olaf"
    copy = note.with_name("harbour.md")
    copy.write_text(note.read_text().replace(lamp.memory.content, harbour))
    assert len(here.list()) == len(there.list()) == 2
    assert here.get(lamp.id).content == lamp.memory.content
    assert as_person(here).purge(lamp.id).ids == (lamp.id,)
    for book in (there, here):
        book.sync(rebuild=True)
        assert [one.content for one in book.list(include_archive=True)] == [harbour]
        assert [hit.memory.content for hit in book.recall("harbour master")] == [harbour]
    assert copy.exists()
    assert not note.exists()


def test_a_name_means_the_newest_version(book: Commonplace) -> None:
    saved = book.save("Colour is teal")
    book.correct(saved.id, "Colour is navy")
    assert book.get(saved.memory.slug).content == "Colour is navy"
    assert book.get(saved.id).content == "Colour is teal"
    book.forget(saved.memory.slug)
    assert book.recall("colour") == []


def test_profile_and_override_are_corrected_in_place(open_vault: OpenBook, vault: Path) -> None:
    book = open_vault(source="cli")
    (vault / "profile.md").write_text("Ada likes tea\n")
    [profile] = book.list(kinds=["profile"])
    book.correct(profile.id, "Ada likes coffee")
    assert "coffee" in (vault / "profile.md").read_text()
    assert [memory.content for memory in book.list(kinds=["profile"])] == ["Ada likes coffee"]
    assert any("tea" in path.read_text() for path in vault.rglob("_archive/*.md"))


def test_two_devices_that_exchange_folders_by_plain_copy_lose_nothing(
    tmp_path: Path, open_at: OpenBook
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    one = open_at(f"vault:{here}", state="state-1", source="cli")
    one.save("From the start")
    shutil.copytree(here, there)
    two = open_at(f"vault:{there}", state="state-2", source="cli")
    one.fact_store("a.key", "1")
    two.fact_store("b.key", "2")
    gone = two.save("Purge me, quokka")
    shutil.copytree(there, here, dirs_exist_ok=True)
    as_person(two).purge(gone.id)
    shutil.copytree(here, there, dirs_exist_ok=True)  # An older copy of what `two` has written.
    assert two.recall("quokka") == []
    two.sync()
    shutil.copytree(there, here, dirs_exist_ok=True)
    one.sync()
    for book in (one, two):
        assert {fact.key for fact in book.fact_list()} == {"a.key", "b.key"}
        assert book.recall("quokka") == []
        assert book.audit_verify().sound
    assert not [path for path in tmp_path.rglob("*.md") if "quokka" in path.read_text()]


def test_a_vault_that_is_gone_costs_neither_index_nor_audit(
    open_vault: OpenBook, vault: Path, tmp_path: Path
) -> None:
    book = open_vault()
    book.save("Lunch is at noon")
    vault.rename(tmp_path / "elsewhere")
    vault.mkdir()
    for act in (lambda: book.sync(rebuild=True), lambda: book.save("Dinner is at six")):
        with pytest.raises(Unavailable):
            act()
    assert list(vault.iterdir()) == []
    vault.rmdir()
    (tmp_path / "elsewhere").rename(vault)
    assert [hit.memory.content for hit in book.recall("lunch")] == ["Lunch is at noon"]
    assert book.audit_verify().sound


def test_an_admin_does_not_read_a_user_s_memory_by_writing_beside_it(book: Commonplace) -> None:
    ada = book.as_context({"org": "acme", "user": "ada", "role": "member"})
    kept = ada.save("My salary is 90000. I hide the key under the mat.")
    admin = book.as_context({"org": "acme", "user": "root", "role": "admin"})
    with pytest.raises(NotAllowed):
        admin.save("My salary is 1.", scope="/org/acme/user/ada")
    assert ada.get(kept.id).content == kept.memory.content
