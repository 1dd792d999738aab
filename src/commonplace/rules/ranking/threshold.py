"""How well a memory must fit to be handed over, learned from what became of others.

Of the memories that were handed over with prompts, some were used, some ignored, and some were
wrong and corrected. The more of them are of no use, the higher the threshold; it stays between
half and twice the one that is set.
"""

from __future__ import annotations

from ...model.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.memory import Memory, Outcomes

OUTCOMES = USED, IGNORED, CORRECTED = "used", "ignored", "corrected"
FADING = 1 - 1 / 200
"""Each outcome lowers the weight of those before it, so that the last few hundred count."""
CORRECTION_WEIGHT = 2.0
"""A wrong memory costs more than one that nobody needed."""
PRIOR = 20.0
"""Outcomes, half of them uses, that stand against the first few."""
TAKEN_UP = 0.3
"""The share of a memory's own words that an answer says if it makes use of it."""
SHORT_ID = 6
"""Characters at the end of an id that cite it."""


def adapted_threshold(base: float, outcomes: Outcomes) -> float:
    """The threshold after these outcomes: from half to twice the base, and at most 1."""
    missed = outcomes.ignored + CORRECTION_WEIGHT * outcomes.corrected
    rate = (outcomes.used + PRIOR / 2) / (outcomes.used + missed + PRIOR)
    return min(max(base, 1.0), base * 2.0 ** (1.0 - 2.0 * rate))


def learning_scope(scope: str) -> str:
    """The scope whose threshold an asker learns: agents and tasks of a project share one."""
    return str(Scope.parse(scope).without("task").without("agent"))


def was_used(memory: Memory, prompt: str, reply: str) -> bool | None:
    """Whether an answer cites a memory or says what only the memory said; None if unknowable."""
    if memory.id in reply or f"[{memory.id[-SHORT_ID:]}]" in reply:
        return True
    # Imported here, because a session's start asks only for the threshold.
    from ...language import words

    own = set(words.terms(memory.content)) - set(words.terms(prompt))
    if not own:
        return None
    said = own.intersection(words.terms(reply))
    return len(said) >= TAKEN_UP * len(own)
