"""A correction concerns what was spoken of, and its line says what that is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import commonplace
from commonplace import Commonplace
from commonplace.model.memory import LIVE
from commonplace.ports.reasoner import Turn


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Commonplace]:
    url = f"sqlite://{tmp_path}/book.db"
    with commonplace.open(url, context={"project": "shop"}, source="hook") as opened:
        yield opened


def talk(book: Commonplace, *turns: str) -> list[str]:
    """A conversation that begins with the user; returns what is in use after its end."""
    speakers = ("user", "assistant")
    book.session("talk").end([Turn(speakers[at % 2], text) for at, text in enumerate(turns)])
    return [one.content for one in book.list() if one.status in LIVE]


@pytest.mark.parametrize(
    ("asked", "answered", "said", "has"),
    [
        ("Which port does the preview use?", "It uses 4173.", "no, 4180", "preview 4180"),
        ("What port does Grafana use?", "3000, I believe.", "no, 3300", "Grafana 3300"),
        (
            "Which port does the mail relay use again?",
            "It uses 25.",
            "that's not right, it's 587 since last week",
            "relay 587",
        ),
        (
            "How long do we keep raw scans?",
            "400 days for the scans, forever for the totals.",
            "legal says 365 days from January on",
            "keep 365",
        ),
        (
            "Does buoy 17 still report feet?",
            "Yes, per memory it does.",
            "it was replaced in October, it reports metres like all the others",
            "buoy metres",
        ),
        (
            "Where is the office?",
            "In Utrecht.",
            "not since June: we are in Leiden now",
            "office Leiden",
        ),
        ("Which node version?", "Node 20.", "not any more, in May Ada moved us to 22", "node 22"),
        (
            "Write the mail for overdue invoices, with the reminders",
            "It sends after 14 days.",
            "Wrong: reminders go out after 21 days for everyone now, not just Bakker",
            "Reminders 21",
        ),
    ],
)
def test_a_line_has_its_subject(
    book: Commonplace, asked: str, answered: str, said: str, has: str
) -> None:
    kept = talk(book, asked, answered, said, "Noted.")
    assert any(all(word in one for word in has.split()) for one in kept), kept


def test_a_sentence_that_stands_alone_quotes_nothing(book: Commonplace) -> None:
    said = "I'm allergic to walnuts, so the cake must not have any"
    kept = talk(book, "draft the menu", "Changed to 13:30; 86 guests.", said, "Noted.")
    assert f"{said}." in kept


@pytest.mark.parametrize(
    ("stored", "turns"),
    [
        (
            "The venue is De Oude Gracht in Utrecht, 14 June 2027, 82 guests",
            (
                "Write the reminder mail",
                "It sends after 14 days.",
                "Wrong: reminders go out after 21 days for everyone now, not just Bakker",
            ),
        ),
        (
            "We take Sofie, 990 euro.",
            (
                "Should we get a second band?",
                "The budget is tight.",
                "keep everything under 14,000 euro in total",
            ),
        ),
    ],
)
def test_a_figure_of_something_else_is_not_disputed(
    book: Commonplace, stored: str, turns: tuple[str, ...]
) -> None:
    old = book.save(stored, scope="/").memory
    talk(book, *turns)
    assert book.get(old.id).status == "active"
    assert [one for one in book.inbox() if one.action == "contradiction"] == []


def test_another_project_is_not_corrected(tmp_path: Path) -> None:
    url = f"sqlite://{tmp_path}/book.db"
    with commonplace.open(url, context={"project": "mill"}, source="hook") as other:
        old = other.save("The deploy branch is main.").memory
    with commonplace.open(url, context={"project": "shop"}, source="hook") as book:
        talk(book, "deploy please", "Deploying from the branch main.", "No, it's release.")
    with commonplace.open(url, context={"project": "mill"}, source="hook") as other:
        assert other.get(old.id).status == "active"


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ("Sofie is the photographer, not Milan", "Sofie is the photographer, not Milan."),
        (
            "Actually Milan can't come. We take Sofie, 990 euro",
            "The photographer: “Milan can't come. We take Sofie, 990 euro”.",
        ),
    ],
)
def test_who_takes_the_place_of_another_replaces_an_agents_memory(
    book: Commonplace, said: str, right: str
) -> None:
    old = book.save("The photographer is Milan, 1,150 euro, until 23:00.").memory
    assert talk(book, "Hello", "What is new?", said) == [right]
    assert book.get(old.id).status not in LIVE


def test_a_turn_about_something_else_ends_nothing_that_was_just_answered(tmp_path: Path) -> None:
    kept = "Our fiscal year starts on 1 July."
    for number, (question, answer, said) in enumerate((
        ("when does it start?", "1 July.", "the DATEV export is done, wrote it this morning"),
        ("", "Okay, the fiscal year starts 1 July.",
         "I work at Heller & Sohn, we're four people, and I do everything Mon to Thu"),
    )):  # fmt: skip
        url = f"vault:{tmp_path / str(number)}"
        with commonplace.open(url, create=True, context={"project": "ledger"}) as book:
            book.save(kept)
            ended = book.session("monday").end([
                Turn("user", question or "what is fixed?"), Turn("assistant", answer),
                Turn("user", said), Turn("assistant", "Noted."),
            ])  # fmt: skip
            assert not ended.corrected
            assert kept in [one.content for one in book.list()]
