"""Days, dates, times, counts and units as people say them in a conversation.

Rules that put one value in the place of another know by these which two are of a kind.
"""

from __future__ import annotations

import re

from ...language.vocabulary import ENGLISH_MONTHS, ENGLISH_WEEKDAYS

DAY_NAMES = "|".join(ENGLISH_WEEKDAYS.split())
DAY = re.compile(
    rf"(?i)\b(?:{'|'.join(f'{day[:3]}(?:{day[3:]}s?)?' for day in ENGLISH_WEEKDAYS.split())})\b"
)
"""A day of the week, also in short: `Thu`."""
MONTH_NAMES = "|".join(ENGLISH_MONTHS.split())
MONTH = re.compile(rf"(?i)\b(?:{MONTH_NAMES})\b")

_NTH = r"\d{1,2}(?:st|nd|rd|th)"
_AFTER_MONTH = "|".join(f"(?<={month} )" for month in ENGLISH_MONTHS.split())
DATE = re.compile(
    rf"(?i)(?<![\w.,:])(?:{_NTH}|\d{{1,2}}(?= (?:of )?(?:{MONTH_NAMES})\b)"
    rf"|(?:{_AFTER_MONTH})\d{{1,2}}(?![:.]\d))(?!\w)"
)
"""The day of a month: `14th`, the `14` of `14 March` and of `March 14`."""
_OF_MONTH = re.compile(rf"(?i) (?:of )?(?:{MONTH_NAMES})\b")
FULL_DATE = re.compile(
    rf"(?i)(?<![\w.,:])\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?:{MONTH_NAMES})\b"
    rf"|\b(?:{MONTH_NAMES}) (?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?!\w|[:.]\d)"
)

COUNTED = (
    "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen"
    "|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred"
)
"""Without `one`, which seldom counts."""
_HOURS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
CLOCK = re.compile(
    rf"(?i)\b(?:half|quarter|ten|five|twenty) (?:past |to )?(?:{_HOURS})\b|\b(?:noon|midnight)\b"
    r"|\b\d{1,2}(?:[:.]\d\d)? ?[ap]m\b|\b\d{1,2}:\d\d\b|\b\d{1,2} o'clock\b"
)
_PERIODS = "second|minute|hour|day|week|fortnight|month|year"
UNIT_WORDS = (
    r"(?:%|°C?|(?:ms|s|h|hrs?|mins?|k?m|cm|mm|k?g|mg|l|ml|[kmgt]i?b|[kmg]?hz|k?w|v|px|fps)\b"
    rf"|per ?cent\b|(?:{_PERIODS}|euro|pound|dollar|gram|metre|meter|degree)s?\b)"
)
UNIT = re.compile(rf"(?i)^ ?{UNIT_WORDS}")
ARTICLE = re.compile(rf"(?i)\b(?:half )?an?(?= (?:{_PERIODS})\b)")
"""Counts in a value: the `an` of `an hour`."""
QUANTITY = re.compile(rf"(?i)(?<![\w.,:/-])(?:\d+(?:[.,]\d+)*|{COUNTED}) ?{UNIT_WORDS}")


def day_in_place(new: str, old: str, rest: str) -> str:
    """The day of a month as it was said, in the place of another: `the 14th of` for `12` May."""
    if not old.isdecimal() or not _OF_MONTH.match(rest):
        return new
    return f"the {new}" if rest.startswith(" of ") else f"the {new} of"
