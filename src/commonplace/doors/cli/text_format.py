"""Format texts and times for a terminal. Imports nothing slow: `recall` needs it at once."""

from __future__ import annotations

import os
import sys
import unicodedata

from ...notes.display import without_sealed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from ...model.memory import Memory


_STEPS = (
    (60, 1, ""),
    (3_600, 60, "minute"),
    (86_400, 3_600, "hour"),
    (30 * 86_400, 86_400, "day"),
)


def clean(text: str) -> str:
    """The text without control characters, which could steer the terminal."""
    text = without_sealed(text)
    if text.isprintable():
        return text
    return "".join(c if c in "\n\t" or _is_safe(c) else "\N{REPLACEMENT CHARACTER}" for c in text)


def line(text: str) -> str:
    """The text on one line."""
    return clean(" ".join(text.split()))


def width(text: str) -> int:
    """Terminal cells that a line takes; a Chinese character takes two."""
    return len(text) + sum(unicodedata.east_asian_width(character) in "WF" for character in text)


def fit(text: str, cells: int) -> str:
    """The line, cut with an ellipsis to a number of cells."""
    used = 0
    for position, character in enumerate(text):
        used += width(character)
        if used > cells:
            return text[: max(0, position - 1)].rstrip() + "…"
    return text


def wrap(text: str, cells: int, *, most: int) -> list[str]:
    """Wrap a line between words into at most `most` lines; the rest is cut."""
    lines: list[str] = []
    words = text.split(" ")
    while words and len(lines) < most - 1:
        taken = words.pop(0)
        while words and width(taken) + 1 + width(words[0]) <= cells:
            taken = f"{taken} {words.pop(0)}"
        lines.append(fit(taken, cells))
    return [*lines, fit(" ".join(words), cells)] if words else lines


def pack(parts: Sequence[str], cells: int, *, between: str) -> list[str]:
    """Lines of whole parts; one that is too long stays whole, so that a name can be copied."""
    lines: list[str] = []
    for part in parts:
        if lines and width(lines[-1] + between + part) <= cells:
            lines[-1] += between + part
        else:
            lines.append(part)
    return lines


def columns() -> int:
    """The width of the terminal; 80 for a pipe or a file."""
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns
    except OSError:
        return 80


def ago(moment: datetime, now: datetime) -> str:
    """The time since a moment in words; a local date after a month."""
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
    """A number with its noun, such as `1 memory` or `2 memories`."""
    return f"{number:,} {one if number == 1 else many}"


def name(memory: Memory) -> str:
    """The memory's name for commands: its slug, else its id."""
    return line(memory.slug) or memory.id


def _is_safe(character: str) -> bool:
    return unicodedata.category(character) not in ("Cc", "Cs", "Zl", "Zp") and (
        unicodedata.bidirectional(character)
        not in ("RLO", "LRO", "RLE", "LRE", "PDF", "RLI", "LRI", "FSI", "PDI")
    )


def empty_result(
    filters: Mapping[str, str | int | list[str] | None], total: int, one: str, many: str
) -> str:
    """A sentence that no entry matches the filters; empty without filters or entries."""
    used = " ".join(
        f"--{name} {value}"
        for name, values in filters.items()
        if values
        for value in (values if isinstance(values, list) else [values])
    )
    if not (used and total):
        return ""
    return f"Nothing matches {used}; the book has {counted(total, one, many)}."


MOST_COUNTS = 12


def counts(found: Sequence[tuple[str, int]]) -> str:
    """Names with their counts, the first dozen."""
    parts = [f"{line(name)} {count:,}" for name, count in found[:MOST_COUNTS]]
    if len(found) > MOST_COUNTS:
        parts.append(f"and {len(found) - MOST_COUNTS} more")
    return ", ".join(parts)
