"""Texts and times as a person reads them, without anything that is slow to import."""

import unicodedata
from collections.abc import Mapping
from datetime import datetime

from ...model.memory import Memory
from ...notes.display import shown

_STEPS = (
    (60, 1, ""),
    (3_600, 60, "minute"),
    (86_400, 3_600, "hour"),
    (30 * 86_400, 86_400, "day"),
)


def clean(text: str) -> str:
    """The text without control characters: a note must not be able to steer the terminal."""
    text = shown(text)
    if text.isprintable():
        return text
    return "".join(c if c in "\n\t" or _shown(c) else "\N{REPLACEMENT CHARACTER}" for c in text)


def line(text: str) -> str:
    """The text on one line."""
    return clean(" ".join(text.split()))


def width(text: str) -> int:
    """How many cells of a terminal a line takes: a Chinese character takes two."""
    return len(text) + sum(unicodedata.east_asian_width(character) in "WF" for character in text)


def fit(text: str, cells: int) -> str:
    """As much of a line as fits."""
    used = 0
    for position, character in enumerate(text):
        used += width(character)
        if used > cells:
            return text[: max(0, position - 1)].rstrip() + "…"
    return text


def wrap(text: str, cells: int, *, most: int) -> list[str]:
    """A line broken between words into a few that fit; what is left over is cut."""
    lines: list[str] = []
    words = text.split(" ")
    while words and len(lines) < most - 1:
        taken = words.pop(0)
        while words and width(taken) + 1 + width(words[0]) <= cells:
            taken = f"{taken} {words.pop(0)}"
        lines.append(fit(taken, cells))
    return [*lines, fit(" ".join(words), cells)] if words else lines


def ago(moment: datetime, now: datetime) -> str:
    """How long ago in words; a local date for what is older than a month."""
    seconds = (now - moment).total_seconds()
    if seconds < 0:
        return date(moment)
    for below, unit, name in _STEPS:
        if seconds < below:
            count = int(seconds // unit)
            return "just now" if not name else f"{count} {name}{'s' if count > 1 else ''} ago"
    return date(moment)


def date(moment: datetime) -> str:
    """The local date."""
    return moment.astimezone().strftime("%Y-%m-%d")


def clock(moment: datetime) -> str:
    """The local date and time."""
    return moment.astimezone().strftime("%Y-%m-%d %H:%M:%S")


def counted(number: int, one: str, many: str) -> str:
    """So many of something."""
    return f"{number:,} {one if number == 1 else many}"


def name(memory: Memory) -> str:
    """What a person calls the memory in the next command."""
    return line(memory.slug) or memory.id


def _shown(character: str) -> bool:
    return unicodedata.category(character) not in ("Cc", "Cs", "Zl", "Zp") and (
        unicodedata.bidirectional(character)
        not in ("RLO", "LRO", "RLE", "LRE", "PDF", "RLI", "LRI", "FSI", "PDI")
    )


# What to say where a full book has nothing like what was asked for.


def unlike(
    options: Mapping[str, str | int | list[str] | None], held: int, one: str, many: str
) -> str:
    """That nothing is as the options want it, of so many; nothing where options want nothing."""
    given = [(name, values) for name, values in options.items() if values]
    asked = " ".join(
        f"--{name} {value}"
        for name, values in given
        for value in (values if isinstance(values, list) else [values])
    )
    if not (asked and held):
        return ""
    return f"Nothing matches {asked}; the book has {counted(held, one, many)}."
