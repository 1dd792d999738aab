"""Reflection: patterns in tasks, sessions and recalls are proposed, never saved unasked."""

from __future__ import annotations

import pytest

from commonplace import Commonplace, Context, NotFound
from commonplace.ports.reasoner import Turn
from tests import as_person
from tests.conftest import Clock, OpenBook

SUNDAY = "The staging database is reset on Sundays at night."


def proposed(book: Commonplace) -> list[str]:
    return [waiting.memory.content.partition("\n\n")[2] for waiting in book.inbox()]


def test_what_three_sessions_say_is_proposed_as_an_insight(book: Commonplace) -> None:
    for done in ("Moved the invoices to the new queue", "Wrote the tour", "Fixed Ada's login"):
        book.save(f"{done}. {SUNDAY}", kind="session-summary", scope="/project/x")
    book.maintain()
    (waiting,) = book.inbox()
    assert waiting.action == "pattern"
    made = as_person(book).accept(waiting.memory.id).changed[0]
    assert (made.content, made.kind, str(made.scope)) == (SUNDAY, "insight", "/project/x")
    assert len(made.derived_from) == 3
    assert book.maintain().changes == ()
    as_person(book).revert(waiting.memory.id)
    assert book.get(made.id).status == "deleted"


def test_pattern_of_real_sessions_is_a_sentence_whoever_said_it(book: Commonplace) -> None:
    here = book.as_context({"project": "x"})
    rule = "Let's run the imports on Mondays, because staging is reset on Sundays."
    for number, wish in enumerate(("Move the invoices", "Write the tour", "Fix the login")):
        turns = [Turn("user", f"{wish}."), Turn("assistant", "Shall I?"), Turn("user", rule)]
        here.session(f"s{number}").end(turns)
    here.maintain()
    assert rule in proposed(book)


def test_two_sessions_are_no_pattern(book: Commonplace) -> None:
    for done in ("Moved the invoices to the new queue", "Wrote the tour"):
        book.save(f"{done}. {SUNDAY}", kind="session-summary")
    assert book.maintain().changes == ()


def test_the_same_fix_again_and_again_becomes_a_procedure(book: Commonplace) -> None:
    for service in ("billing", "search", "mail"):
        book.save(
            f"Restarting {service} after the certificate rotation fixed its broken handshake",
            kind="fix",
        )
    book.maintain()
    (waiting,) = book.inbox()
    assert as_person(book).accept(waiting.memory.id).changed[0].kind == "procedural"


def test_a_rejected_pattern_is_not_proposed_again_when_it_grows(book: Commonplace) -> None:
    for done in ("Moved the invoices", "Wrote the tour", "Fixed Ada's login"):
        book.save(f"{done} in a long afternoon. {SUNDAY}", kind="session-summary")
    book.maintain()
    as_person(book).reject(book.inbox()[0].memory.id)
    book.save(f"Ported the reports to the new charts. {SUNDAY}", kind="session-summary")
    book.maintain()
    assert book.inbox() == []


def test_what_three_projects_know_is_proposed_for_all(book: Commonplace) -> None:
    text = "Always pin the versions of build tools"
    for project in ("a", "b", "c"):
        book.save(text, scope=f"/user/ada/project/{project}")
    book.save(text, scope="/user/ben/project/d")
    book.maintain()
    (waiting,) = book.inbox()
    assert waiting.action == "promote"
    made = as_person(book).accept(waiting.memory.id).changed[0]
    assert (made.content, str(made.scope)) == (text, "/user/ada")
    assert book.maintain().changes == ()


def test_what_was_wrong_three_times_is_worth_a_warning(book: Commonplace) -> None:
    saved = book.save("The release train leaves on Monday").memory
    for day in ("Tuesday", "Wednesday", "Thursday"):
        assert book.maintain().changes == ()
        saved = book.correct(saved.id, f"The release train leaves on {day}").memory
    book.maintain()
    (text,) = proposed(book)
    assert "was corrected 3 times" in text
    assert saved.slug in text
    assert book.maintain().changes == ()


def test_text_from_outside_and_sensitive_text_teach_nothing(book: Commonplace) -> None:
    for project in ("a", "b", "c"):
        book.save(
            "The board votes on the merger in June",
            scope=f"/project/{project}",
            sensitivity="sensitive",
        )
    assert book.maintain().changes == ()


def test_memories_that_many_questions_need_together_are_connected(
    book: Commonplace, clock: Clock
) -> None:
    first = book.save("The billing service reads prices from the catalogue")
    second = book.save("The catalogue of the billing service is rebuilt hourly")
    questions = (
        "where does the billing service read from the catalogue",
        "billing catalogue service",
        "what about the catalogue in billing",
        "service catalogue billing prices",
        "is the billing catalogue rebuilt",
        "which catalogue has billing",
    )
    for question in questions:
        assert len(book.recall(question)) == 2
    book.maintain()
    (text,) = proposed(book)
    assert first.memory.slug in text
    assert second.memory.slug in text
    made = as_person(book).accept(book.inbox()[0].memory.id).changed[0]
    assert {link.resolved for link in book.links(made.id).outgoing} == {first.id, second.id}


def test_what_is_made_from_a_memory_does_not_end_it(book: Commonplace) -> None:
    told = book.save("The catalogue of billing is rebuilt hourly")
    made = book.save("The catalogue of billing is rebuilt daily", derived_from=[told.id])
    assert (made.action, book.get(told.id).status) == ("created", "active")


def test_finished_work_is_crystallized_and_names_what_it_was_made_from(book: Commonplace) -> None:
    task = "/project/x/task/migration"
    first = book.save("The users table must never be dropped", scope=task)
    second = book.save("The copy of the orders table took nine hours", scope=task)
    made = book.crystallize("migration").memory
    assert (made.kind, str(made.scope)) == ("crystallized", "/project/x")
    assert set(made.derived_from) == {first.id, second.id}
    assert "nine hours" in made.content
    third = book.save("Indexes are rebuilt after the copy", scope=task)
    again = book.crystallize("migration").memory
    assert again.supersedes == made.id
    assert third.id in again.derived_from


def test_a_conversation_is_crystallized_and_its_turns_stay(book: Commonplace) -> None:
    for position, text in enumerate(("We ship on Thursday", "Then I write the notes tonight")):
        book.save(text, episode="call-7", position=position, speaker="Ada", scope="/project/x")
    made = book.crystallize("call-7").memory
    assert "Thursday" in made.content
    assert len(book.list(scope="/project/x", include_archive=True)) == 3


def test_a_task_is_crystallized_by_its_id_while_it_goes_on_and_when_it_is_done(
    book: Commonplace,
) -> None:
    task = book.task("Move the database", id="t1")
    task.observe("The orders table has 40M rows", importance=0.9)
    early = book.crystallize("t1").memory
    assert "40M rows" in early.content
    book.save("Tea is at four")
    done = task.complete("The copy runs at night now")
    [lesson] = (one.memory for one in done.promoted)
    made = book.crystallize("t1").memory
    assert made.supersedes == early.id
    assert done.summary
    assert made.derived_from == (done.summary.id, lesson.id)
    assert "The copy runs at night now" in made.content
    assert made.content.count("40M rows") == 1
    assert "Tea" not in made.content


def test_what_a_task_found_again_is_crystallized_with_it(book: Commonplace) -> None:
    known = book.save("The orders table has 40M rows")
    task = book.task("Move the database", id="t1")
    task.observe("The orders table has 40M rows", importance=0.9)
    task.complete()
    assert known.id in book.crystallize("t1").memory.derived_from


def test_of_two_tasks_with_one_id_the_one_at_hand_is_crystallized(
    url: str, open_at: OpenBook
) -> None:
    for project in ("orders", "mail"):
        with open_at(url, context=Context(project=project)).task(f"Move {project}", id="t1") as it:
            it.observe(f"The {project} table is slow", importance=0.9)
    made = open_at(url, context=Context(project="mail")).crystallize("t1").memory
    assert str(made.scope) == "/project/mail"
    assert "mail table" in made.content
    assert "orders" not in made.content


def test_a_session_that_has_ended_is_crystallized_by_its_id(book: Commonplace) -> None:
    session = book.session("monday")
    session.add("The release is on Thursday", role="user")
    session.end()
    assert "Thursday" in book.crystallize("monday").memory.content


def test_unknown_work_is_not_found(book: Commonplace) -> None:
    with pytest.raises(NotFound, match="belongs to 'nothing'"):
        book.crystallize("nothing")
