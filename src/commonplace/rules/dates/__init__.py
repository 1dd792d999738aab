"""Dates and phrases about time in a question, as intervals; and how close a moment is to one."""

from __future__ import annotations

import math
import re

from .reader import DateReader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

Interval = tuple[float, float]
"""From a moment until just before another, in seconds since 1970; either may be infinite."""

MOST_CHARACTERS = 2_000
"""A question says when it means early on; a pasted file may be full of dates."""
_DAY_S = 86_400.0
_EPOCH = 719_163
"""The day number of 1 January 1970."""
_WORD_OR_MARK = r"\d+|[^\W\d_]+|[^\w\s]"


def intervals(text: str, now: datetime) -> list[Interval]:
    """The times that a text speaks of, seen from now and in its time zone."""
    text = text[:MOST_CHARACTERS].lower()
    found = DateReader(re.findall(_WORD_OR_MARK, text), now.date()).read()
    if not text.isascii():
        from . import eastern as eastern_dates

        found += eastern_dates.spans_in(text, now.date())
    shift = now.utcoffset()
    offset = shift.total_seconds() if shift else 0.0
    return [
        ((first - _EPOCH) * _DAY_S - offset, (after - _EPOCH) * _DAY_S - offset)
        for first, after in found
    ]


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
