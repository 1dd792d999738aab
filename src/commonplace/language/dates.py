"""Read dates and time phrases of a question as intervals, and measure how close a moment is."""

from __future__ import annotations

import math

from ..model.lazy_pattern import lazy
from . import calendar
from .vocabulary import (
    BOUNDS,
    COUNTS,
    DAY_LEADS,
    DAYS_AGO,
    DAYS_IN,
    FILLERS,
    LAST,
    LEADS,
    MONTH_LEADS,
    MONTH_NAMES,
    MONTHS,
    RANGE_JOINERS,
    RANGE_OPENERS,
    SEASONS,
    THIS,
    UNITS,
    WEEKDAYS,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import date, datetime

    from .calendar import Span


MOST_UNITS = 1_000
"""Nobody means 5000 years ago."""
_ORDINALS = frozenset(("st", "nd", "rd", "th"))
_WITHIN = frozenset(("in", "over", "during", "within"))


class DateReader:
    """Reads date phrases out of the words of a text.

    Each rule takes the position of a word, and returns the days that are meant and where it ended.
    """

    def __init__(self, words: Sequence[str], today: date) -> None:
        self.words = [*words, "", "", "", "", "", ""]
        self.length = len(words)
        self.today = today

    def read(self) -> list[Span]:
        """Every stretch of days that is spoken of, in order."""
        found: list[Span] = []
        at = 0
        while at < self.length:
            match = self.stretch(at) or self.date(at) or self.edge(at)
            if match is None:
                at += 1
                continue
            found.append(match[0])
            at = match[1]
        return found

    def stretch(self, at: int) -> tuple[Span, int] | None:
        """From one date to another."""
        if self.words[at] not in RANGE_OPENERS:
            return None
        opening = self.date(self.past_fillers(at + 1))
        if opening is None or self.words[opening[1]] not in RANGE_JOINERS:
            return None
        closing = self.date(self.past_fillers(opening[1] + 1))
        if closing is None:
            return None
        (first, _), (last, after) = opening[0], closing[0]
        while first > last:
            # The year stands only at the end: from November to February 2023.
            first -= DAYS_IN["year"]
        return (math.floor(first), after), closing[1]

    def edge(self, at: int) -> tuple[Span, int] | None:
        """Everything before or after a date."""
        edge = BOUNDS.get(self.words[at])
        match = self.date(self.past_fillers(at + 1)) if edge else None
        if match is None:
            return None
        (first, after), end = match
        length = self.length_before(at)
        if length and edge in ("before", "after"):
            # The week before 3 August: told in that week, or on the day itself.
            return ((first - length, after) if edge == "before" else (first, after + length)), end
        span = {
            "before": (-math.inf, first),
            "until": (-math.inf, after),
            "since": (first, math.inf),
            "after": (after, math.inf),
        }[edge or ""]
        return span, end

    def length_before(self, at: int) -> float:
        """How many days `two weeks` or `Sunday` before this word are; 0 when it is neither."""
        word = self.words[at - 1]
        if word in WEEKDAYS:
            return DAYS_IN["week"]
        counted = self.counted(at - 2)
        return counted[0] * DAYS_IN[counted[1]] if counted else DAYS_IN.get(UNITS.get(word, ""), 0)

    def past_fillers(self, at: int) -> int:
        """The next position that is not just `the` or `of`."""
        while self.words[at] in FILLERS:
            at += 1
        return at

    def date(self, at: int) -> tuple[Span, int] | None:
        """One date or stretch of time, whichever way it is said."""
        word = self.words[at]
        match: tuple[Span | None, int] | None = None
        if word.isdecimal():
            match = self.numeric(at) or self.day_of_month(at) or self.ago(at) or self.year(at)
        elif word in MONTHS:
            match = self.month(at)
        elif word in LAST or word in THIS:
            match = self.relative(at)
        elif word in DAYS_AGO:
            match = self.days_ago(DAYS_AGO[word]), at + 1
        elif word in COUNTS or word == "vor":
            match = self.ago(at)
        elif word in SEASONS:
            match = self.season(at)
        elif word in WEEKDAYS and self.words[at - 1] in DAY_LEADS and not self.habit(at + 1):
            match = calendar.weekday(self.today, WEEKDAYS[word]), at + 1
        elif word == "q":
            match = self.quarter(at)
        elif word == "day" and self.words[at + 1 : at + 3] == ["before", "yesterday"]:
            match = self.days_ago(2), at + 3
        if match is None or match[0] is None:
            return None
        return match[0], match[1]

    def numeric(self, at: int) -> tuple[Span | None, int] | None:
        """2023-05-08, 2023/05/08, 08.05.2023, 5/8/2023; and 2023-05."""
        one, separator, two, again, three = self.words[at : at + 5]
        if separator not in ("-", "/", ".") or not _short(two):
            return None
        if again != separator or not three.isdecimal():
            months = len(one) == 4 and len(two) == 2 and separator != "."
            return (calendar.month(int(one), int(two)), at + 3) if months else None
        if len(one) == 4 and _short(three):
            return calendar.day(int(one), int(two), int(three)), at + 5
        if not _short(one) or len(three) != 4:
            return None
        day, month = int(one), int(two)
        if separator == "/" and day <= 12:
            # In 5/8/2023 the month comes first, as most who write it so mean it.
            day, month = month, day
        return calendar.day(int(three), month, day), at + 5

    def day_of_month(self, at: int) -> tuple[Span | None, int] | None:
        """8 May, 8th of May 2023, 8. Mai."""
        if not _short(self.words[at]):
            return None
        end = at + 1
        if self.words[end] in _ORDINALS or self.words[end] == ".":
            end += 1
        if self.words[end] == "of":
            end += 1
        if self.words[end] not in MONTHS:
            return None
        return self.dated(MONTHS[self.words[end]], int(self.words[at]), end + 1)

    def month(self, at: int) -> tuple[Span | None, int] | None:
        """May 8, May 8th, 2023; May 2023; and May alone after a word such as `in`."""
        name = self.words[at]
        end = at + 2 if self.words[at + 1] == "." else at + 1
        if _short(self.words[end]):
            day = int(self.words[end])
            end += 2 if self.words[end + 1] in _ORDINALS else 1
            return self.dated(MONTHS[name], day, end)
        year, after = self.year_after(end)
        if year:
            return calendar.month(year, MONTHS[name]), after
        lead = self.words[at - 2] if self.words[at - 1] == "-" else self.words[at - 1]
        if name not in MONTH_NAMES or lead not in MONTH_LEADS:
            return None
        if name in ("may", "march") and lead == "and" and self.words[at - 2] not in MONTHS:
            return None  # As in "it may rain and may not".
        return calendar.month(calendar.recent_year(self.today, MONTHS[name]), MONTHS[name]), at + 1

    def dated(self, month: int, day: int, at: int) -> tuple[Span | None, int]:
        """A day of a month, in the year that follows or else the last time it came round."""
        year, end = self.year_after(at)
        return calendar.day(year or calendar.recent_year(self.today, month, day), month, day), end

    def year_after(self, at: int) -> tuple[int | None, int]:
        """The year written here, perhaps after a comma or `of`."""
        end = at
        while self.words[end] in (".", ",", "of") and end < at + 2:
            end += 1
        return (int(self.words[end]), end + 1) if _is_year(self.words[end]) else (None, at)

    def year(self, at: int) -> tuple[Span | None, int] | None:
        """2023 after a word such as `in`; the 2020s are no date."""
        lead, word, following = self.words[at - 1], self.words[at], self.words[at + 1]
        if not _is_year(word) or following == "s" or lead not in (*LEADS, "year", "jahr"):
            return None
        return calendar.year(int(word)), at + 1

    def ago(self, at: int) -> tuple[Span | None, int] | None:
        """Three weeks ago, a couple of days ago, vor drei Tagen."""
        german = self.words[at] == "vor"
        start = at + 1 if german else at
        if german and self.words[start + 1] == "paar":
            start += 1
        counted = self.counted(start)
        if counted is None or not (german or self.words[counted[2]] == "ago"):
            return None
        count, unit, end = counted
        length = DAYS_IN[unit]
        slack = length / 2 if unit != "day" else 0.5
        return calendar.days_around(self.today, count * length, slack), end if german else end + 1

    def counted(self, at: int) -> tuple[int, str, int] | None:
        """A number and a unit of time: how many, of what, and where it ends."""
        word = self.words[at]
        count = int(word) if word.isdecimal() and len(word) <= 4 else COUNTS.get(word)
        end = at + 2 if self.words[at + 1] == "of" else at + 1
        unit = UNITS.get(self.words[end])
        if count is None or unit is None or count > MOST_UNITS:
            return None
        return count, unit, end + 1

    def relative(self, at: int) -> tuple[Span | None, int] | None:
        """Last week, this month, the last three days, last May, last Tuesday, last night."""
        last, following = self.words[at] in LAST, self.words[at + 1]
        counted = self.counted(at + 1) if last else None
        if counted is not None:
            count, unit, end = counted
            return calendar.last_days(self.today, count * DAYS_IN[unit] + (unit != "day")), end
        span: Span | None = None
        if following in UNITS:
            span = self.unit(at, UNITS[following], back=int(last))
        elif following in MONTH_NAMES:
            month = MONTHS[following]
            span = calendar.month(calendar.recent_year(self.today, month), month)
        elif following in SEASONS:
            span = calendar.season_back(self.today, SEASONS[following], over=last)
        elif following in WEEKDAYS:
            span = calendar.weekday(self.today, WEEKDAYS[following])
        elif following in ("night", "nacht", "morning", "afternoon", "evening"):
            span = self.days_ago(1 if last else 0)
        return span, at + 2

    def unit(self, at: int, unit: str, *, back: int) -> Span | None:
        """The last or the present week, month, …; `in the last week` ends today."""
        ends_today = self.words[at - 1] == "the" and self.words[at - 2] in _WITHIN
        if back and ends_today:
            return calendar.last_days(self.today, DAYS_IN[unit] + 1)
        if unit == "week":
            return calendar.week(self.today, back)
        if unit == "weekend":
            return calendar.weekend(self.today, back)
        if unit == "month":
            return calendar.month_back(self.today, back)
        if unit == "quarter":
            return calendar.quarter_back(self.today, back)
        return calendar.year(self.today.year - back) if unit == "year" else None

    def habit(self, at: int) -> bool:
        """Whether a weekday is meant in general: on Saturday mornings."""
        return self.words[at] in ("mornings", "afternoons", "evenings", "nights")

    def days_ago(self, count: int) -> Span:
        """One day, so many days before today."""
        first = self.today.toordinal() - count
        return first, first + 1

    def season(self, at: int) -> tuple[Span | None, int] | None:
        """Summer 2024."""
        year, end = self.year_after(at + 1)
        return (calendar.months(year, SEASONS[self.words[at]], 3), end) if year else None

    def quarter(self, at: int) -> tuple[Span | None, int] | None:
        """Q3 2025; without a year the last one that began."""
        number = self.words[at + 1]
        if number not in ("1", "2", "3", "4"):
            return None
        year, end = self.year_after(at + 2)
        first = 3 * int(number) - 2
        return calendar.quarter(year or calendar.recent_year(self.today, first), int(number)), end


def _short(word: str) -> bool:
    return word.isdecimal() and len(word) <= 2


def _is_year(word: str) -> bool:
    return len(word) == 4 and word.isdecimal() and 1900 <= int(word) <= 2100


Interval = tuple[float, float]
"""From a moment until just before another, in seconds since 1970; either may be infinite."""

MOST_CHARACTERS = 2_000
"""A question says when it means early on; a pasted file may be full of dates."""
_DAY_S = 86_400.0
_EPOCH = 719_163
"""The day number of 1 January 1970."""
_WORD_OR_MARK = lazy(r"\d+|[^\W\d_]+|[^\w\s]")
_APART = {ord(mark): f" {mark} " for mark in map(chr, range(128)) if not mark.isalnum()} | {
    ord("_"): " "
}


def intervals(text: str, now: datetime) -> list[Interval]:
    """The times that a text speaks of, seen from now and in its time zone."""
    text = text[:MOST_CHARACTERS].lower()
    found = DateReader(_words_and_marks(text), now.date()).read()
    if not text.isascii():
        from . import eastern_dates

        found += eastern_dates.spans_in(text, now.date())
    shift = now.utcoffset()
    offset = shift.total_seconds() if shift else 0.0
    return [
        ((first - _EPOCH) * _DAY_S - offset, (after - _EPOCH) * _DAY_S - offset)
        for first, after in found
    ]


def _words_and_marks(text: str) -> list[str]:
    """The words, numbers and marks of a text, in order.

    A text of plain words is split without `_WORD_OR_MARK`, which takes long to compile.
    """
    if text.isascii():
        found = text.translate(_APART).split()
        if all(one.isalpha() or one.isdecimal() or len(one) == 1 for one in found):
            return found
    return _WORD_OR_MARK.findall(text)


def closeness(moment: float, when: Iterable[Interval]) -> float:
    """1 inside an interval; falling quickly before it and slowly after.

    People speak of what happened more often than of what will.
    """
    best = 0.0
    for start, end in when:
        if start <= moment < end:
            return 1.0
        if moment < start:
            near = math.exp((moment - start) / (3 * _DAY_S))
        else:
            width = 0.0 if math.isinf(start) else end - start
            near = math.exp((end - moment) / (10 * _DAY_S + width / 2))
        best = max(best, near)
    return best
