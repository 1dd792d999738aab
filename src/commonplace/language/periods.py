"""Read the moments that limit a search: 7d, 12h, 10m, 2w, yesterday, a date, or a time."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta

from ..model.errors import BadInput

HINT = "Write 7d, 12h, 10m, 2w, yesterday, 2026-05-01 or 2026-05-01T18:00."
_PERIOD = re.compile(r"(\d{1,5})\s*([mhdw])", re.ASCII)
_UNITS = {
    "m": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
}
_DAYS = {"today": timedelta(0), "yesterday": timedelta(days=1)}


def read_moment(given: date | str, *, now: datetime, day_ends: bool = False) -> datetime:
    """The moment that a period before now, a day or a time names.

    A day is its beginning, or with `day_ends` its end. Without a zone the machine's own counts,
    since a person who writes a date means their own day.
    """
    try:
        read = _parse(given, now) if isinstance(given, str) else given
        if not isinstance(read, datetime):
            read = datetime.combine(read + timedelta(days=1) if day_ends else read, time.min)
        return read.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise BadInput(f"{str(given)[:40]!r} is not a period or a date.", hint=HINT) from error


def read_since(given: date | str, *, now: datetime) -> datetime:
    """The moment from which on something is looked for, which lies in the past."""
    moment = read_moment(given, now=now)
    if moment > now:
        raise BadInput(f"{str(given)[:40]} is in the future.", hint=HINT)
    return moment


def read_range(
    since: date | str | None, until: date | str | None, *, now: datetime
) -> tuple[datetime | None, datetime | None]:
    """The two ends of a range of time; a day given as its end is included whole."""
    first = None if since is None else read_since(since, now=now)
    last = None if until is None else read_moment(until, now=now, day_ends=True)
    if first is not None and last is not None and first >= last:
        raise BadInput("The range of time ends before it begins.", hint="Swap since and until.")
    return first, last


def _parse(text: str, now: datetime) -> date:
    text = text.strip()
    if found := _PERIOD.fullmatch(text.lower()):
        return now - int(found[1]) * _UNITS[found[2]]
    if text.lower() in _DAYS:
        return (now.astimezone() - _DAYS[text.lower()]).date()
    try:
        return date.fromisoformat(text)
    except ValueError:
        return datetime.fromisoformat(text)
