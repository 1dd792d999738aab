"""A task is more than its process: people edit its note, others work on it, others have theirs."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from commonplace import Commonplace, Conflict, NotFound, Refused
from tests.conftest import OpenBook


def test_step_that_a_person_adds_while_the_task_runs_holds(
    open_vault: OpenBook, vault: Path
) -> None:
    task = open_vault().task("Paint the fence", plan=["Sand it", "Paint it"], id="fence")
    (note,) = (vault / "system/work").glob("*.md")
    note.write_text(
        note.read_text().replace(
            "- [ ] Sand it",
            "- [x] Sand it\n- [ ] Prime it\n\n## Constraints\n- Only green\n\n## Plan",
        )
    )
    text = task.before_model_call()
    assert "Step 2 of 3: Prime it" in text
    assert "Only green" in text
    task.observe("The gate is rotten", importance=0.9)
    task.turn_end(advance=True)
    work = open_vault().task_show("fence")
    assert (work.plan, work.step) == (("Sand it", "Prime it", "Paint it"), 2)
    assert work.constraints == ("Only green",)
    assert work.findings == ("The gate is rotten",)


def test_findings_of_two_processes_are_both_in_the_note(book: Commonplace) -> None:
    one = book.task("Search the attic", plan=["Left", "Right"], id="attic")
    two = book.task(resume="attic")
    one.observe("A chest with letters", importance=0.9)
    two.observe("A broken clock", importance=0.9)
    one.turn_end(advance=True)
    assert book.task_show("attic").findings == ("A chest with letters", "A broken clock")
    assert book.task_show("attic").step == 1
    two.constrain("Touch nothing")
    assert "Touch nothing" in one.before_model_call()


def test_many_observe_at_once_and_nothing_is_lost(open_vault: OpenBook) -> None:
    book = open_vault()
    book.task("Count the birds", id="birds")
    species = ["a wren", "two owls", "three storks", "four gulls", "five crows", "six terns"]

    def watch(seen: str) -> None:
        book.task(resume="birds").observe(f"In the oak: {seen}", importance=0.9)

    with ThreadPoolExecutor(len(species)) as pool:
        list(pool.map(watch, species))
    assert sorted(book.task_show("birds").findings) == sorted(f"In the oak: {s}" for s in species)


def test_task_that_was_finished_elsewhere_takes_nothing_more(book: Commonplace) -> None:
    task = book.task("Water the plants", id="plants")
    book.task_done("plants")
    for late in (task.observe, task.jot, task.constrain, task.before_model_call, task.turn_end):
        with pytest.raises(Conflict, match="is finished"):
            late("too late")
    assert book.sessions() == []
    assert task.complete().already


def test_refused_constraint_leaves_the_task_as_it_was(book: Commonplace, secret: str) -> None:
    task = book.task("Rotate the keys", plan=["Revoke", "Renew"])
    with pytest.raises(Refused, match="AWS access key"):
        task.constrain(f"Never use {secret} again")
    assert task.working.constraints == ()
    task.turn_end(advance=True)
    assert task.working.current == "Renew"


def test_owner_without_a_context_goes_on_with_a_task_of_a_project(book: Commonplace) -> None:
    here = book.as_context({"project": "shop"})
    here.task("Restock", id="restock").observe("Shelf three is empty")
    task = book.task(resume="restock")
    assert [seen.text for seen in task.working.observations] == ["Shelf three is empty"]
    task.observe("The supplier is called Lopez & Sons", importance=0.9)
    done = book.task_done("restock", summary="All shelves are full.")
    assert done.summary is not None
    assert str(done.summary.scope) == "/project/shop"
    assert [str(saved.memory.scope) for saved in done.promoted] == ["/project/shop"]
    assert done.released == 1
    assert book.sessions() == []


@pytest.fixture
def users(book: Commonplace) -> Callable[[str], Commonplace]:
    return lambda name: book.as_context({"user": name, "role": "member"})


def test_tasks_of_two_users_with_one_id_are_closed_apart(
    book: Commonplace, users: Callable[[str], Commonplace]
) -> None:
    users("ada").task("Ada's plan", id="plan")
    users("bob").task("Bob's plan", id="plan")
    with pytest.raises(Conflict, match="2 tasks have the id plan"):
        book.task_done("plan")
    users("ada").task_done("plan", summary="Under the oak.")
    done = book.task_done("plan")
    assert not done.already
    assert done.summary is not None
    assert "Bob's plan" in done.summary.content
    assert "oak" not in done.summary.content
    assert str(done.summary.scope) == "/user/bob"
    assert not users("bob").task_show("plan").is_open


def test_one_user_s_session_ends_beside_another_s_task_of_that_name(book: Commonplace) -> None:
    book.as_context({"project": "shop"}).task("Restock", id="monday")
    session = book.session("monday")
    session.add("I prefer tea over coffee.", role="user")
    assert len(session.end().added) == 1


def test_one_text_is_one_step_and_one_constraint(book: Commonplace) -> None:
    task = book.task("Paint", plan="Sand it", constraints="Only green")
    assert task.working.plan == ("Sand it",)
    assert task.working.constraints == ("Only green",)
    task.replan("Prime it")
    assert task.working.plan == ("Prime it",)


def test_tool_with_brackets_in_its_name_is_promoted_once(book: Commonplace) -> None:
    task = book.task("Scan")
    for tool in ("run[tests], fast", "user", "x" * 100):
        task.observe("Port 5433 answers", tool=tool, importance=0.9)
    assert len(task.complete().promoted) == 3


def test_tool_arguments_of_any_kind_can_be_looked_at(book: Commonplace) -> None:
    task = book.task("Scan")
    endless: dict[object, object] = {("a", 1): object()}
    endless["self"] = endless
    assert task.tool_call("scan", endless) == ""  # pyright: ignore[reportArgumentType]


def test_note_that_was_forgotten_says_so(book: Commonplace) -> None:
    task = book.task("Paint the fence", id="fence")
    book.forget("fence")
    with pytest.raises(NotFound, match="fence"):
        task.observe("The gate is rotten", importance=0.9)
