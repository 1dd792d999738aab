"""The archive answers about history, stays out of the way otherwise, and becomes reports."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from commonplace import BadInput, Commonplace
from commonplace.ports.reasoner import Turn
from tests.conftest import Clock


@pytest.fixture
def week(book: Commonplace, clock: Clock) -> Commonplace:
    """A week of work on each store."""
    book.task("Mend the login timeout").complete("The pool was too small.")
    book.save("The office plants like rain water")
    clock.pass_days(3)
    book.task("Speed up the invoice export").fail("It needs a new server.")
    book.save("Invoices are numbered per year", kind="fact")
    clock.pass_days(3)
    book.task("Paint the fence")
    return book


def titles(book: Commonplace, question: str) -> list[str]:
    return [hit.memory.title for hit in book.recall(question) if hit.memory.tier == "archive"]


def test_question_about_history_consults_the_archive(week: Commonplace) -> None:
    assert titles(week, "how did we fix the login?")[0] == "Mend the login timeout"
    assert "Mend the login timeout" in titles(week, "what happened last week with the login?")


def test_other_questions_leave_the_archive_alone(week: Commonplace) -> None:
    assert titles(week, "which water do the plants like in the office near the export?") == []


def test_strong_match_brings_an_old_task_back(week: Commonplace) -> None:
    assert titles(week, "mend login timeout pool") == ["Mend the login timeout"]


def test_timeline_runs_backwards(week: Commonplace, clock: Clock) -> None:
    assert [one.title for one in week.timeline()] == [
        "Speed up the invoice export",
        "Mend the login timeout",
    ]
    recent = week.timeline(since=clock.now - timedelta(days=4))
    assert [one.title for one in recent] == ["Speed up the invoice export"]


def test_week_is_reported_from_the_archive(week: Commonplace) -> None:
    report = week.report("week", day=date(2026, 11, 21))
    assert [one.title for one in report.summaries] == [
        "Mend the login timeout",
        "Speed up the invoice export",
    ]
    lines = report.text.splitlines()
    assert lines[0] == "# Week 2026-11-15 to 2026-11-21"
    at = lines.index("## Done")
    assert lines[at + 1].endswith("Mend the login timeout: The pool was too small.")
    at = lines.index("## Failed")
    assert lines[at + 1].endswith("Speed up the invoice export: It needs a new server.")
    assert "- Invoices are numbered per year" in lines
    assert lines[-2:] == ["## Still open", "- Paint the fence"]


def test_day_holds_only_its_own(week: Commonplace) -> None:
    text = week.report("day", day=date(2026, 11, 18)).text
    assert "invoice export" in text
    assert "login" not in text
    assert "plants" not in text
    empty = week.report("day", day=date(2026, 1, 1)).text
    assert empty == "# Day of 2026-01-01\n\nNothing was filed."
    with pytest.raises(BadInput, match="not a period"):
        week.report("century")


def test_report_shows_nobody_elses_work(week: Commonplace) -> None:
    ada = week.as_context({"user": "ada", "role": "member"})
    ada.task("Ada's secret plan").complete()
    bob = week.as_context({"user": "bob", "role": "member"})
    assert "secret" not in bob.report("week", day=date(2026, 11, 21)).text
    assert "secret" in ada.report("week", day=date(2026, 11, 21)).text


def test_days_at_the_edge_of_the_calendar_are_refused_in_words(book: Commonplace) -> None:
    for period, day in (("week", date.min), ("day", date.max)):
        with pytest.raises(BadInput, match="out of range"):
            book.report(period, day=day)


def test_sensitive_memories_are_in_no_report(book: Commonplace) -> None:
    book.save("Ada's diagnosis is hay fever", kind="fact", sensitivity="sensitive")
    book.save("Ada likes tea", kind="fact")
    text = book.report().text
    assert "hay fever" not in text
    assert "Ada likes tea" in text


def test_report_says_each_thing_once_and_in_readable_names(book: Commonplace) -> None:
    flow = book.save("The login flow starts at /auth", title="Login flow").memory
    book.save(f"Read [[{flow.slug}]] before a change", kind="workflow")
    book.save(f"See [[{flow.slug}|the flow]] for details", kind="fix")
    book.save("Ada likes tea", kind="fact", scope="/project/x")
    book.save("Ada likes tea.", kind="preference", scope="/project/y")
    book.task("Move to the new host", plan=["Copy the data", "Switch the name"])
    book.task("Write a wiki").abandon("Nobody would read it.")
    lines = book.report().text.splitlines()
    assert "- Read Login flow before a change" in lines
    assert "- See the flow for details" in lines
    assert not any("[[" in line for line in lines)
    assert sum("Ada likes tea" in line for line in lines) == 1
    assert "- Move to the new host (next: Copy the data)" in lines
    assert lines[lines.index("### Abandoned") + 1].endswith("Write a wiki: Nobody would read it.")


def test_sessions_are_reported_by_their_outcome(book: Commonplace) -> None:
    book.session("one").end(
        [
            Turn("user", "Please fix the typo on the start page."),
            Turn("assistant", "I fixed the typo on the start page and deployed it."),
        ]
    )
    book.session("two").end(
        [
            Turn("user", "Can you add a French translation?"),
            Turn("assistant", "I added the menu. The footer is not translated yet."),
        ]
    )
    lines = book.report().text.splitlines()
    done, still_open = lines.index("## Done"), lines.index("## Still open")
    assert "typo on the start page" in lines[done + 1]
    assert "French translation" in lines[still_open + 1]
    assert "footer is not translated yet" in lines[still_open + 1]
    assert "User:" not in book.report().text


def test_summaries_are_listed_only_when_asked_for(book: Commonplace) -> None:
    book.save("The office plants like rain water")
    book.task("Mend the login timeout").complete("The pool was too small.")
    book.session("one").end([Turn("user", "Please water the plants."), Turn("assistant", "Done!")])
    assert [one.content for one in book.list()] == ["The office plants like rain water"]
    kinds = {one.kind for one in book.list(include_archive=True)}
    assert {"task-summary", "session-summary", "insight"} <= kinds
    assert len(book.list(kinds=["session-summary"])) == 1
    assert {one.kind for one in book.export()} >= {"task-summary", "session-summary"}


def test_overview_counts_what_list_shows(book: Commonplace) -> None:
    book.save("The office plants like rain water")
    book.session("one").end([Turn("user", "Please water the plants."), Turn("assistant", "Done!")])
    shown = book.overview()
    assert (shown.memories, [name for name, _ in shown.by_kind]) == (1, ["insight"])
    assert [one.kind for one in shown.newest] == ["insight"]
    assert book.overview(include_archive=True).memories == 2
    assert book.overview(kinds=["session-summary"]).memories == 1


def test_report_says_what_was_decided(book: Commonplace) -> None:
    book.session("one").end(
        [
            Turn("user", "Which queue do we take for the mails?"),
            Turn("assistant", "I would suggest RabbitMQ."),
            Turn("user", "Let's use the Postgres table instead, we have it anyway."),
            Turn("assistant", "Done, mails go through the table `outbox` and all tests pass."),
        ]
    )
    book.save("Support ends with Python 3.11", kind="decision")
    lines = book.report().text.splitlines()
    decided = lines[lines.index("## Decided") + 1 : lines.index("## Decided") + 3]
    assert decided == [
        "- Let's use the Postgres table instead, we have it anyway.",
        "- Support ends with Python 3.11",
    ]


def test_report_on_several_projects_keeps_them_apart(book: Commonplace) -> None:
    arena = book.as_context({"project": "arena"})
    billing = book.as_context({"project": "billing"})
    arena.task("Mend the lobby").complete("The list was stale.")
    billing.task("Send the invoices").complete("All are out.")
    billing.save("Invoices need a number")
    book.save("The office closes at six")
    lines = book.report().text.splitlines()
    parts = [line for line in lines if line.startswith("## ")]
    assert parts == ["## arena", "## billing", "## Without a project"]
    of_arena = lines[lines.index("## arena") : lines.index("## billing")]
    assert of_arena[1:3] == ["", "### Done"]
    assert any("Mend the lobby" in line for line in of_arena)
    assert not any("invoice" in line.lower() for line in of_arena)
    assert lines[-1] == "- The office closes at six"
    assert "## Done" in arena.report().text, "one project needs no name"


def test_a_report_has_no_heading_without_lines(book: Commonplace) -> None:
    book.as_context({"project": "arena"}).save("The office closes at six")
    book.as_context({"project": "billing"}).save("The office closes at six")
    headings = [one for one in book.report().text.splitlines() if one.startswith("## ")]
    assert headings == ["## arena"]


def test_short_id_means_the_newest_version(book: Commonplace) -> None:
    old = book.save("We deploy on Mondays from main").memory
    new = book.edit(old.id, content="We deploy on Tuesdays from main")
    assert book.get(old.id[-6:]).id == new.id
    assert book.get(old.id).content == "We deploy on Mondays from main"


def test_a_report_tells_the_work_of_a_task_once_and_as_it_stands(
    book: Commonplace, clock: Clock
) -> None:
    here = book.as_context({"project": "tiles"}, source="hook")
    here.task("Move the tiles to S3", plan=["Copy the tiles", "Verify checksums"], id="s3")
    bound = here.as_context({"project": "tiles", "task": "s3"}, source="hook")
    for name in ("monday", "tuesday"):
        bound.session(name).end(
            [
                Turn("user", "Go on with the copy of the tiles."),
                Turn("assistant", "Still open: the checksum run has to wait for Ada."),
            ]
        )
        clock.pass_days(0.01)
    going_on = here.report().text
    assert going_on.count("hecksum run") == 1
    assert "(next: The checksum run has to wait for Ada.)" in going_on
    here.task(resume="s3").complete("All tiles are on S3.")
    text = here.report().text
    assert "Still open" not in text
    assert "checksum" not in text
    assert text.count("Move the tiles to S3") == 1


def test_an_open_end_that_a_later_session_closed_is_not_open_in_a_report(
    book: Commonplace, clock: Clock
) -> None:
    book.session("monday").end(
        [
            Turn("user", "Write the docs of the importer."),
            Turn("assistant", "The docs are written. Still open: the alert rule for the queue."),
        ]
    )
    assert "## Still open" in book.report().text
    clock.pass_days(0.01)
    book.session("tuesday").end(
        [
            Turn("user", "Write the alert rule for the queue."),
            Turn("assistant", "I wrote the alert rule for the queue. All tests pass."),
        ]
    )
    text = book.report().text
    assert "Still open" not in text
    assert "Write the docs of the importer" in text


def test_a_session_that_only_asked_where_we_stopped_is_no_work(book: Commonplace) -> None:
    book.session("monday").end(
        [Turn("user", "Where did we stop?"), Turn("assistant", "We stopped at the alert rule.")]
    )
    assert "Nothing was filed" in book.report().text
