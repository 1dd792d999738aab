"""The texts of roles, overrides and tasks as a session's start shows them."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..model.memory import Memory

_BLOCK = re.compile(r"\s*(?:#{1,6} |[-*+] |\d+[.)] |>|\||```|~~~)")
"""The beginning of a line that is no continuation of the one before."""
_STEP = re.compile(r"\s*[-*+] (?:\[(.)\] )?(.+?)\s*$")
_SPEAKER = re.compile(r"^(?:(?:The )?\w+: )?")
OPEN, CLOSED = "Open", "Closed"
"""The sections of a session's summary with what it left open, and what it says on earlier ends."""
MOST_CONSTRAINTS = 8


def role_text(profile: Memory) -> str:
    """The text of a profile under `## Role`."""
    found: list[str] = []
    inside = False
    for line in profile.content.splitlines():
        if line.startswith(("# ", "## ")):
            inside = line.strip("# \t").casefold() == "role"
        elif inside:
            found.append(line)
    return unwrapped("\n".join(found))


def override_text(override: Memory) -> str:
    """All of an override: its headings are part of it."""
    return unwrapped(override.content)


def unwrapped(text: str) -> str:
    """The text with each paragraph on one line, however an editor has wrapped it."""
    lines: list[str] = []
    goes_on = False
    for line in text.strip().splitlines():
        if goes_on and line.strip() and not _BLOCK.match(line):
            lines[-1] += f" {line.strip()}"
        elif line.strip():
            lines.append(line.strip())
        goes_on = bool(line.strip()) and not line.lstrip().startswith("#")
    return "\n".join(lines)


def last_session_text(summary: Memory, still_open: Sequence[str]) -> str:
    """A session's summary for whoever goes on: what is open first, without the line of its name.

    What is open is given, because earlier sessions left open ends and later ones closed some.
    """
    parts = summary.content.partition("\n\n")[2] or summary.content
    head, *sections = re.split(r"(?m)^(?=## )", parts)
    sections = [
        one for one in sections if not _has_heading(one, OPEN) and not _has_heading(one, CLOSED)
    ]
    left = "\n".join((f"## {OPEN}", *(f"- {text}" for text in still_open))) if still_open else ""
    return "\n".join(one.strip() for one in (left, *sections, head) if one.strip())


def open_ends(summary: Memory) -> list[str]:
    """What a session left open, by its summary, without who said so."""
    lines = section_items(summary.content, OPEN)
    return [said for line in lines if (said := _SPEAKER.sub("", line).strip())]


def section_items(content: str, heading: str) -> list[str]:
    """The items of one section of a summary."""
    sections = re.split(r"(?m)^(?=## )", content)
    lines = (line for one in sections if _has_heading(one, heading) for line in one.splitlines())
    return [line[2:] for line in lines if line.startswith("- ")]


def _has_heading(section: str, heading: str) -> bool:
    """Whether a section is headed so, whatever state follows: `## Outcome: done`."""
    return re.match(rf"(?i)## {heading}\b", section) is not None


class WorkState:
    """The parts of a task's note that a session continues with."""

    def __init__(self, note: Memory) -> None:
        self.goal = note.title or note.slug
        self.constraints: list[str] = []
        self.steps: list[str] = []
        self.done = 0
        heading = ""
        for line in note.content.splitlines():
            if line.startswith("## "):
                heading = line[3:].strip().casefold()
            elif line.startswith("# ") and not heading:
                self.goal = line[2:].strip()
            elif item := _STEP.match(line):
                self._take(heading, item[1], item[2])

    def _take(self, heading: str, tick: str | None, text: str) -> None:
        if heading == "constraints":
            self.constraints.append(text)
        elif heading == "plan":
            self.steps.append(text)
            if tick not in (None, " ") and self.done == len(self.steps) - 1:
                self.done += 1

    @property
    def wanted(self) -> tuple[str, list[str], list[str]]:
        """What the task is, however far it is."""
        return self.goal, self.constraints, self.steps

    def parts(self) -> Iterator[str]:
        """Goal, next step, constraints and the steps after it, the most useful first."""
        yield f"Goal: {self.goal}"
        if self.done < len(self.steps):
            yield f"Next step ({self.done + 1} of {len(self.steps)}): {self.steps[self.done]}"
        elif self.steps:
            yield f"All {self.done} steps are done"
        if self.constraints:
            yield f"Constraints: {'; '.join(self.constraints[:MOST_CONSTRAINTS])}"
        if later := self.steps[self.done + 1 :]:
            yield f"Then: {'; '.join(later)}"
