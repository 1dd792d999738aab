"""Answers of the reasoner: asked for before a write takes the lease, looked up while it has it."""

from __future__ import annotations

from ..language import statements
from ..rules.relations import contradiction, merge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable
    from typing import TypeVar

    from ..ports.reasoner import Judged, Merged, Reasoner
    from .engine import Engine

    T = TypeVar("T")


class ReasonerCache:
    """Asks the reasoner each question once."""

    def __init__(self, engine: Engine, *, lease_taken: bool = False) -> None:
        self._engine = engine
        self._answers: dict[Hashable, object] = {}
        self.uses_model = engine.settings.reasoner != "rules"
        self.lease_taken = lease_taken
        """With the lease taken no model is asked: the rules answer what is not cached."""

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
            lambda: merge.merge_texts(newer, older),
        )

    def summarize(self, text: str, *, budget_tokens: int) -> str:
        """A shorter text."""
        return self._answer(
            ("summarize", text, budget_tokens),
            lambda reasoner: reasoner.summarize(text, budget_tokens=budget_tokens),
            lambda: statements.summarize(text, budget_tokens=budget_tokens),
        )

    def _answer(
        self, question: Hashable, ask: Callable[[Reasoner], T], by_rules: Callable[[], T]
    ) -> T:
        if question in self._answers:
            return self._answers[question]  # pyright: ignore[reportReturnType]
        if self.lease_taken and self.uses_model:
            return by_rules()
        answer = self._answers[question] = ask(self._engine.reasoner)
        return answer
