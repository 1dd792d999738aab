"""The bundled judge and listener on plain texts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonplace.backends.neural.bundled import FILE, WordPieceTokenizer
from commonplace.backends.neural.model_file import ModelFile, Vocabulary
from commonplace.backends.neural.reader import BundledReader
from commonplace.backends.neural.reader_input import SEGMENTS, read_texts

READER = BundledReader()


TOKENIZER = WordPieceTokenizer(Vocabulary(ModelFile(FILE)).find)


CHANGES = (
    ("The nightly export runs at 2.", "The nightly export runs at 4."),
    ("Ama leads the payments team.", "Yusuf took over the payments team from Ama."),
    ("Prefers tea over coffee.", "Prefers coffee over tea."),
    ("The office is in Lyon.", "We have moved the office to Grenoble."),
    ("log_level = info", "log_level = debug"),
    ("Has a cat called Olive.", "Olive died last week."),
)
BESIDE = (
    ("The nightly export runs at 2.", "The weekly report runs on Sundays."),
    ("Ama leads the payments team.", "Ama is from Kumasi."),
    ("The office is in Lyon.", "The office has a roof terrace."),
    ("I live in Berlin.", "I moved to the backend team."),
    ("I work at Siemens.", "I work at night."),
    ("The deploy branch is main.", "The deploy branch is protected."),
)


@pytest.mark.parametrize(("older", "newer"), CHANGES)
def test_a_change_replaces(older: str, newer: str) -> None:
    assert READER.relate(newer, older).replaces > 0.5


@pytest.mark.parametrize(("older", "newer"), BESIDE)
def test_what_holds_beside_replaces_nothing(older: str, newer: str) -> None:
    assert READER.relate(newer, older).replaces < 0.5


def test_what_is_said_is_understood_with_what_it_answers() -> None:
    older = "The SLO of the login service is 99.9 %."
    before = "Login: 99.93 % against an objective of 99.9 %."
    said = "It has to hold 99.95, that was agreed with sales."
    assert READER.relate(said, older, context=before).replaces > 0.5


@pytest.mark.parametrize(
    "turn",
    [
        "From now on put the invoice number first.",
        "I'm allergic to shellfish, by the way.",
        "No, the meeting is on Thursdays.",
        "Could you use metric units in future?",
    ],
)
def test_what_teaches_is_heard(turn: str) -> None:
    assert READER.hear([turn]).none < 0.5


@pytest.mark.parametrize(
    "turn",
    ["What time is it in Tokyo?", "Thanks, that helps.", "Make this paragraph shorter.", "hm"],
)
def test_what_teaches_nothing_is_not(turn: str) -> None:
    assert READER.hear([turn]).none > 0.5


def test_the_sentence_that_matters_is_kept() -> None:
    heard = READER.hear(["Thanks for the plan!", "I never eat before ten.", "What else is there?"])
    assert max(range(3), key=heard.kept.__getitem__) == 1


@settings(deadline=None, max_examples=25)
@given(st.text(max_size=300), st.text(max_size=300), st.text(max_size=300))
def test_any_texts_have_a_relation(newer: str, older: str, context: str) -> None:
    found = READER.relate(newer or "a", older or "b", context=context)
    shares = (found.replaces, found.same, found.adds, found.other)
    assert all(0 <= share <= 1 for share in shares)
    assert sum(shares) == pytest.approx(1)


@settings(deadline=None, max_examples=25)
@given(st.lists(st.text(max_size=200), min_size=1, max_size=30), st.text(max_size=500))
def test_any_turn_is_something(sentences: list[str], before: str) -> None:
    heard = READER.hear(sentences, before=before)
    shares = (heard.correction, heard.preference, heard.instruction, heard.fact, heard.none)
    assert sum(shares) == pytest.approx(1)
    assert len(heard.kept) == len(sentences)


@given(st.lists(st.text(min_size=1, max_size=400), min_size=1, max_size=3), st.integers(16, 200))
@settings(deadline=None, max_examples=50)
def test_texts_fit_and_every_piece_has_a_segment(texts: list[str], limit: int) -> None:
    pieces, segments = read_texts(TOKENIZER, texts, limit=limit)
    assert len(pieces) == len(segments) <= limit
    assert all(0 <= segment < SEGMENTS for segment in segments)


@pytest.mark.parametrize(
    ("question", "answer", "near"),
    [
        (
            "Which port does billing listen on?",
            "billing listens on 8443",
            "billing was written by Olu",
        ),
        ("Who is the CTO?", "Bob is the CTO", "The CTO asked for a report"),
        (
            "How often is the catalogue rebuilt?",
            "The catalogue is rebuilt hourly",
            "The catalogue has 4,000 entries",
        ),
    ],
)
def test_an_answer_reads_otherwise_than_a_near_miss(question: str, answer: str, near: str) -> None:
    assert READER.answers(question, answer) > READER.answers(question, near)


@settings(deadline=None, max_examples=25)
@given(st.text(max_size=2000), st.text(max_size=2000))
def test_any_question_and_text_can_be_read(question: str, text: str) -> None:
    assert -50 < READER.answers(question or "?", text or ".") < 50
