"""The words of English and German that date phrases are made of."""

from __future__ import annotations

from .spans import AUTUMN, SPRING, SUMMER, WINTER

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
