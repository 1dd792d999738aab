"""The archive answers about history, stays out of the way otherwise, and becomes reports."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from commonplace import BadInput, Commonplace
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
    assert "## Tasks" in lines
    assert any("Speed up the invoice export (failed)" in line for line in lines)
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
