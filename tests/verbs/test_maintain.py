"""Maintenance: merging, compacting, proposing, and a dry run that equals the real one."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace import Commonplace, NotAllowed
from tests import as_person
from tests.conftest import Clock, OpenBook

TEA = "Ada drinks green tea every morning before standup"


def live(book: Commonplace) -> list[str]:
    return sorted(memory.content for memory in book.list())


def by_hand(folder: Path, name: str, text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text + "\n", encoding="utf-8")


def messy(book: Commonplace, vault: Path, clock: Clock) -> None:
    """A book in which every maintenance step changes something."""
    for value in ("red", "green", "blue", "teal", "grey", "pink", "gold"):
        book.fact_store("colour", value, scope="/project/paint")
    book.save("The launch event is on Tuesday", expires=clock.now)
    book.save("Ben listens to jazz while coding", kind="preference")
    for project in ("a", "b", "c"):
        book.save("Always pin the versions of build tools", scope=f"/project/{project}")
    for done in ("Moved the invoices to the new queue", "Wrote the tour", "Fixed Ada's login"):
        text = f"{done}. The staging database is reset on Sundays at night."
        book.save(text, kind="session-summary")
    clock.pass_days(100)
    insights = vault / "system" / "memory" / "insight"
    by_hand(insights, "tea-one.md", TEA)
    by_hand(insights, "tea-two.md", TEA)
    by_hand(insights, "door-one.md", "The office door code changes monthly")
    by_hand(insights, "door-two.md", "The office door code changes monthly on the keypad")


def test_a_dry_run_lists_exactly_what_the_real_run_does(
    open_vault: OpenBook, vault: Path, clock: Clock
) -> None:
    book = open_vault()
    messy(book, vault, clock)
    before = live(book)
    planned = book.maintain(dry_run=True)
    assert live(book) == before
    assert book.inbox() == []
    done = book.maintain()
    assert planned.changes == done.changes
    assert done.passed_over == ()
    steps = set(done.steps)
    assert {"duplicates", "expire", "versions", "stale", "archive", "reflect", "widen"} <= steps
    assert book.maintain().changes == ()
    assert book.audit_verify().sound


def test_copies_become_one_memory_and_come_apart_when_undone(
    open_vault: OpenBook, vault: Path
) -> None:
    book = open_vault()
    insights = vault / "system" / "memory" / "insight"
    by_hand(insights, "one.md", TEA)
    by_hand(insights, "two.md", TEA)
    (change,) = book.maintain().changes
    assert change.action == "retired"
    assert live(book) == [TEA]
    gone, kept = change.memories
    assert book.get(gone).superseded_by == kept
    book.revert(gone)
    assert live(book) == [TEA, TEA]
    assert book.maintain().changes == ()


def test_two_notes_about_one_thing_are_merged_without_losing_a_statement(
    open_vault: OpenBook, vault: Path, clock: Clock
) -> None:
    book = open_vault()
    insights = vault / "system" / "memory" / "insight"
    by_hand(insights, "one.md", "The office door code changes monthly")
    by_hand(insights, "two.md", "The office door code changes monthly on the keypad")
    (change,) = book.maintain().changes
    assert change.action == "merged"
    (text,) = live(book)
    assert "door code changes monthly" in text
    assert "keypad" in text
    (merged,) = book.list()
    assert len(merged.derived_from) == 2
    book.revert(merged.id)
    assert len(live(book)) == 2


def test_what_means_the_same_is_found_where_there_are_vectors(
    open_vault: OpenBook, vault: Path
) -> None:
    insights = vault / "system" / "memory" / "insight"
    by_hand(insights, "one.md", "Invoices are sent by mail")
    by_hand(insights, "two.md", "Invoices are sent out by mail to customers")
    assert open_vault(state="words").maintain().changes == ()
    book = open_vault(embedder="bundled")
    assert len(book.maintain().changes) == 1
    assert len(live(book)) == 1


def test_likes_and_dislikes_are_never_merged(open_vault: OpenBook, vault: Path) -> None:
    book = open_vault()
    insights = vault / "system" / "memory" / "insight"
    by_hand(insights, "one.md", "Ada likes the new trackpad gestures")
    by_hand(insights, "two.md", "Ada dislikes the new trackpad gestures")
    book.maintain()
    assert live(book) == [
        "Ada dislikes the new trackpad gestures",
        "Ada likes the new trackpad gestures",
    ]


def test_a_contradiction_found_by_the_scan_waits_for_a_person(
    open_vault: OpenBook, vault: Path
) -> None:
    book = open_vault()
    insights = vault / "system" / "memory" / "insight"
    by_hand(insights, "one.md", "The staging server listens on port 8080")
    by_hand(insights, "two.md", "The staging server listens on port 9090")
    book.maintain()
    (waiting,) = book.inbox()
    assert waiting.action == "contradiction"
    assert {memory.status for memory in waiting.about} == {"review"}
    kept = waiting.about[1]
    decided = as_person(book).accept(waiting.memory.id, keep=kept.id)
    assert live(book) == [kept.content]
    assert book.maintain().changes == ()
    as_person(book).revert(decided.memory.id)
    assert len(live(book)) == 2


def test_a_surer_memory_wins_a_contradiction_by_itself_and_only_then(
    open_vault: OpenBook, vault: Path
) -> None:
    book = open_vault()
    insights = vault / "system" / "memory" / "insight"
    by_hand(insights, "sure.md", "The staging server listens on port 9090")
    by_hand(
        insights, "unsure.md",
        "---\nconfidence: 0.5\n---\nThe staging server listens on port 8080",
    )  # fmt: skip
    (change,) = book.maintain().changes
    assert change.action == "retired"
    assert live(book) == ["The staging server listens on port 9090"]
    book.undo_automatic(book.audit(limit=1)[0].at)
    assert len(live(book)) == 2


KNOWN = "The release branch is main. CI runs on Jenkins. Releases go out on Friday."


def imported(book: Commonplace, **fields: object) -> None:
    """Two memories of one batch that contradict each other in one statement of three."""
    book.save_many([
        {"content": KNOWN, "created": "2026-01-01T00:00:00Z"},
        {"content": "The release branch is master.", "created": "2026-03-01T00:00:00Z", **fields},
    ])  # fmt: skip
    assert len(book.list()) == 2


def test_what_else_a_memory_says_outlives_a_contradiction(book: Commonplace) -> None:
    imported(book)
    before = live(book)
    planned = book.maintain(dry_run=True)
    (change,) = book.maintain().changes
    assert planned.changes == (change,)
    (now,) = live(book)
    assert "The release branch is master" in now
    assert now.endswith("CI runs on Jenkins. Releases go out on Friday.")
    assert "Jenkins" in book.recall("where does CI run")[0].memory.content
    assert book.maintain().changes == ()
    book.revert(book.list()[0].id)
    assert live(book) == before
    assert book.maintain().changes == (), "neither done nor asked again"


def test_a_person_is_asked_where_the_rest_cannot_be_joined(book: Commonplace) -> None:
    imported(book, valid_until="2030-01-01T00:00:00Z")
    assert [one.action for one in book.maintain().changes] == ["proposed"]
    (waiting,) = book.inbox()
    assert len(live(book)) == 2
    kept = next(one for one in waiting.about if "master" in one.content)
    decided = as_person(book).accept(waiting.memory.id, keep=kept.id)
    assert live(book) == sorted([kept.content, KNOWN.replace("main", "master")])
    assert {one.status for one in book.list()} == {"active"}
    as_person(book).revert(decided.memory.id)
    assert live(book) == sorted([kept.content, KNOWN])
    assert len(book.inbox()) == 1


def test_a_long_chain_keeps_its_ends_at_hand_and_all_of_its_history(book: Commonplace) -> None:
    values = ["one", "two", "three", "four", "five", "six", "seven", "eight"]
    saved = [book.fact_store("build.number", value) for value in values]
    (change,) = book.maintain().changes
    assert (change.step, len(change.memories)) == ("dream", 4)
    assert [book.get(one.id).status for one in (saved[0], saved[5], saved[6])] == ["superseded"] * 3
    assert [memory.value for memory in book.history(saved[-1].id).versions] == values
    assert book.maintain().changes == ()


def test_the_second_of_two_runs_leaves_the_first_alone(url: str, open_at: OpenBook) -> None:
    first, second = open_at(url), open_at(url)
    first.save("Lunch is at noon", always_load=True)
    seen: list[bool] = []

    def meanwhile(step: str, done: int, of: int) -> None:
        if not seen:
            seen.append(second.maintain().ran)

    assert first.maintain(progress=meanwhile).ran
    assert seen == [False]
    assert second.maintain().ran


def test_what_somebody_edits_meanwhile_is_passed_over(
    url: str, open_at: OpenBook, clock: Clock
) -> None:
    first, second = open_at(url), open_at(url)
    saved = first.save("The launch event is on Tuesday", expires=clock.now)
    clock.pass_days(1)

    def meanwhile(step: str, done: int, of: int) -> None:
        if step == "expire":
            second.edit(saved.id, tags=["moved"])

    done = first.maintain(progress=meanwhile)
    assert done.changes == ()
    assert [change.memories for change in done.passed_over] == [(saved.id,)]
    assert first.get(saved.id).tags == ("moved",)
    assert [change.action for change in first.maintain().changes] == ["archived"]


def test_a_supersession_cycle_made_by_hand_is_no_trap(open_vault: OpenBook, vault: Path) -> None:
    book = open_vault()
    archive = vault / "system" / "memory" / "_archive"
    for one, other in (("aa", "bb"), ("bb", "aa")):
        ids = {name: name * 13 for name in ("aa", "bb")}
        front = f"id: {ids[one]}\nstatus: superseded\nsuperseded_by: {ids[other]}"
        by_hand(archive, f"{one}.md", f"---\n{front}\nsupersedes: {ids[other]}\n---\nRound {one}")
    assert book.maintain().ran


def test_tidying_is_for_the_owner_of_the_whole_book(book: Commonplace) -> None:
    with pytest.raises(NotAllowed):
        book.as_context({"user": "ada", "role": "member"}).maintain()
