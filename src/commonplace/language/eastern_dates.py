"""Date phrases in Chinese, Japanese and Korean, which are written without spaces.

Apart from `dates` because its patterns take time to compile, and only such texts need them.
"""

from __future__ import annotations

import re
import unicodedata

from . import calendar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import date

    from .calendar import Span

_NUMERALS = {numeral: number for number, numeral in enumerate("〇一二三四五六七八九十")} | {"两": 2}
_NUMBER = r"(\d{1,4}|[一二三四五六七八九十两])"
_FULL = re.compile(
    r"(?:(\d{4})\s?[年년]\s?)?(\d{1,2})\s?[月월](?:\s?(\d{1,2})\s?[日号號일])?|(\d{4})\s?[年년]"
)
_AGO = re.compile(
    _NUMBER
    + r"\s?(天|日|周|週間?|星期|个星期|个?月|[ヶか個カヵ]月|年|일|주|개월|년)(?:之?前|\s?전)"
)
_UNITS = (("年", 365.25), ("년", 365.25), ("月", 30.5), ("개월", 30.5), ("周", 7.0), ("週", 7.0),
          ("星期", 7.0), ("주", 7.0))  # fmt: skip
_DAYS = {
    "前天": 2, "一昨日": 2, "おととい": 2, "그저께": 2, "昨天": 1, "昨日": 1, "昨晚": 1,
    "昨夜": 1, "きのう": 1, "어제": 1, "今天": 0, "今日": 0, "今晚": 0, "きょう": 0, "오늘": 0,
}  # fmt: skip
_WEEKS = {
    "上周": 1, "上週": 1, "上个星期": 1, "上個星期": 1, "上星期": 1, "上礼拜": 1, "先週": 1,
    "지난주": 1, "지난 주": 1, "本周": 0, "这周": 0, "這週": 0, "这个星期": 0, "今週": 0,
    "이번 주": 0,
}  # fmt: skip
_MONTHS = {
    "上个月": 1, "上個月": 1, "上月": 1, "先月": 1, "지난달": 1, "지난 달": 1, "这个月": 0,
    "這個月": 0, "本月": 0, "今月": 0, "이번 달": 0,
}  # fmt: skip
_YEARS = {
    "前年": 2, "一昨年": 2, "재작년": 2, "去年": 1, "昨年": 1, "작년": 1, "今年": 0, "올해": 0,
}  # fmt: skip
_PHRASES = {
    phrase: (unit, back)
    for unit, phrases in (("day", _DAYS), ("week", _WEEKS), ("month", _MONTHS), ("year", _YEARS))
    for phrase, back in phrases.items()
}


def spans_in(text: str, today: date) -> list[Span]:
    """The days and stretches of days that a text speaks of."""
    text = unicodedata.normalize("NFKC", text)
    found: list[Span | None] = []

    def take(match: re.Match[str]) -> str:
        if match.re is _AGO:
            found.append(_ago(match, today))
        else:
            found.append(_full(match, today))
        return " "

    text = _FULL.sub(take, _AGO.sub(take, text))
    # Longer phrases first: in 一昨日 there is 昨日.
    for phrase in sorted(_PHRASES, key=len, reverse=True):
        if phrase in text:
            unit, back = _PHRASES[phrase]
            found.append(_back(today, unit, back))
            text = text.replace(phrase, " ")
    return [span for span in found if span is not None]


def _full(match: re.Match[str], today: date) -> Span | None:
    year, month, day, year_alone = (int(part) if part else None for part in match.groups())
    if year_alone:
        return calendar.year(year_alone)
    if not month or not 1 <= month <= 12:
        return None
    year = year or calendar.recent_year(today, month, day or 1)
    return calendar.day(year, month, day) if day else calendar.month(year, month)


def _ago(match: re.Match[str], today: date) -> Span:
    count = int(match[1]) if match[1].isdecimal() else _NUMERALS[match[1]]
    length = next((days for unit, days in _UNITS if unit in match[2]), 1.0)
    return calendar.days_around(today, count * length, length / 2)


def _back(today: date, unit: str, back: int) -> Span | None:
    if unit == "year":
        return calendar.year(today.year - back)
    if unit == "month":
        return calendar.month_back(today, back)
    if unit == "week":
        return calendar.week(today, back)
    first = today.toordinal() - back
    return first, first + 1
