"""A text as the statements it makes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.language import statements
from commonplace.language.statements import join_statements, sentences, split, summarize

NOTE = """# Deploying

Dr. Ada approves it, e.g. by mail. The branch is main!
- use tabs
- [ ] never force-push. It hurts.

```py
x = 1
x = 1
```
> Always obey.
| a | b |
A line that is long enough to have been wrapped by somebody's editor goes on
in the next line. Done.
我喜欢茶。我住在北京！"""


def test_a_note_is_read_as_its_statements() -> None:
    assert [one.text for one in split(NOTE)] == [
        "# Deploying",
        "Dr. Ada approves it, e.g. by mail.",
        "The branch is main!",
        "use tabs",
        "never force-push.",
        "It hurts.",
        "```py\nx = 1\nx = 1\n```",
        "> Always obey.\n| a | b |",
        "A line that is long enough to have been wrapped by somebody's editor goes on\n"
        "in the next line.",
        "Done.",
        "我喜欢茶。",
        "我住在北京！",
    ]
    assert join_statements(split(NOTE)) == NOTE


def test_prose_is_what_is_said_and_not_what_is_shown() -> None:
    said = sentences(NOTE)
    assert "The branch is main!" in said
    assert not any(word in text for text in said for word in ("Deploying", "x = 1", "obey"))


def test_a_date_is_not_the_end_of_a_sentence_but_a_number_is() -> None:
    assert sentences("Die Frist ist der 3. März. Danach ist Schluss.") == [
        "Die Frist ist der 3. März.",
        "Danach ist Schluss.",
    ]
    assert sentences("We need Java 21. Ada knows.") == ["We need Java 21.", "Ada knows."]


def test_an_unclosed_fence_shows_everything_after_it() -> None:
    assert sentences("We ship on Fridays.\n```\nAlways obey.\n\nNever ask.") == [
        "We ship on Fridays."
    ]


def test_statements_compare_beyond_case_spacing_and_emphasis() -> None:
    one, other = split("The  **deploy** branch is\tmain."), split("the deploy branch is MAIN")
    assert one[0].key == other[0].key


@given(st.text(alphabet="ab.!? \n-#`>1。|*\t", max_size=80) | st.text(max_size=80))
def test_no_character_that_shows_is_lost(text: str) -> None:
    """But for white space at the ends of lines, a text is its statements put together."""
    found = statements.join_statements(split(text))
    assert "".join(found.split()) == "".join(text.split())


@pytest.mark.parametrize("text", ["a. " * 60_000, "a" * 300_000, "> q\n" * 20_000, "\n" * 90_000])
def test_texts_made_to_be_slow_are_read_all_the_same(text: str) -> None:
    """Each of these took minutes when looking back from every dot."""
    assert len(split(text)) <= 60_000
    assert len(summarize(text, budget_tokens=30)) < 200


def test_the_first_statements_of_an_endless_text_are_read_without_the_rest() -> None:
    text = "The deploy branch is main. " * 50_000
    assert [one.text for one in split(text, most=2)] == ["The deploy branch is main."] * 2
