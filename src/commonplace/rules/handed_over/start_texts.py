"""The texts of roles, overrides and tasks as a session's start shows them."""

from __future__ import annotations

from ...model.lazy_pattern import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...model.memory import Memory

_BLOCK = lazy(r"\s*(?:#{1,6} |[-*+] |\d+[.)] |>|\||```|~~~)")
"""The beginning of a line that is no continuation of the one before."""
_STEP = lazy(r"\s*[-*+] (?:\[(.)\] )?(.+?)\s*$")
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
        """Goal, constraints and steps, whichever of the steps are done."""
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
