"""Times and texts as a person reads them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.doors.cli import text_format

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("gone", "words"),
    [
        (timedelta(seconds=3), "just now"),
        (timedelta(minutes=1), "1 minute ago"),
        (timedelta(minutes=59), "59 minutes ago"),
        (timedelta(hours=5), "5 hours ago"),
        (timedelta(days=1), "1 day ago"),
        (timedelta(days=3, hours=5), "3 days ago"),
    ],
)
def test_recent_times_are_told_in_words(gone: timedelta, words: str) -> None:
    assert text_format.ago(NOW - gone, NOW) == words


def test_old_and_future_times_are_told_as_dates() -> None:
    assert text_format.ago(NOW - timedelta(days=90), NOW).startswith("2026-08-1")
    assert text_format.ago(NOW + timedelta(days=90), NOW).startswith("2027-02-1")


def test_wide_characters_count_twice() -> None:
    assert text_format.fit("你好世界", 8) == "你好世界"
    assert text_format.fit("你好世界", 7) == "你好…"
    assert text_format.fit("deploy", 4) == "dep…"


@given(st.text())
def test_cleaned_text_holds_nothing_that_steers_a_terminal(text: str) -> None:
    assert not set(text_format.clean(text)) & {
        chr(code) for code in (*range(9), 11, 12, *range(14, 32), 127, 0x9B, 0x202E)
    }


@given(st.text(), st.integers(1, 50))
def test_fitted_line_never_grows(text: str, cells: int) -> None:
    assert len(text_format.fit(text, cells)) <= max(len(text), 1)
    assert len(text_format.fit(text, cells)) <= cells + 1


@given(st.text(alphabet="ab 你", max_size=200), st.integers(2, 30), st.integers(1, 4))
def test_wrapped_lines_fit_and_are_few(text: str, cells: int, most: int) -> None:
    lines = text_format.wrap(text_format.line(text), cells, most=most)
    assert len(lines) <= most
    assert all(text_format.width(line) <= cells + 1 for line in lines)


def test_wrapping_loses_no_word_when_there_is_room() -> None:
    text = "contains branch · belongs to /project/mech-fighters · comes from cli"
    assert " ".join(text_format.wrap(text, 30, most=9)) == text
