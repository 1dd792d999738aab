"""A summary's lines stand alone, and are true when the session ends."""

from __future__ import annotations

import pytest

from commonplace.ports.reasoner import Lesson, Turn
from commonplace.rules.recaps.recap import make_recap, recap_text
from commonplace.rules.recaps.retracted import lasting, put_right_at_once
from commonplace.rules.talk import short_answers
from commonplace.rules.talk.lessons import extract_lessons
from commonplace.rules.talk.standing_lines import with_question


def told(*said: str) -> str:
    """The recap of a conversation; the user speaks first."""
    turns = [Turn("assistant" if at % 2 else "user", one) for at, one in enumerate(said)]
    return recap_text(make_recap(turns))


def test_an_answer_that_holds_no_longer_is_no_outcome() -> None:
    text = told(
        "Which shelf has the spare keys?", "The spare keys are on the upper shelf.",
        "Not since June: the spare keys hang in the garage", "Understood.",
    )  # fmt: skip
    assert "upper shelf" not in text
    assert "hang in the garage" in text


def test_an_order_that_is_given_again_is_not_abandoned() -> None:
    text = told(
        "Build the docs", "Built.", "skip the link check today", "Skipped.",
        "never mind, do the link check after all", "All links work.",
    )  # fmt: skip
    assert "abandoned" not in text


def test_an_announcement_comes_with_what_it_is_about() -> None:
    text = told("Do we need a permit for the stage? I'll ask the town on Friday", "Probably, yes.")
    assert "permit for the stage? I'll ask the town on Friday" in text.partition("## Open")[2]


def test_what_always_happens_is_no_wish() -> None:
    assert not extract_lessons([Turn("user", "Always fails when the disk is full.")])
    assert not extract_lessons([Turn("user", "never works on a Mac")])
    kept = extract_lessons([Turn("user", "In this project we write dates as ISO 8601")])
    assert [one.content for one in kept] == ["In this project we write dates as ISO 8601."]


@pytest.mark.parametrize(
    ("fact", "then", "held"),
    [
        ("Payroll runs on the 25th.", "sorry, meant the 27th", "on the 27th"),
        ("Our API listens on port 8080.", "wait no, port 8081", "on port 8081"),
        ("Standup is on Mondays.", "oops, Tuesdays I mean", "on Tuesdays."),
        ("Our office is in Linz.", "sorry, I meant Graz", "in Graz"),
        ("Our office is in Linz.", "no idea what the rent is", "Our office is in Linz."),
        ("Our office is in Linz.", "The other one is in Graz", "Our office is in Linz."),
    ],
)
def test_what_is_put_right_in_the_next_turn_is_kept_right(fact: str, then: str, held: str) -> None:
    turns = [
        Turn("user", fact), Turn("assistant", "Noted."),
        Turn("user", then), Turn("assistant", "Okay."),
    ]  # fmt: skip
    (kept,) = put_right_at_once(turns, [Lesson("fact", fact)])
    assert held in kept.content


def test_what_says_of_what_it_speaks_is_not_glued_to_what_came_before() -> None:
    said = "We go with zap for logging, not logrus"
    assert short_answers.decision(said, "I created main.go and a Dockerfile.") == f"{said}."
    line = "The export is done."
    assert with_question(line, "when does the year start?", "1 July.", corrects=True) == line


def left_open(*said: str) -> list[str]:
    lines = told(*said).partition("## Open")[2].splitlines()
    return [line.partition(": ")[2] for line in lines if line.startswith("- ")]


def test_each_thing_that_is_left_stands_by_itself() -> None:
    assert left_open(
        "Fix the lobby timeout", "Done: the heartbeat is 15 s.",
        "ok let's stop here, tomorrow we still have to write the reconnect test and bump the"
        " protocol version", "Good night.",
    ) == ["Write the reconnect test.", "Bump the protocol version."]  # fmt: skip
    whole = "We still have to ask Anna and see whether she agrees."
    assert left_open("Fix the gate", "Fixed.", whole, "Fine.") == [whole]


def test_what_was_asked_for_and_told_later_is_not_left() -> None:
    talk = (
        "Add a signal for the shield", "Added. Now only the protocol version is left.",
        "bump the protocol version to 7",
    )  # fmt: skip
    assert left_open(*talk, "PROTOCOL_VERSION is 7 now.") == []
    assert left_open(*talk, "I cannot: the protocol version is still needed by the relay.")


def test_how_a_thing_must_be_is_not_left_to_do() -> None:
    said = "The base image has to be distroless, that's a must"
    assert left_open("Set up the relay", "I created main.go.", said, "Switched.") == []
    assert left_open("Set up the relay", "Set up.", "The config has to be rewritten", "I see.")


def test_putting_off_decides_nothing_and_what_is_left_is_no_fact() -> None:
    said = "Let's do that next time"
    talk = told("Fix the gate", "Fixed.", f"The docs still need work. {said}.", "Fine.")
    assert said not in talk.partition("## Decisions")[2]
    left = "Still missing: the export and a check of the totals."
    facts = [Lesson("fact", left), Lesson("fact", "We have to file taxes by 10 March.")]
    assert lasting([Turn("user", left)], facts) == tuple(facts[1:])
