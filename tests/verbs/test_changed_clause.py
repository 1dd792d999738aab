"""A change of one thing takes nothing else along, whatever kind of note says it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import commonplace
from commonplace import Commonplace
from commonplace.model.memory import LIVE


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Commonplace]:
    with commonplace.open(f"sqlite://{tmp_path}/book.db") as opened:
        yield opened


def live(book: Commonplace) -> str:
    return "\n".join(one.content for one in book.list() if one.status in LIVE)


@pytest.mark.parametrize(
    ("older", "newer", "gone", "kept"),
    [
        (
            "The test server of Marlowe is at 10.0.4.7, the live server is at 10.0.9.1.",
            "The test server of Marlowe moved to 10.0.4.99.",
            "10.0.4.7",
            "The live server is at 10.0.9.1.",
        ),
        (
            "Invoices are sent on the 1st, reminders are sent after 14 days.",
            "Invoices are sent on the 5th from now on.",
            "1st",
            "Reminders are sent after 14 days.",
        ),
        (
            "The spring sale begins on 3 April; the shop in Ghent stays closed then.",
            "The spring sale begins on 10 April.",
            "3 April",
            "The shop in Ghent stays closed then.",
        ),
    ],
)
def test_the_other_clause_stays_as_a_sentence_of_its_own(
    book: Commonplace, older: str, newer: str, gone: str, kept: str
) -> None:
    book.save(older)
    book.save(newer)
    assert gone not in live(book)
    assert kept in live(book)


@pytest.mark.parametrize(
    ("older", "newer", "kept"),
    [
        (
            "Pottery is in the old mill, costs 9 euros and lasts two hours.",
            "Pottery costs 11 euros now.",
            ("old mill", "two hours"),
        ),
        (
            "The backup runs on the tall rack, takes about 20 minutes and writes to bay 4.",
            "The backup writes to bay 7 now.",
            ("tall rack", "20 minutes"),
        ),
        (
            "The digest is written by Oona, runs to three pages and goes to the board.",
            "The digest goes to all members now.",
            ("Oona", "three pages"),
        ),
    ],
)
def test_a_clause_never_takes_along_what_still_holds(
    book: Commonplace, older: str, newer: str, kept: tuple[str, ...]
) -> None:
    book.save(older)
    book.save(newer)
    assert all(one in live(book) for one in kept)


def test_what_cannot_stand_alone_is_asked_about(book: Commonplace) -> None:
    book.save("Logs are kept 30 days, metrics a year, audit trails ten years.")
    book.save("Logs are kept 14 days now.")
    assert "audit trails ten years" in live(book)
    assert [entry.action for entry in book.inbox()] == ["contradiction"]


@pytest.mark.parametrize("kind", ["decision", "workflow", "fix"])
def test_a_plain_note_changes_what_a_note_of_another_kind_says(
    book: Commonplace, kind: str
) -> None:
    old = book.save("The feature flags are kept in the table feature_switches.", kind=kind).memory
    book.save("Feature flags moved to Unleash, and the table feature_switches was dropped.")
    assert book.get(old.id).status not in LIVE


def test_notes_of_two_kinds_are_never_merged(book: Commonplace) -> None:
    book.save("Releases go out on Tuesdays after the standup.", kind="workflow")
    book.save("Releases go out on Tuesdays after the standup, in the morning.")
    assert {(one.kind, one.content) for one in book.list()} == {
        ("workflow", "Releases go out on Tuesdays after the standup."),
        ("insight", "Releases go out on Tuesdays after the standup, in the morning."),
    }


def test_a_question_that_a_save_raised_is_not_raised_again(book: Commonplace) -> None:
    book.save("The spring sale begins on 3 April, and the autumn sale begins on 9 October.")
    book.save("The spring sale begins on 10 April now.")
    assert [entry.action for entry in book.inbox()] == ["contradiction"]
