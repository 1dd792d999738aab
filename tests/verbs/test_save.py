"""Saving: equal texts become one memory, facts get versions, a refused batch writes nothing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from commonplace import BadInput, Commonplace, NotAllowed, Refused
from commonplace.model.memory import Draft
from tests import as_person
from tests.conftest import Clock, OpenBook


def test_a_saved_memory_reads_back(book: Commonplace) -> None:
    saved = book.save(
        "vibecop catches unhandled None checks in combat systems",
        scope="/project/mech-fighters",
        topic="combat",
        tags=["review", "python"],
    )
    memory = book.get(saved.id)
    assert saved.action == "created"
    assert saved.indexed
    assert memory == saved.memory
    assert (memory.kind, memory.topic, memory.tags) == ("insight", "combat", ("review", "python"))
    assert str(memory.scope) == "/project/mech-fighters"


def test_saying_the_same_thing_twice_is_one_memory(book: Commonplace) -> None:
    first = book.save("The deploy branch is main", tags=["deploy"])
    again = book.save("the deploy branch is  main.", tags=["git"], source_tasks=["task-7"])
    assert again.action == "deduplicated"
    assert again.id == first.id
    assert book.get(first.id).tags == ("deploy", "git")
    assert book.get(first.id).source_tasks == ("task-7",)
    assert len(book.list()) == 1


def test_what_is_said_again_lasts_as_long_as_either_was_meant_to(
    book: Commonplace, clock: Clock
) -> None:
    soon, later = clock.now + timedelta(hours=1), clock.now + timedelta(days=9)
    for text, ends, kept in (
        ("The guest network is open", (soon, None), None),
        ("The sauna is closed", (None, soon), None),
        ("The lift is being mended", (later, soon), later),
    ):
        _, saved = (book.save(text, expires=end, valid_until=end) for end in ends)
        assert saved.action == "deduplicated"
        assert (saved.memory.expires, saved.memory.valid_until) == (kept, kept)
    # An explicit review date is kept.
    reviews = (soon, None, later)
    saves = [book.save("Rent is paid on Mondays", review_after=review) for review in reviews]
    assert saves[-1].memory.review_after == later
    clock.pass_days(1)
    assert [hit.memory.content for hit in book.recall("guest network")][:1] == [
        "The guest network is open"
    ]


def test_what_a_person_lets_end_does_not_last_because_a_machine_repeats_it(
    url: str, open_at: OpenBook, clock: Clock
) -> None:
    person, agent = open_at(url, source="cli"), open_at(url)
    ends = clock.now + timedelta(days=2)
    said = person.save("The spare key is under the mat", expires=ends)
    assert agent.save("The spare key is under the mat").memory.expires == ends
    assert person.save("The spare key is under the mat").memory.expires is None
    assert person.get(said.id).expires is None


def test_what_is_said_again_is_as_secret_as_either_said(book: Commonplace) -> None:
    texts = ("Ada earns 90k", "Ben has asthma", "Cleo votes green")
    pairs = (("private", "sensitive"), ("sensitive", "private"), ("sensitive", "public"))
    for text, said in zip(texts, pairs, strict=True):
        _, saved = (book.save(text, sensitivity=one) for one in said)
        assert saved.memory.sensitivity == "sensitive"
        assert book.get(saved.id).sensitivity == "sensitive"
    assert "earns" not in book.digest("What does Ada earn?").text


def test_what_a_person_says_is_theirs_even_if_an_agent_said_it_before(
    url: str, open_at: OpenBook
) -> None:
    agent, person = open_at(url), open_at(url, source="cli")
    said = agent.save("Deploys happen on Tuesdays", sensitivity="public")
    again = person.save("Deploys happen on Tuesdays", owner="curated")
    assert (again.action, again.id, again.memory.owner) == ("deduplicated", said.id, "curated")
    assert agent.save("Deploys happen on Tuesdays", owner="agent").memory.owner == "curated"
    assert [one.id for one in person.list(owners=["curated"])] == [said.id]


def test_the_same_text_in_two_scopes_is_two_memories(book: Commonplace) -> None:
    one = book.save("Use tabs", scope="/project/a")
    other = book.save("Use tabs", scope="/project/b")
    assert one.id != other.id
    assert other.action == "created"


def test_equal_drafts_in_one_batch_are_one_memory(book: Commonplace) -> None:
    saved = book.save_many(["Ada likes tea", "Ada likes tea", {"content": "Bob likes coffee"}])
    assert [one.action for one in saved] == ["created", "deduplicated", "created"]
    assert saved[0].id == saved[1].id
    assert len(book.list()) == 2


def test_what_was_said_in_a_conversation_is_kept_turn_by_turn(book: Commonplace) -> None:
    turns = [
        {"content": "ok", "episode": "chat-1", "position": n, "speaker": "Ada"} for n in range(3)
    ]
    assert {one.action for one in book.save_many(turns)} == {"created"}
    assert {one.action for one in book.save_many(turns)} == {"deduplicated"}
    assert len(book.list(include_archive=True)) == 3
    assert book.list() == [], "turns are no memories of their own"


def test_one_bad_draft_means_nothing_is_written(book: Commonplace) -> None:
    with pytest.raises(BadInput):
        book.save_many(["fine", {"content": ""}])
    assert book.list() == []


def test_a_fact_with_a_new_value_supersedes_the_old_one(book: Commonplace) -> None:
    old = book.fact_store("deploy_branch", "master", scope="/project/x")
    new = book.fact_store("deploy_branch", "main", scope="/project/x")
    assert new.action == "superseded"
    assert new.replaced == old.id
    fact = book.fact_recall("deploy_branch")
    assert fact is not None
    assert fact.value == "main"
    assert fact.version == 2
    chain = book.history(new.id).versions
    assert [version.value for version in chain] == ["master", "main"]
    assert chain[0].status == "superseded"
    assert chain[0].superseded_by == new.id


def test_in_a_value_every_character_counts(book: Commonplace) -> None:
    pairs = (("Admin", "admin"), ("10⁶", "106"), ("Hi!", "Hi"), ("ｏｎ", "on"), ("a  b", "a b"))
    for number, (old, new) in enumerate(pairs):
        key = f"setting.{number}"
        first = book.fact_store(key, old)
        assert book.fact_store(key, old).action == "deduplicated"
        second = book.fact_store(key, new)
        assert (second.action, second.replaced) == ("superseded", first.id)
        found = book.fact_recall(key)
        assert found is not None
        assert found.value == new
    both = book.save_many([Draft("user: Root", key="user", value="Root"),
                           Draft("user: root", key="user", value="root")])  # fmt: skip
    assert [one.action for one in both] == ["created", "superseded"]


def test_an_exponent_is_no_digit(book: Commonplace) -> None:
    book.save("The table may have 10⁶ rows")
    assert book.save("The table may have 10⁶  ROWS.").action == "deduplicated"
    assert book.save("The table may have 106 rows").action != "deduplicated"
    assert "The table may have 106 rows" in [one.content for one in book.list()]
    # A batch and single saves must give the same result.
    book.save("The hall has 40 m² and no CO₂")
    assert book.save("The hall has 40 m2 and no CO2").action == "deduplicated"


def test_an_inference_does_not_replace_what_was_stated(book: Commonplace) -> None:
    book.fact_store("editor", "vim", basis="stated")
    guess = book.fact_store("editor", "emacs")
    fact = book.fact_recall("editor")
    assert guess.action == "staged"
    assert fact is not None
    assert fact.value == "vim"
    assert [memory.value for memory in book.list(include_inbox=True)] == ["emacs", "vim"]


def test_a_memory_keeps_the_time_it_was_said(book: Commonplace) -> None:
    said = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    saved = book.save("We moved to Kyoto", created="2023-05-08T13:56:00Z")
    assert saved.memory.created == said
    assert book.get(saved.id).created == said


def test_a_member_cannot_write_upward_or_sideways(book: Commonplace) -> None:
    ada = book.as_context({"org": "acme", "user": "ada", "role": "member"})
    assert str(ada.save("Ada's own").memory.scope) == "/org/acme/user/ada"
    for scope in ("/", "/org/acme", "/org/acme/user/bob", "/org/globex/user/ada"):
        with pytest.raises(NotAllowed):
            ada.save("not mine to write", scope=scope)


def test_purged_text_is_refused(book: Commonplace) -> None:
    saved = book.save("The vault paint is 4711-blue")
    as_person(book).purge(saved.id)
    with pytest.raises(Refused):
        book.save("the vault paint is 4711-blue.")
    assert book.list(include_archive=True) == []


def test_a_clock_that_jumps_back_loses_nothing(book: Commonplace, clock: Clock) -> None:
    first = book.save("before the jump")
    clock.pass_days(-365)
    second = book.save("after the jump")
    assert first.id < second.id
    assert {memory.content for memory in book.list()} == {"before the jump", "after the jump"}


def test_a_huge_batch_reports_progress(url: str, open_at: OpenBook) -> None:
    seen: list[int] = []
    book = open_at(url)
    book.save_many([f"Note number {n}" for n in range(1_100)], progress=seen.append)
    assert seen == [500, 1_000, 1_100]
    assert book.status().memories == 1_100
