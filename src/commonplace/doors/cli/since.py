"""`--since`, the way people say it: 7d, 12h, 2w, or a day."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from ...errors import BadInput

_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}

_METAVAR, _HELP = "7d|12h|2w|DATE", "How far to look back."

SinceOption = Annotated[str, typer.Option("--since", metavar=_METAVAR, help=_HELP)]
SinceAnyTime = Annotated[
    str | None, typer.Option("--since", metavar=_METAVAR, help=_HELP, show_default=False)
]


def moment(text: str, now: datetime | None = None) -> datetime:
    """The moment that a period before now, or a local day, begins with."""
    now = now or datetime.now(UTC)
    try:
        if found := re.fullmatch(r"(\d{1,5})\s*([hdw])", text.strip().lower()):
            return now - int(found[1]) * _UNITS[found[2]]
        return datetime.fromisoformat(text.strip()).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise BadInput(
            f"{text[:40]!r} is no time to look back to.", hint="Write 7d, 12h, 2w or 2026-05-01."
        ) from error
