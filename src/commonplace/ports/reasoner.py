"""The port for reasoners: summaries, merges, contradictions, lessons and patterns."""

from __future__ import annotations

from ..model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from ..model.memory import Memory, Problem
else:
    Protocol = object


class Merged(Value):
    """Two texts as one: every distinct statement once, the newer first."""

    text: str
    changes: tuple[str, ...] = ()
    """Statements that the newer text replaces, one line each, for a person."""


class Judged(Value):
    """The relation of a newer text to an older one."""

    relation: str
    """same, contradicts, refines or unrelated."""
    sure: float = 1.0
    words: str = ""
    """The reason, for a person."""


class Turn(Value):
    """One turn of a conversation."""

    speaker: str
    """user, assistant or tool; only the user's turns show what the user wants."""
    text: str


class Lesson(Value):
    """A correction, preference or personal fact stated in a conversation."""

    kind: str
    """correction, preference, fact (a lasting one about the person), or fix (one that helped)."""
    content: str
    """The text to remember, as a self-contained sentence."""
    wrong: str = ""
    """For a correction: the wrong statement."""
    turn: int = 0
    """The number of the turn."""
    said: str = ""
    """The turn as the user said it, …"""
    before: str = ""
    """… and what was said to the user before."""
    sure: float = 1.0
    """How likely it is one; an unlikely one counts if it clearly contradicts a memory."""


class Remark(Value):
    """A sentence of a conversation, and who said it."""

    speaker: str
    """user or agent."""
    text: str


class Recap(Value):
    """A conversation in short: what was wanted, what came of it, what was decided and is open."""

    goal: str = ""
    """The user's first request."""
    requests: tuple[str, ...] = ()
    """Further requests of the user."""
    outcome: tuple[Remark, ...] = ()
    decisions: tuple[Remark, ...] = ()
    """Decisions, corrections and preferences; of a corrected value only the right one."""
    open_ends: tuple[Remark, ...] = ()
    state: str = ""
    """done, open, failed or abandoned; empty if the conversation does not say."""


class Pattern(Value):
    """A pattern that several memories show together."""

    content: str
    kind: str
    of: tuple[str, ...]
    """The ids of the memories."""
    reason: str = ""


class Reasoner(Protocol):
    """Judges the meaning of texts, by rules or with a model."""

    @property
    def name(self) -> str:
        """`rules`, or the name of the model."""
        ...

    @property
    def reads_meaning(self) -> bool:
        """Whether a model reads what rules cannot tell from the words."""
        ...

    def summarize(self, text: str, *, budget_tokens: int) -> str:
        """A summary, never longer than the text."""
        ...

    def merge(self, newer: str, older: str) -> Merged:
        """Both texts as one, with every statement of both."""
        ...

    def judge(self, newer: str, older: str, *, context: str = "") -> Judged:
        """How the newer text relates to the older one; `context` was said before the newer one."""
        ...

    def answers(self, question: str, texts: Sequence[str]) -> float | None:
        """How likely one of the texts answers a question; None if nobody here can tell."""
        ...

    def sensitive(self, text: str) -> tuple[str, ...]:
        """The kinds of personal data in a text, beside those that screening finds."""
        ...

    def lessons(self, turns: Sequence[Turn]) -> tuple[Lesson, ...]:
        """Corrections and preferences that the user stated."""
        ...

    def recap(self, turns: Sequence[Turn]) -> Recap:
        """Goal, outcome, decisions and open ends of a conversation."""
        ...

    def patterns(self, memories: Sequence[Memory]) -> tuple[Pattern, ...]:
        """Patterns that several memories show together."""
        ...

    def problems(self) -> tuple[Problem, ...]:
        """Why parts of it cannot be used on this device, so that rules answer in their place."""
        ...
