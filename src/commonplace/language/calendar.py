"""Stretches of the calendar as day numbers: the first day, and the day after the last.

Day numbers are those of `date.toordinal`, so that a stretch can be moved by plain arithmetic.
What the calendar does not have, such as 30 February, is None.
"""

from __future__ import annotations

from datetime import date

Span = tuple[float, float]

SPRING, SUMMER, AUTUMN, WINTER = 3, 6, 9, 12
"""The month each season begins with."""


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
    """So many months from the first one on."""
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


def around(today: date, ago: float, slack: float) -> Span:
    """The days that somebody means who says that it was about `ago` days ago."""
    middle = today.toordinal() - ago
    return middle - slack, middle + slack + 1


def rolling(today: date, days: float) -> Span:
    """The last so many days, today included."""
    return today.toordinal() - days, today.toordinal() + 1


def weekday(today: date, number: int) -> Span:
    """The last such day before today; Monday is 0."""
    first = today.toordinal() - ((today.weekday() - number) % 7 or 7)
    return first, first + 1


def recent_year(today: date, month: int, day: int = 1) -> int:
    """The year of the last time this month and day came round."""
    return today.year - ((month, min(day, 28)) > (today.month, today.day))


# The words of English and German that date phrases are made of.


_ENGLISH = "january february march april may june july august september october november december"
_GERMAN = "januar februar märz april mai juni juli august september oktober november dezember"
_SHORT = "jan feb mar apr may jun jul aug sep oct nov dec"

MONTHS = {
    **{name: number for number, name in enumerate(_SHORT.split(), 1)},
    **{name: number for number, name in enumerate(_GERMAN.split(), 1)},
    **{name: number for number, name in enumerate(_ENGLISH.split(), 1)},
    "sept": 9, "jänner": 1, "maerz": 3,
}  # fmt: skip
MONTH_NAMES = frozenset(f"{_ENGLISH} {_GERMAN} jänner maerz".split())
"""Written out: only these count without a day or a year next to them."""

WEEKDAYS = {
    name: number
    for names in (
        "monday tuesday wednesday thursday friday saturday sunday",
        "montag dienstag mittwoch donnerstag freitag samstag sonntag",
    )
    for number, name in enumerate(names.split())
}
SEASONS = {
    "spring": SPRING, "summer": SUMMER, "autumn": AUTUMN, "fall": AUTUMN, "winter": WINTER,
    "frühling": SPRING, "frühjahr": SPRING, "sommer": SUMMER, "herbst": AUTUMN,
}  # fmt: skip

_COUNTS = "zero one two three four five six seven eight nine ten eleven twelve"
_ZAHLEN = "null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf"
NUMBERS = {
    **{word: number for number, word in enumerate(_ZAHLEN.split())},
    **{word: number for number, word in enumerate(_COUNTS.split())},
    "a": 1, "an": 1, "couple": 2, "few": 3, "several": 4,
    "eine": 1, "einem": 1, "einer": 1, "paar": 3, "einigen": 4,
}  # fmt: skip

UNITS = {
    "day": "day", "days": "day", "week": "week", "weeks": "week", "month": "month",
    "months": "month", "year": "year", "years": "year", "weekend": "weekend",
    "quarter": "quarter", "tag": "day", "tage": "day", "tagen": "day", "woche": "week",
    "wochen": "week", "monat": "month", "monate": "month", "monaten": "month", "jahr": "year",
    "jahre": "year", "jahren": "year", "jahres": "year", "wochenende": "weekend",
    "quartal": "quarter",
}  # fmt: skip
DAYS_IN = {
    "day": 1.0, "week": 7.0, "weekend": 7.0, "month": 30.5, "quarter": 91.3, "year": 365.25,
}  # fmt: skip

_LAST = """
last past previous letzte letzten letzter letztes letztem vergangene vergangenen vorige vorigen
voriges
"""
LAST = frozenset(_LAST.split())
_THIS = "this diese diesen dieser dieses diesem"
THIS = frozenset(_THIS.split())
DAYS_AGO = {
    "today": 0, "tonight": 0, "yesterday": 1, "heute": 0, "gestern": 1, "vorgestern": 2,
}  # fmt: skip

_LEADS = """
in during since until till by this last late early mid through throughout before after between
from to im seit bis ab ende anfang mitte während vor nach von zwischen
"""
LEADS = frozenset(_LEADS.split())
"""A month or a year after one of these is meant as a time."""
_MONTH_LEADS = "of for and und"
MONTH_LEADS = LEADS | frozenset(_MONTH_LEADS.split())
_DAY_LEADS = "on since until till before after by am seit bis ab vor nach"
DAY_LEADS = frozenset(_DAY_LEADS.split())
"""So is a weekday after one of these."""
_FILLERS = "the in on of im am dem den der vom beginning start end ende anfang"
FILLERS = frozenset(_FILLERS.split())

EDGES = {
    "before": "before", "after": "after", "since": "since", "until": "until", "till": "until",
    "vor": "before", "nach": "after", "seit": "since", "ab": "since", "bis": "until",
}  # fmt: skip
_OPENERS = "from between von zwischen"
OPENERS = frozenset(_OPENERS.split())
_JOINERS = "to and until till through - – bis und"
JOINERS = frozenset(_JOINERS.split())
