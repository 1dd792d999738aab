"""What is a question, and which notes speak of somebody else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.rules.ranking import answers


@pytest.mark.parametrize(
    "text",
    [
        "What is the deploy branch?",
        "who runs the data team",
        "Ada's birthday?",
        "When do we ship? ",
    ],
)
def test_who_asks_in_words_asks_a_question(text: str) -> None:
    assert answers.is_question(text)


@pytest.mark.parametrize("text", ["deploy branch", "Fix the login.", "why", "?", "", "config.toml"])
def test_words_to_search_for_are_no_question(text: str) -> None:
    assert not answers.is_question(text)


def test_names_are_what_a_sentence_does_not_begin_with() -> None:
    assert answers.names("What did Ada tell Olu? Nobody knows.") == {"ada", "olu"}
    assert answers.names("Where is it?") == set()


@given(st.floats(allow_nan=False))
def test_a_likelihood_grows_with_what_is_read(reading: float) -> None:
    assert 0 < answers.likelihood(reading) < 1
    assert answers.likelihood(reading) <= answers.likelihood(reading + 1)
