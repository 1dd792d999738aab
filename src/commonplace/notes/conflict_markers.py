"""The markers that git leaves in a note when two versions of it cannot be merged."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

START, MIDDLE, END = "<<<<<<<", "=======", ">>>>>>>"


def conflicts(text: str) -> list[tuple[int, int]]:
    """The first and the last line of each conflict, from 1; code blocks may quote markers."""
    found: list[tuple[int, int]] = []
    began, halved = 0, False
    for number, line in _lines_outside_code(text):
        if _is(line, START):
            began, halved = number, False
        elif began and _is(line, MIDDLE):
            halved = True
        elif halved and _is(line, END):
            found.append((began, number))
            began, halved = 0, False
    return found


def without_conflicts(text: str) -> str:
    """The text with both sides of each conflict emptied; every other line keeps its number."""
    lines = text.split("\n")
    for first, last in conflicts(text):
        lines[first - 1 : last] = [""] * (last - first + 1)
    return "\n".join(lines)


def _is(line: str, marker: str) -> bool:
    return line.rstrip("\r") == marker or line.startswith(f"{marker} ")


def _lines_outside_code(text: str) -> Iterator[tuple[int, str]]:
    fence = ""
    for number, line in enumerate(text.split("\n"), 1):
        start = line.lstrip()[:3]
        if start in ("```", "~~~") and fence in ("", start):
            fence = "" if fence else start
        elif not fence:
            yield number, line
