"""Read the dates of statements: which of two is newer, and which tell of two events.

`The lift was inspected in March 2023` stays true after an inspection in 2025; `as of March 2023
the fee is 90 euros` does not stay so.
"""

from __future__ import annotations

import re

from .stale import DATE, OVER, end_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

_FROM_THEN = r"as of|since|from|starting|effective(?: from)?|dated|updated|status|stand"
_LEADING = (
    rf"(?:(?:,\s*)?\(?\b(?:{_FROM_THEN}|in|on|at|of|by|per|around|during|early|late|mid|the|end)\b"
    r"[\s:]*)*"
)
_DATED = rf"(?:{DATE.pattern.removeprefix('(?i)')}|\b(?:19|20)\d\d\b)"
_PHRASE = re.compile(rf"(?i){_LEADING}{_DATED}\)?,?")
_AS_OF = re.compile(
    rf"(?i)\b(?:{_FROM_THEN})[\s:]+(?:(?:in|on|the|early|late|mid|end of)[\s-]+)*{_DATED}"
)
"""A state that holds from a day on."""
_LATEST = re.compile(r"(?i)\b(?:last|latest|most recent(?:ly)?|current(?:ly)?|newest|next)\b")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_EVENT = re.compile(
    r"(?i)\b(?:\w{3,}(?<!e)ed|built|made|bought|sold|sent|held|swept|cut|sung|won|lost|ran|paid"
    r"|service|inspection|visit|repair|cleaning|maintenance|delivery|meeting|audit|survey|harvest)\b"
)
"""Past forms and nouns of what happens on a day, and may happen again."""


def tells_of_event(text: str) -> bool:
    """Whether a text tells of what happened, and may happen again."""
    return _EVENT.search(text) is not None


def statement_date(text: str, now: datetime) -> float | None:
    """When a statement says that it holds or happened, in seconds since 1970; None if it does not.

    A date to come, or of something that is, may be what changed: `the exam is on 3 May`.
    """
    if not (_AS_OF.search(text) or OVER.search(text) or tells_of_event(text)):
        return None
    dates = [one[0] for one in DATE.finditer(text)] or _YEAR.findall(text)
    ends = (end_of(date, now) for date in dates)
    return max((end for end in ends if end is not None), default=None)


def without_dates(text: str) -> str:
    """A statement without its dates, to compare what it says of them."""
    left = " ".join(_PHRASE.sub(" ", text).split())
    return re.sub(r"\s+([.,;!?])", r"\1", left).strip(" ,") if left else text


def are_two_events(one: str, other: str, now: datetime) -> bool:
    """Whether two statements tell of what happened on two days, so that both hold."""
    first, second = statement_date(one, now), statement_date(other, now)
    if first is None or second is None or first == second or max(first, second) > now.timestamp():
        return False
    return not any(_AS_OF.search(text) or _LATEST.search(text) for text in (one, other))
