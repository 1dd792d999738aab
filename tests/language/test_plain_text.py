"""What a terminal printed becomes text that a memory can hold, and other text stays as it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.language.plain_text import FORBIDDEN, plain_text
from commonplace.rules.drafts import checked_content

any_text = st.text(st.characters(codec=None) | st.sampled_from("\x1b[]m\x07\x00\ud83d"))


@pytest.mark.parametrize(
    ("printed", "seen"),
    [
        ("\x1b[1;31mFAILED\x1b[0m tests", "FAILED tests"),
        ("\x1b[38;5;196mred\x1b[K", "red"),
        ("\x1b]8;;https://example.org\x1b\\a link\x1b]8;;\x1b\\", "a link"),
        ("\x1b]0;a title\x07prompt$", "prompt$"),
        ("\x1b(Bplain", "plain"),
        ("cut off \x1b[", "cut off "),
        ("a smile \ud83d cut in half", "a smile  cut in half"),
        ("tab\tand\r\nlines\nstay", "tab\tand\r\nlines\nstay"),
        ("a whole smile 😀", "a whole smile 😀"),
    ],
)
def test_a_text_is_kept_as_a_person_saw_it(printed: str, seen: str) -> None:
    assert plain_text(printed) == seen


@given(any_text)
def test_whatever_was_printed_can_be_kept(text: str) -> None:
    kept = plain_text(text)
    assert plain_text(kept) == kept
    if kept.strip():
        assert checked_content(kept) == kept


@given(any_text.filter(lambda text: not FORBIDDEN.search(text)))
def test_plain_text_stays_as_it_is(text: str) -> None:
    assert plain_text(text) == text
