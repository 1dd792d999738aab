"""The default reasoner: rules alone, deterministic and free."""

from __future__ import annotations

from ...language import statements
from ...rules import lessons, patterns
from ...rules.relations import contradiction, merge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...model.memory import Memory
    from ...ports.reasoner import Judged, Lesson, Merged, Pattern, Recap, Turn


class RulesReasoner:
    """A reasoner that works by rules."""

    name = "rules"
    last_failure = ""
    """Always empty: rules do not fail."""

    def summarize(self, text: str, *, budget_tokens: int) -> str:
        """The most important sentences of the text."""
        return statements.summarize(text, budget_tokens=budget_tokens)

    def merge(self, newer: str, older: str) -> Merged:
        """Every distinct statement once, the newer first."""
        return merge.merge_texts(newer, older)

    def judge(self, newer: str, older: str) -> Judged:
        """Compare the claims of both texts about the same subject."""
        return contradiction.judge(newer, older)

    def sensitive(self, text: str) -> tuple[str, ...]:
        """Nothing: the screening rules have already checked the text."""
        return ()

    def lessons(self, turns: Sequence[Turn]) -> tuple[Lesson, ...]:
        """Recognize typical phrases of corrections and preferences."""
        return lessons.extract_lessons(turns)

    def recap(self, turns: Sequence[Turn]) -> Recap:
        """Choose sentences of the conversation."""
        # Imported here because only the end of a session needs its patterns.
        from ...rules.recaps.recap import make_recap

        return make_recap(turns)

    def patterns(self, memories: Sequence[Memory]) -> tuple[Pattern, ...]:
        """Count repetitions."""
        return patterns.find_patterns(memories)

    def close(self) -> None:
        """Nothing to close."""
