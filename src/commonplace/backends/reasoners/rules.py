"""The reasoner that every book has: rules alone, the same answer every time, nothing to pay."""

from __future__ import annotations

from ...language import statements
from ...rules import lessons, patterns
from ...rules.relations import contradiction, merge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...model.memory import Memory
    from ...ports.reasoner import Judged, Lesson, Merged, Pattern, Turn


class RulesReasoner:
    """Works with meaning as far as words show it."""

    name = "rules"
    last_failure = ""
    """Rules do not fail; a model's reasoner has the reason here when it did."""

    def summarize(self, text: str, *, budget_tokens: int) -> str:
        """The text's own most telling sentences."""
        return statements.summarize(text, budget_tokens=budget_tokens)

    def merge(self, newer: str, older: str) -> Merged:
        """Every distinct statement once, the newer first."""
        return merge.merge_texts(newer, older)

    def judge(self, newer: str, older: str) -> Judged:
        """By what both claim of the same thing."""
        return contradiction.judge(newer, older)

    def sensitive(self, text: str) -> tuple[str, ...]:
        """Nothing: the screening rules have looked already, and these are no second opinion."""
        return ()

    def lessons(self, turns: Sequence[Turn]) -> tuple[Lesson, ...]:
        """By how people put corrections and wishes."""
        return lessons.extract(turns)

    def patterns(self, memories: Sequence[Memory]) -> tuple[Pattern, ...]:
        """By counting."""
        return patterns.find(memories)

    def close(self) -> None:
        """Nothing is kept open."""
