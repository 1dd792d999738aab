"""Saving: one thing is one memory, facts have versions, nothing half-checked is written."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from commonplace import BadInput, Commonplace, NotAllowed, Refused
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
    assert len(book.list()) == 3


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


def test_an_inference_does_not_replace_what_was_stated(book: Commonplace) -> None:
    book.fact_store("editor", "vim")
    guess = book.fact_store("editor", "emacs", basis="inferred")
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
    saved = book.save("The vault code is 4711-blue")
    book.purge(saved.id)
    with pytest.raises(Refused):
        book.save("the vault code is 4711-blue.")
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
