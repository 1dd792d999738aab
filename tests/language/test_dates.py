"""Date phrases become intervals, in several languages, and nothing else does."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.language import dates

NOW = datetime(2025, 10, 15, 12, 30, tzinfo=UTC)
"""A Wednesday."""


def told(text: str, now: datetime = NOW) -> list[str]:
    """Intervals as `first day..last day`, open ends as nothing."""

    def day(seconds: float) -> str:
        return "" if math.isinf(seconds) else f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d}"

    return [f"{day(start)}..{day(end - 1)}" for start, end in dates.intervals(text, now)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("what did we decide on 2023-05-08?", "2023-05-08..2023-05-08"),
        ("the incident of 2023-05-08T14:30:00Z", "2023-05-08..2023-05-08"),
        ("2023/05/08", "2023-05-08..2023-05-08"),
        ("08.05.2023", "2023-05-08..2023-05-08"),
        ("5/8/2023", "2023-05-08..2023-05-08"),
        ("25/12/2023", "2023-12-25..2023-12-25"),
        ("the release of 2023-05", "2023-05-01..2023-05-31"),
        ("on 8 May 2023", "2023-05-08..2023-05-08"),
        ("on the 8th of May", "2025-05-08..2025-05-08"),
        ("December 24th, 2022", "2022-12-24..2022-12-24"),
        ("on December 24", "2024-12-24..2024-12-24"),
        ("in May 2023", "2023-05-01..2023-05-31"),
        ("in November", "2024-11-01..2024-11-30"),
        ("Q3 2025", "2025-07-01..2025-09-30"),
        ("in 2023", "2023-01-01..2023-12-31"),
        ("summer 2024", "2024-06-01..2024-08-31"),
        ("last winter", "2024-12-01..2025-02-28"),
        ("last year", "2024-01-01..2024-12-31"),
        ("this year", "2025-01-01..2025-12-31"),
        ("last week", "2025-10-06..2025-10-12"),
        ("last weekend", "2025-10-11..2025-10-12"),
        ("last month", "2025-09-01..2025-09-30"),
        ("in the last month", "2025-09-13..2025-10-15"),
        ("in the past two weeks", "2025-09-30..2025-10-15"),
        ("last Tuesday", "2025-10-14..2025-10-14"),
        ("on Friday", "2025-10-10..2025-10-10"),
        ("yesterday", "2025-10-14..2025-10-14"),
        ("the day before yesterday", "2025-10-13..2025-10-13"),
        ("last night", "2025-10-14..2025-10-14"),
        ("from November to February 2023", "2022-11-01..2023-02-28"),
        ("before May 2023", "..2023-04-30"),
        ("until last week", "..2025-10-12"),
        ("after 2023-05-08", "2023-05-09.."),
        ("since March", "2025-03-01.."),
        ("gestern", "2025-10-14..2025-10-14"),
        ("letzte Woche", "2025-10-06..2025-10-12"),
        ("im Mai 2023", "2023-05-01..2023-05-31"),
        ("am 8. März 2023", "2023-03-08..2023-03-08"),
        ("vor dem 8. Mai 2023", "..2023-05-07"),
        ("seit letztem Monat", "2025-09-01.."),
        ("昨天我们聊了什么？", "2025-10-14..2025-10-14"),
        ("上周的会议", "2025-10-06..2025-10-12"),
        ("去年", "2024-01-01..2024-12-31"),
        ("2023年5月8日", "2023-05-08..2023-05-08"),
        ("先週", "2025-10-06..2025-10-12"),
        ("一昨日", "2025-10-13..2025-10-13"),
        ("２０２３年５月", "2023-05-01..2023-05-31"),
        ("지난주", "2025-10-06..2025-10-12"),
    ],
)
def test_a_phrase_becomes_the_days_it_means(text: str, expected: str) -> None:
    assert told(text) == [expected]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("three weeks ago", "2025-09-24"),
        ("a couple of months ago", "2025-08-15"),
        ("two years ago", "2023-10-15"),
        ("vor drei Tagen", "2025-10-12"),
        ("vor ein paar Wochen", "2025-09-24"),
        ("3日前", "2025-10-12"),
        ("两个月前", "2025-08-15"),
        ("2週間前", "2025-10-01"),
    ],
)
def test_ago_means_about_then(text: str, day: str) -> None:
    moment = datetime.fromisoformat(f"{day}T12:00:00+00:00").timestamp()
    [interval] = dates.intervals(text, NOW)
    assert dates.closeness(moment, [interval]) == 1.0
    assert dates.closeness(NOW.timestamp(), [interval]) < 1.0


@pytest.mark.parametrize(
    "text",
    [
        "the 90s",
        "in the 2020s",
        "may I ask you something",
        "it may rain and may not",
        "march on",
        "version 3.10.2",
        "10.0.0.1",
        "February 30, 2023",
        "for 2000 dollars",
        "on Saturday mornings",
        "99 99 9999",
        "",
    ],
)
def test_what_is_no_date_stays_none(text: str) -> None:
    assert told(text) == []


def test_days_are_those_of_the_one_who_asks() -> None:
    kiritimati = timezone(timedelta(hours=14))
    now = datetime(2025, 10, 16, 1, 0, tzinfo=kiritimati)
    [(start, end)] = dates.intervals("today", now)
    assert datetime.fromtimestamp(start, kiritimati) == now.replace(hour=0)
    assert end - start == 86_400


def test_closeness_falls_sooner_before_than_after() -> None:
    when = dates.intervals("on 2023-05-08", NOW)
    start, end = when[0]
    week = 7 * 86_400
    assert dates.closeness(start, when) == 1.0
    assert 0 < dates.closeness(start - week, when) < dates.closeness(end + week, when) < 1
    assert dates.closeness(0.0, dates.intervals("before 2023-05-08", NOW)) == 1.0


def test_a_huge_text_is_read_only_at_its_start() -> None:
    huge = "in May 2023 " + "from between vor the the the " * 4_000 + "yesterday"
    assert told(huge) == ["2023-05-01..2023-05-31"]


_PIECES = (
    "in last the a 2 3 2023 5 8 31 99 9999 0 may march of before after between and to from week"
    " weeks ago years q vor seit letzte Tagen since - / . , th 年 月 日 前 昨日 ²"
)
_WORDS = st.sampled_from(_PIECES.split())


@given(
    st.one_of(st.text(max_size=200), st.lists(_WORDS, max_size=20).map(" ".join)),
    st.datetimes(timezones=st.just(UTC)),
)
def test_reading_never_fails_and_intervals_are_in_order(text: str, now: datetime) -> None:
    for start, end in dates.intervals(text, now):
        assert start < end
        assert 0 <= dates.closeness(now.timestamp(), [(start, end)]) <= 1
