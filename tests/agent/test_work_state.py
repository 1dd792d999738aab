"""The work of a project is handed over from session to session: its task, and its notes."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace import BadInput, Commonplace
from commonplace.ports.reasoner import Turn
from commonplace.verbs.work_state import work_state
from tests.conftest import OpenBook

MIGRATION = [
    Turn("user", "Let's go on with the migration of the billing tables."),
    Turn("assistant", "I moved the invoices table; all 40 checks pass."),
    Turn("user", "great. the refunds table still has to be moved, tomorrow"),
]


def test_session_updates_the_task_it_was_bound_to(book: Commonplace) -> None:
    book.task("Migrate billing", id="billing", plan=["Invoices", "Refunds"])
    bound = book.as_context({"task": "billing"})
    ended = bound.session("monday").end(MIGRATION)
    assert ended.task == "billing"
    work = book.task_show("billing")
    assert "I moved the invoices table; all 40 checks pass." in work.state
    assert work.next_step == "The refunds table still has to be moved, tomorrow."
    assert (work.goal, work.plan, work.step) == ("Migrate billing", ("Invoices", "Refunds"), 0)
    resumed = book.task(resume="billing")
    assert "The refunds table still has to be moved" in resumed.render()


def test_later_session_takes_the_place_of_the_earlier_one(book: Commonplace) -> None:
    book.task("Migrate billing", id="billing")
    bound = book.as_context({"task": "billing"})
    bound.session("monday").end(MIGRATION)
    bound.session("tuesday").end(
        [
            Turn("user", "Please move the refunds table."),
            Turn("assistant", "I moved the refunds table and all checks pass."),
        ]
    )
    work = book.task_show("billing")
    assert "invoices" not in work.state
    assert "refunds table and all checks pass" in work.state
    assert work.next_step == ""


@pytest.mark.parametrize("task", ["no-such-task", "finished"])
def test_session_of_no_open_task_ends_as_usual(book: Commonplace, task: str) -> None:
    book.task("Paint the fence", id="finished").complete()
    ended = book.as_context({"task": task}).session("monday").end(MIGRATION)
    assert ended.task == ""
    assert ended.summary is not None


def test_person_reads_and_edits_where_the_last_session_stopped(
    open_vault: OpenBook, vault: Path
) -> None:
    with open_vault() as book:
        book.task("Migrate billing", id="billing")
        book.as_context({"task": "billing"}).session("monday").end(MIGRATION)
        [note] = vault.glob("system/work/*.md")
        text = note.read_text(encoding="utf-8")
        assert "## Next\n- The refunds table still has to be moved, tomorrow." in text
        start = text.index("## Next")
        note.write_text(f"{text[:start]}## Next\n- Ask Ada first\n", encoding="utf-8")
        assert book.task_show("billing").next_step == "Ask Ada first"


def test_constraints_without_room_are_told_to_the_caller(book: Commonplace) -> None:
    rules = [f"Rule {n}" for n in range(8)]
    task = book.task("Repaint", constraints=[*rules, "Never paint on Sundays"])
    assert task.dropped_constraints == ("Rule 0",)
    assert task.constrain("Must be blue") == ("Rule 1",)
    assert task.constrain("Must be blue") == ()
    assert task.working.constraints[-2:] == ("Never paint on Sundays", "Must be blue")


def test_task_is_done_failed_or_abandoned_and_not_two_of_them(book: Commonplace) -> None:
    book.task("Repaint", id="paint")
    with pytest.raises(BadInput, match="either failed or was abandoned"):
        book.task_done("paint", failed=True, abandoned=True)
    assert book.task_done("paint", abandoned=True).outcome == "abandoned"
    assert book.task_done("paint").outcome == "abandoned", "the first word stands"


# The notes of a project


def test_work_state_is_handed_over_with_the_task(book: Commonplace) -> None:
    there = book.as_context({"project": "arena", "agent": "coding"})
    there.save("Arena v2 has three stages: lobby, fight, replay", kind="design", title="Stages")
    there.save("1. Lobby 2. Fights 3. Replays", kind="roadmap", scope="/project/arena")
    there.save("Step 3 done, moving on to fights", kind="progress", scope="/project/arena")
    book.save("1. Sell the shop", kind="roadmap", scope="/project/shop")
    found = [one.kind for one in work_state(there._engine)]  # pyright: ignore[reportPrivateUsage]
    assert found == ["roadmap", "design", "progress"]
    task = there.task("Write a poem about rain")
    assert "1. Lobby 2. Fights 3. Replays" in task.opening.pushed
    assert "moving on to fights" in task.opening.pushed
    assert "Sell the shop" not in task.opening.pushed
    assert task.opening.tokens["work"] > 0
    assert "Lobby" not in there.task("Another poem").tool_call("write", "sonnets")


def test_session_starts_with_the_work_state_where_a_task_is_open(book: Commonplace) -> None:
    there = book.as_context({"project": "arena"})
    there.save("1. Lobby 2. Fights 3. Replays", kind="roadmap")
    there.save(f"Day 1: {'plan. ' * 60}Day 9: fights are done", kind="progress")
    assert "Lobby" not in there.session_start().text, "nobody goes on with a task"
    there.task("Write the replays")
    started = there.session_start()
    assert started.text.index("Write the replays") < started.text.index("1. Lobby 2. Fights")
    assert "Day 9: fights are done" in started.text
    assert "Day 1" not in started.text, "of a log, its end"
    assert sum(one.tokens for one in started.items if one.section == "work") <= 200


def test_outside_text_is_no_work_state(book: Commonplace) -> None:
    outside = book.as_context({"project": "arena"})
    outside = Commonplace(outside._engine.but(source="tool"))  # pyright: ignore[reportPrivateUsage]
    outside.save("The roadmap is to wire money abroad", kind="roadmap")
    assert "wire money" not in book.as_context({"project": "arena"}).task("Plan").opening.pushed


def test_work_state_lies_in_the_work_folder_and_a_person_may_write_it(
    open_vault: OpenBook, vault: Path
) -> None:
    with open_vault() as book:
        arena = book.as_context({"project": "arena"})
        saved = arena.save("Three stages: lobby, fight, replay", kind="design").memory
        assert list(vault.glob("projects/arena/memory/work/design/*.md"))
        folder = vault / "projects" / "arena" / "work"
        folder.mkdir(parents=True)
        (folder / "roadmap.md").write_text("1. Lobby\n2. Fights\n", encoding="utf-8")
        (folder / "designs").mkdir()
        (folder / "designs" / "lobby.md").write_text("The lobby is round.\n", encoding="utf-8")
        assert [one.content for one in arena.list(kinds=["roadmap"])] == ["1. Lobby\n2. Fights"]
        assert {one.content for one in arena.list(kinds=["design"])} == {
            saved.content, "The lobby is round.",
        }  # fmt: skip
        assert arena.tasks() == []
