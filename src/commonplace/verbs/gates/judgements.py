"""The reasoner's answers, asked for before the book is held and only looked up while it is.

A model may take seconds. Nobody else should wait for it, so a save with a model is rehearsed
without holding the book; what changed in between is then decided by rules.
"""

from __future__ import annotations

from ...rules.comparing import contradiction, merging
from ...rules.text import summary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable
    from typing import TypeVar

    from ...ports.reasoning import Judged, Merged, Reasoner
    from ..engine import Engine

    T = TypeVar("T")


def held(engine: Engine) -> Asking:
    """Answers while the book is held, without a rehearsal: by rules alone."""
    asking = Asking(engine)
    asking.held = True
    return asking


class Asking:
    """Asks each question once."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._answers: dict[Hashable, object] = {}
        self.slow = engine.settings.reasoner != "rules"
        """Whether a model answers, and not only rules."""
        self.held = False
        """Set while the book is held."""

    def judge(self, newer: str, older: str) -> Judged:
        """Whether two texts contradict each other."""
        return self._answer(
            ("judge", newer, older),
            lambda reasoner: reasoner.judge(newer, older),
            lambda: contradiction.judge(newer, older),
        )

    def merge(self, newer: str, older: str) -> Merged:
        """Both texts as one."""
        return self._answer(
            ("merge", newer, older),
            lambda reasoner: reasoner.merge(newer, older),
            lambda: merging.merge(newer, older),
        )

    def summarize(self, text: str, *, budget_tokens: int) -> str:
        """A shorter text."""
        return self._answer(
            ("summarize", text, budget_tokens),
            lambda reasoner: reasoner.summarize(text, budget_tokens=budget_tokens),
            lambda: summary.summarize(text, budget_tokens=budget_tokens),
        )

    def _answer(
        self, question: Hashable, ask: Callable[[Reasoner], T], by_rules: Callable[[], T]
    ) -> T:
        if question in self._answers:
            return self._answers[question]  # pyright: ignore[reportReturnType]
        if self.held and self.slow:
            return by_rules()
        answer = self._answers[question] = ask(self._engine.reasoner)
        return answer
