"""A question typed without its mark is one, and a statement that begins alike is none."""

from __future__ import annotations

import pytest

from commonplace.ports.reasoner import Turn
from commonplace.rules.talk import lessons
from commonplace.rules.talk.unmarked_questions import asks, with_mark

ASKED = (
    "which branch do releases come from",
    "so where is the staging env",
    "how many trees now",
    "whats the image format",
    "till when can customers order",
    "are we doing du or Sie",
    "welchen Branch nehmen wir",
    "bis wann kann man für morgen bestellen",
    "cuántos árboles hay",
    "what day is rehearsal",
)
TOLD = (
    "what we use is poetry",
    "what matters is speed",
    "which is why we moved",
    "when the build is done tell me",
    "do the release on fridays",
    "do it like that every time",
    "have the tests run first",
    "how we deploy is documented in ops.md",
    "should you need it, ask Piet",
    "can you always use tabs",
    "was wir brauchen, ist ein Plan",
    "had a look at your answer from yesterday",
    "is the build done, then tag it as version two",
)


@pytest.mark.parametrize("sentence", ASKED)
def test_a_question_needs_no_mark(sentence: str) -> None:
    assert asks(sentence)
    assert with_mark(sentence) == f"{sentence}?"


@pytest.mark.parametrize("sentence", TOLD)
def test_a_statement_that_begins_like_a_question_tells(sentence: str) -> None:
    assert not asks(sentence)
    assert with_mark(sentence) == sentence


def test_an_unmarked_question_teaches_nothing() -> None:
    turns = [Turn("assistant", "We release from main."), Turn("user", ASKED[0])]
    assert lessons.extract_lessons(turns) == ()
    assert lessons.own_sentences(ASKED[0]) == [f"{ASKED[0]}?"]
