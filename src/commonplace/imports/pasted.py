"""Memories copied out of ChatGPT's settings as text: `[2025-05-01] - Prefers tea.` a line."""

from __future__ import annotations

import re

from ..model import Draft
from .fields import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .parcel import Parcel

_LINE = re.compile(r"\s*(?:[-*•]\s*)?\[?(\d{4}-\d\d-\d\d)\]?\s*(?:[-–—:]\s*)(\S.*)")


def fits(text: str) -> bool:
    """Whether most lines of a text are dated memories."""
    lines = [line for line in text.splitlines() if line.strip()]
    return bool(lines) and 2 * sum(_LINE.match(line) is not None for line in lines) > len(lines)


def read(parcel: Parcel, name: str) -> Iterator[Draft]:
    """A memory for each dated line; what follows without a date belongs to it."""
    dated: list[tuple[str, str]] = []
    for line in parcel.text(name).splitlines():
        if found := _LINE.match(line):
            dated.append((found[1], found[2].strip()))
        elif line.strip() and dated:
            day, text = dated[-1]
            dated[-1] = (day, f"{text}\n{line.strip()}")
    for day, text in dated:
        yield Draft(text, created=time(day), tags=("chatgpt",))
