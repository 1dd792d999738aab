"""Spans of days as two day numbers: the first day, and the day after the last.

Day numbers are those of `date.toordinal`, so that spans are moved by plain arithmetic. A date that
does not exist, such as 30 February, is None.
"""

from __future__ import annotations

from datetime import date

Span = tuple[float, float]


def day(year: int, month: int, day: int) -> Span | None:
    """One day."""
    try:
        first = date(year, month, day).toordinal()
    except (ValueError, OverflowError):
        return None
    return first, first + 1


def month(year: int, month: int) -> Span | None:
    """One month."""
    return months(year, month, 1)


def months(year: int, first: int, count: int) -> Span | None:
    """A number of months from the first one on."""
    after = first - 1 + count
    try:
        return (
            date(year, first, 1).toordinal(),
            date(year + after // 12, after % 12 + 1, 1).toordinal(),
        )
    except (ValueError, OverflowError):
        return None


def year(year: int) -> Span | None:
    """One year."""
    return months(year, 1, 12)


def quarter(year: int, number: int) -> Span | None:
    """Q1 to Q4 of a year."""
    return months(year, 3 * number - 2, 3) if 1 <= number <= 4 else None


def week(today: date, back: int) -> Span:
    """The week, Monday to Sunday, that was so many weeks ago."""
    monday = today.toordinal() - today.weekday() - 7 * back
    return monday, monday + 7


def weekend(today: date, back: int) -> Span:
    """Saturday and Sunday of the week that was so many weeks ago."""
    monday, after = week(today, back)
    return monday + 5, after


def month_back(today: date, back: int) -> Span | None:
    """The month that was so many months ago."""
    index = today.year * 12 + today.month - 1 - back
    return month(index // 12, index % 12 + 1)


def quarter_back(today: date, back: int) -> Span | None:
    """The quarter that was so many quarters ago."""
    index = today.year * 4 + (today.month - 1) // 3 - back
    return quarter(index // 4, index % 4 + 1)


def season_back(today: date, first: int, *, over: bool) -> Span | None:
    """The last season that began with that month; with `over`, the last that has also ended."""
    span = months(today.year - (first > today.month), first, 3)
    if over and span and span[1] > today.toordinal():
        return months(today.year - (first > today.month) - 1, first, 3)
    return span


def days_around(today: date, ago: float, slack: float) -> Span:
    """The days around the one that was `ago` days before today."""
    middle = today.toordinal() - ago
    return middle - slack, middle + slack + 1


def last_days(today: date, days: float) -> Span:
    """A number of days up to and including today."""
    return today.toordinal() - days, today.toordinal() + 1


def weekday(today: date, number: int) -> Span:
    """The last such weekday before today; Monday is 0."""
    first = today.toordinal() - ((today.weekday() - number) % 7 or 7)
    return first, first + 1


def recent_year(today: date, month: int, day: int = 1) -> int:
    """The year of the last time this month and day came round."""
    return today.year - ((month, min(day, 28)) > (today.month, today.day))
