"""What takes judgement: summing up, merging, contradictions, lessons, patterns."""

from __future__ import annotations

from ..model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from ..model.memory import Memory
else:
    Protocol = object


class Merged(Value):
    """Two texts as one: every distinct statement once, the newer first."""

    text: str
    changes: tuple[str, ...] = ()
    """What the newer text says otherwise, one line each, for a person to read."""


class Judged(Value):
    """How two statements stand to each other."""

    relation: str
    """same, contradicts, refines or unrelated."""
    sure: float = 1.0
    words: str = ""
    """Why, for a person: which thing, which attribute, which values."""


class Turn(Value):
    """One turn of a conversation."""

    speaker: str
    """user, assistant or tool; only what the user said is evidence of what the user wants."""
    text: str


class Lesson(Value):
    """A correction or a preference that a conversation holds."""

    kind: str
    """correction or preference."""
    content: str
    """What to remember, as a sentence that stands alone."""
    wrong: str = ""
    """For a correction: what was believed before."""
    turn: int = 0
    """Which turn said so."""


class Pattern(Value):
    """Something that several memories show together."""

    content: str
    kind: str
    of: tuple[str, ...]
    """The memories it was seen in."""
    reason: str = ""


class Reasoner(Protocol):
    """Works with meaning: by rules, or by a model where one is configured."""

    @property
    def name(self) -> str:
        """Who answers: rules, or a model's name."""
        ...

    def summarize(self, text: str, *, budget_tokens: int) -> str:
        """A shorter text that says the most important things; never longer than the original."""
        ...

    def merge(self, newer: str, older: str) -> Merged:
        """Both texts as one, without losing a statement."""
        ...

    def judge(self, newer: str, older: str) -> Judged:
        """Whether two texts say the same, contradict each other, or neither."""
        ...

    def sensitive(self, text: str) -> tuple[str, ...]:
        """The names of the kinds of personal data it sees in a text: a second opinion."""
        ...

    def lessons(self, turns: Sequence[Turn]) -> tuple[Lesson, ...]:
        """Corrections and explicit preferences that the user stated."""
        ...

    def patterns(self, memories: Sequence[Memory]) -> tuple[Pattern, ...]:
        """What several memories show together."""
        ...
