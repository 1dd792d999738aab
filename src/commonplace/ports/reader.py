"""The port for readers: small models that compare notes, hear users and check answers."""

from __future__ import annotations

from ..model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from ..model.memory import Problem
else:
    Protocol = object


class Related(Value):
    """How likely each relation of a newer text to an older note is; together they are 1."""

    replaces: float
    """The older note no longer holds once the newer text is true."""
    same: float
    adds: float
    other: float


class Heard(Value):
    """How likely a user's turn belongs to each class; together they are 1."""

    correction: float
    preference: float
    instruction: float
    fact: float
    none: float
    kept: tuple[float, ...] = ()
    """For each sentence the share of its words that are worth keeping."""


class Reader(Protocol):
    """Reads short texts for their meaning."""

    def relate(self, newer: str, older: str, *, context: str = "") -> Related:
        """How a newer text relates to an older note; `context` is what was said just before."""
        ...

    def hear(self, sentences: Sequence[str], *, before: str = "") -> Heard:
        """Classify a user's turn, given as its sentences; `before` is the turn that it answers."""
        ...

    def answers(self, question: str, text: str) -> float:
        """How much a text speaks to a question: the more above 0, the likelier it answers it."""
        ...

    def problems(self) -> tuple[Problem, ...]:
        """Each of its files that is missing or damaged; checking them takes a moment."""
        ...
