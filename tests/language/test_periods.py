"""Moments that limit a search, as people and agents write them."""

from contextlib import suppress
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.language.periods import read_moment, read_range
from commonplace.model.errors import BadInput

NOW = datetime(2026, 11, 16, 12, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("7d", timedelta(days=7)),
        ("12 h", timedelta(hours=12)),
        (" 2W ", timedelta(weeks=2)),
        ("10m", timedelta(minutes=10)),
    ],
)
def test_a_period_is_counted_back_from_now(text: str, before: timedelta) -> None:
    assert read_moment(text, now=NOW) == NOW - before


def test_a_day_begins_at_midnight_and_ends_at_the_next() -> None:
    local = datetime(2026, 5, 1).astimezone()
    assert read_moment("2026-05-01", now=NOW) == local
    assert read_moment(date(2026, 5, 1), now=NOW) == local
    ended = read_moment("2026-05-01", now=NOW, day_ends=True)
    assert ended == datetime(2026, 5, 2).astimezone()


def test_today_and_yesterday_are_days_of_the_person() -> None:
    today = NOW.astimezone().replace(hour=0, minute=0)
    assert read_moment("today", now=NOW) == today
    assert read_range("Yesterday", "yesterday", now=NOW) == (today - timedelta(days=1), today)


def test_a_time_means_that_time_at_either_end() -> None:
    moment = datetime(2026, 5, 1, 18, tzinfo=UTC)
    assert read_range("2026-05-01T18:00Z", None, now=NOW) == (moment, None)
    assert read_range(None, moment, now=NOW) == (None, moment)


@pytest.mark.parametrize(
    "text", ["soon", "", "7 days ago", "2026-13-01", "٧d", "0001-01-01T00:00+14:00"]
)
def test_anything_else_is_named_and_explained(text: str) -> None:
    with pytest.raises(BadInput, match="is not a period or a date") as caught:
        read_moment(text, now=NOW)
    assert "7d" in caught.value.hint


def test_a_range_that_ends_before_it_begins_is_refused() -> None:
    with pytest.raises(BadInput, match="ends before it begins"):
        read_range("2026-05-02", "2026-05-01", now=NOW)
    assert read_range("2026-05-01", "2026-05-01", now=NOW)[0] is not None


@given(st.text(max_size=30))
def test_any_text_is_a_moment_or_refused(text: str) -> None:
    with suppress(BadInput):
        assert read_moment(text, now=NOW).tzinfo is not None
