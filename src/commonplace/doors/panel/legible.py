"""Texts and times as a person reads them in a browser."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ...rules.sealing import shown

if TYPE_CHECKING:
    from ...model import Memory

_HIDDEN = re.compile(
    "[\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\x00-\x08\x0b-\x1f\x7f-\x9f]"
)
"""What changes a text without being seen. The joiners of scripts and emoji are left alone."""
_HEADING = re.compile(r"^#{1,6} +(.*)$", re.MULTILINE)
_LINK = re.compile(r"\[\[(?:[^\[\]|\n]*\|)?([^\[\]|\n]+)\]\]")
_STEPS = ((3_600, 60, "min"), (86_400, 3_600, "h"), (60 * 86_400, 86_400, "d"))


def visible(text: str) -> str:
    """The text with every hidden character named, so that nobody is shown another text."""
    return _HIDDEN.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", shown(text))


def line(text: str, most: int = 160) -> str:
    """The beginning of a text, on one line."""
    short = " ".join(text[: most * 4].split())
    return visible(short if len(short) <= most else short[: most - 1].rstrip() + "…")


def name(memory: Memory, most: int = 120) -> str:
    """What to call a memory: its title, or how it begins."""
    return line(memory.title or _spoken(memory.content[: most * 4]), most)


def _spoken(text: str) -> str:
    """A text as one would read it out: headings without their marks, links by their words."""
    parts = (part.strip() for part in _HEADING.split(text))
    return _LINK.sub(r"\1", " · ".join(part for part in parts if part))


def ago(moment: datetime | None) -> str:
    """How long ago something was."""
    if moment is None:
        return "never"
    seconds = (datetime.now(UTC) - moment).total_seconds()
    if seconds < 60:
        return "just now"
    for under, unit, word in _STEPS:
        if seconds < under:
            return f"{int(seconds // unit)} {word}"
    return moment.strftime("%-d %b %Y")


def when(moment: datetime) -> str:
    """A moment, to the minute."""
    return moment.astimezone(UTC).strftime("%-d %b %Y, %H:%M UTC")


def size(count: int) -> str:
    """So many bytes, in the unit that fits."""
    if count < 1_000:
        return f"{count} bytes"
    amount, units = count / 1_000, ["TB", "GB", "MB", "kB"]
    while amount >= 1_000 and len(units) > 1:
        amount /= 1_000
        units.pop()
    return f"{amount:.{1 if amount < 10 else 0}f} {units[-1]}"


def several(count: int, word: str) -> str:
    """`1 memory`, `3 memories`."""
    if count == 1:
        return f"1 {word}"
    return f"{count:,} {word[:-1]}ies" if word.endswith("y") else f"{count:,} {word}s"
