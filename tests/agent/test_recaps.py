"""The summary of a session says what was wanted, what came of it, what was decided and left open.

Each file in `transcripts/` holds what its summary must and must never say, which facts about the
person become lessons, then the session.
"""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonplace import Commonplace
from commonplace.ports.reasoner import Recap, Turn
from commonplace.rules.recaps.recap import make_recap, recap_text
from commonplace.rules.talk.lessons import extract_lessons
from commonplace.rules.talk.standing_lines import standing_line

TRANSCRIPTS = sorted((Path(__file__).parent / "transcripts").glob("*.txt"))


def read_transcript(path: Path) -> tuple[list[tuple[str, str]], list[Turn]]:
    """The expectations of a transcript, and its turns."""
    head, _, body = path.read_text(encoding="utf-8").partition("\n===\n")
    expected = [(name, text.strip()) for name, _, text in map(_halves, head.splitlines())]
    turns: list[Turn] = []
    for line in body.splitlines():
        if line.startswith(("user: ", "agent: ")):
            speaker, _, text = line.partition(": ")
            turns.append(Turn({"agent": "assistant"}.get(speaker, speaker), text))
        else:
            turns[-1] = turns[-1].but(text=f"{turns[-1].text}\n{line}")
    return expected, turns


def _halves(line: str) -> tuple[str, str, str]:
    return line.partition(":")


def part(made: Recap, name: str) -> str:
    """One part of a recap as text."""
    if name == "goal":
        return made.goal
    if name == "request":
        return "\n".join(made.requests)
    remarks = {"outcome": made.outcome, "decision": made.decisions, "open": made.open_ends}[name]
    return "\n".join(f"{one.speaker}: {one.text}" for one in remarks)


def says(text: str, phrase: str) -> bool:
    """Whether a text says a phrase as whole words; capitals count for a phrase of capitals."""
    flags = re.NOFLAG if phrase.isupper() else re.IGNORECASE
    return re.search(rf"(?<![a-zA-Z]){re.escape(phrase)}(?![a-zA-Z])", text, flags) is not None


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_recap_says_what_its_transcript_expects(path: Path) -> None:
    expected, turns = read_transcript(path)
    made = make_recap(turns)
    whole = recap_text(made)
    learned = "\n".join(one.content for one in extract_lessons(turns))
    for name, phrase in expected:
        if name == "fact":
            assert says(learned, phrase), f"{phrase!r} not in the lessons\n{learned}"
        elif name == "nofact":
            assert not says(learned, phrase), f"{phrase!r} in the lessons\n{learned}"
        elif name == "state":
            assert made.state == phrase, whole
        elif name == "never":
            assert not says(whole, phrase), f"{phrase!r} in\n{whole}"
        else:
            assert says(part(made, name), phrase), f"{name} {phrase!r} not in\n{whole}"


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_summary_in_the_book_is_short_and_names_its_goal(book: Commonplace, path: Path) -> None:
    _, turns = read_transcript(path)
    summary = book.session("monday").end(turns).summary
    assert summary is not None
    assert f"{len(turns)} turns" in summary.content
    assert summary.content.count("\n") <= 30
    assert len(summary.content) <= 2_400
    assert not re.match(r"(?i)hi\b|hello|hallo|hola|hey|good morning", summary.title)


SHORT_TURNS = (
    "No, 3 pm, not 4 pm.", "Let's use Redis instead.", "Done. It works!", "Yes, use Redis.",
    "Redis or a table?", "```\nPING\n```", "## Next", "Wrong.", "22.",
)  # fmt: skip
"""Turns of one sentence, of code or of a heading, which a summary reads beside each other."""


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["user", "assistant", "tool"]),
            st.text(max_size=80) | st.sampled_from(SHORT_TURNS),
        ),
        max_size=12,
    )
)
def test_any_turns_give_a_short_recap_and_always_the_same(said: list[tuple[str, str]]) -> None:
    turns = [Turn(speaker, text) for speaker, text in said]
    made = make_recap(turns)
    assert make_recap(turns) == made
    text = recap_text(made)
    assert text.count("\n") <= 40
    assert all(len(line) <= 320 for line in text.splitlines())


@pytest.mark.parametrize("shown", ["```python\nretry(3)\n```", "| a | b |\n| 1 | 2 |", "# Retry"])
def test_a_yes_after_a_turn_without_a_sentence_is_read(shown: str) -> None:
    goal = Turn("user", "Write the retry of the upload worker.")
    made = make_recap([goal, Turn("assistant", shown), Turn("user", "Yes, use pytest for it.")])
    assert made.goal == "Write the retry of the upload worker."
    assert "pytest" in recap_text(made)


@pytest.mark.parametrize(
    "piece", ["ok, ", "not a but ", "from x to ", "12 may ", "no, ", "[[", "- "]
)
def test_a_turn_that_repeats_itself_is_read_in_time(piece: str) -> None:
    long = piece * (4_000 // len(piece))
    turns = [Turn("user", long), Turn("assistant", long)] * 4
    began = time.perf_counter()
    make_recap([Turn("user", "Please read this."), Turn("assistant", "Done, it works.")])
    plain = time.perf_counter() - began
    began = time.perf_counter()
    make_recap(turns)
    assert time.perf_counter() - began < 5_000 * max(plain, 0.001)


def test_a_megabyte_in_one_turn_is_no_reason_to_fail(book: Commonplace) -> None:
    turns = [Turn("user", "Please read this: " + "word, " * 200_000), Turn("assistant", "Done.")]
    summary = book.session("long").end(turns).summary
    assert summary is not None
    assert len(summary.content) < 2_000


def recap_of(*said: str) -> Recap:
    turns = [Turn("user" if at % 2 == 0 else "assistant", text) for at, text in enumerate(said)]
    return make_recap(turns)


@pytest.mark.parametrize(
    "request_",
    [
        "Add zod to the project.",
        "Put the date into CHANGELOG.md.",
        "Please rename the nightly job.",
        "Let's go on.",
        "Let's continue with the tests.",
        "You should have asked me before deleting that file.",
    ],
)
def test_a_request_is_no_decision(request_: str) -> None:
    sorry = "Sorry." if "should" in request_ else "Done."
    made = recap_of("Set up the exports.", "The exports run nightly.", request_, sorry)
    assert made.decisions == ()


@pytest.mark.parametrize(
    "decision", ["Let's use parquet instead of csv.", "Limit them to 500 rows.", "We keep SQLite."]
)
def test_a_decision_is_still_one(decision: str) -> None:
    made = recap_of("Set up the exports.", "The exports run nightly.", decision, "Done.")
    assert [one.text for one in made.decisions] == [decision]


@pytest.mark.parametrize(
    "remark",
    [
        "Please keep answers short",
        "Can you please stop using emojis in commit messages",
        "From now on, write dates as YYYY-MM-DD.",
        "Ab jetzt bitte immer auf Deutsch antworten.",
        "where did we stop?",
    ],
)
def test_a_remark_on_how_to_work_is_no_goal_and_no_open_end(remark: str) -> None:
    made = recap_of(remark, "OK.", "Why does the importer crash on empty files?", "No header.")
    assert made.goal == "Why does the importer crash on empty files?"
    ending = recap_of("Mend the importer.", "The importer is mended.", remark)
    assert ending.open_ends == ()


@pytest.mark.parametrize("reply", ["Sorry.", "Congrats!", "I'm so sorry.", "Got it.", "Noted."])
def test_a_courtesy_is_no_outcome(reply: str) -> None:
    made = recap_of("The test of the exports is red again since Monday.", reply)
    assert made.outcome == ()
    assert made.state == ""


@pytest.mark.parametrize(
    "chore",
    [
        "I have to pick up the kids.",
        "I need to catch the train now.",
        "Gotta run, I have to cook dinner for tomorrow.",
        "Ich muss noch die Kinder abholen.",
    ],
)
def test_a_chore_of_life_is_no_open_end(chore: str) -> None:
    made = recap_of("Mend the importer.", "The importer is mended.", chore, "See you!")
    assert made.open_ends == ()


def test_what_is_left_beside_a_chore_stays() -> None:
    made = recap_of(
        "Mend the importer.",
        "The importer is mended.",
        "I have to catch the train, we still have to rotate the keys tomorrow.",
        "See you!",
    )
    assert "rotate the keys" in made.open_ends[0].text
    travel = recap_of(
        "Plan the trip to Bergen with the kids.",
        "The night train is cheaper than the plane, and the kids can sleep.",
        "I have to book the train for the kids tomorrow.",
        "Alright.",
    )
    assert "book the train" in travel.open_ends[0].text


def test_a_session_that_went_on_after_asking_is_named_after_its_work(book: Commonplace) -> None:
    turns = [
        Turn("user", "Where did we stop?"),
        Turn("assistant", "We stopped at the alert rule."),
        Turn("user", "go on"),
        Turn("assistant", "I wrote the alert rule for the queue."),
    ]
    summary = book.session("monday").end(turns).summary
    assert summary is not None
    assert "alert rule for the queue" in summary.title
    assert "Where did we stop" not in summary.content


def test_the_answer_to_where_we_stopped_is_no_outcome() -> None:
    made = recap_of(
        "where did we stop?",
        "We stopped at the alert rule; the importer is done.",
        "Which port does the API listen on?",
        "The API listens on 8443.",
    )
    assert [one.text for one in made.outcome] == ["The API listens on 8443."]


def a_recap(*said: str) -> Recap:
    speakers = ("user", "assistant")
    return make_recap([Turn(speakers[at % 2], text) for at, text in enumerate(said)])


def test_an_answer_about_something_else_is_no_outcome() -> None:
    made = a_recap(
        "Umlauts are broken in the pdf again", "Install fonts-dejavu.", "ok do it", "Done",
        "hm, why is the sky blue?", "Rayleigh scattering.",
    )  # fmt: skip
    assert "fonts-dejavu" in recap_text(made)
    assert "Rayleigh" not in recap_text(made)


def test_what_says_nothing_without_the_sentence_before_is_no_decision() -> None:
    made = a_recap(
        "The lobby drops players after 40 seconds, can you find out why?",
        "The heartbeat timer is 45 s while the relay closes sockets after 40 s.",
        "great find. set it to 15 then", "Done: the heartbeat interval is 15 s now.",
        "keep it below 200 ms on the slow line, too", "It takes 120 ms.",
        "Still missing: the export of the totals. Let's do that next time.", "Fine.",
    )  # fmt: skip
    assert [one.text for one in made.decisions] == ["Keep it below 200 ms on the slow line, too."]
    assert ["export of the totals" in one.text for one in made.open_ends] == [True]


def test_a_file_at_the_head_of_a_line_keeps_its_name() -> None:
    made = a_recap("import_bank.py chokes on the CSV. Can you have a look?", "It is cp1252.")
    assert made.goal.startswith("import_bank.py chokes")


@pytest.mark.parametrize(
    "said",
    [
        "btw I'd rather have amounts as Decimal than float",
        "By the way I'd rather have amounts as Decimal than float",
    ],
)
def test_no_kept_line_begins_with_by_the_way(said: str) -> None:
    assert standing_line(said, "Done.") == "I'd rather have amounts as Decimal than float."
