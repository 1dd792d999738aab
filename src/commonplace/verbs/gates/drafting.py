"""From a draft to the memory it would become: screened, worth keeping, in its place, summarized."""

from __future__ import annotations

from ...errors import Refused
from ...rules import drafts, scoping
from ...rules.learning import policy
from ...rules.sealing import is_sealed
from ...rules.text import tokens
from ..screen import screened
from .judgements import Asking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...model import Draft, Memory
    from ...rules.gate_settings import Gates
    from ..engine import Engine

MOST_REASONS = 10
"""How many of many refused texts are explained."""


def drafted(engine: Engine, given: Sequence[Draft], asking: Asking) -> list[tuple[Draft, Memory]]:
    """Every draft with the memory it would become; raises Refused before anything is written.

    Of many drafts all that may not be kept are named at once, so that they can be left out.
    """
    made: list[tuple[Draft, Memory]] = []
    refused: dict[int, Refused] = {}
    for place, draft in enumerate(given):
        try:
            clean = screened(engine, draft)
            scope = scoping.home(engine.context, clean.scope)
            memory = drafts.memory(
                clean, id=engine.id(), scope=scope, source=engine.source, now=engine.now()
            )
            refuse_by_policy(engine, memory)
        except Refused as error:
            refused[place] = error
        else:
            made.append((clean, memory))
    if refused:
        raise refused[0] if len(given) == 1 else refusal_of_many(refused, len(given))
    return [(clean, summarized(engine, memory, asking)) for clean, memory in made]


def refusal_of_many(refused: Mapping[int, Refused], of: int) -> Refused:
    """One refusal that says which of many texts may not be kept, and why."""
    shown = [
        f"Text {place + 1}: {error.sentence}"
        for place, error in list(refused.items())[:MOST_REASONS]
    ]
    more = len(refused) - len(shown)
    rest = f" So are {more} more." if more else ""
    whole = Refused(
        f"{len(refused)} of {of} texts were refused, and none was saved. {' '.join(shown)}{rest}",
        hint="Leave those out and save the others; `places` of the error counts them from 0.",
    )
    whole.places = tuple(refused)
    return whole.because(*(reason for error in refused.values() for reason in error.reasons))


def refuse_by_policy(engine: Engine, memory: Memory) -> None:
    """Raise Refused when a memory is not worth keeping, with the reason."""
    gates = engine.settings.gates
    if not gates.policy:
        return
    if reason := policy.refusal(memory, confidence_floor=gates.confidence_floor):
        hint = "Save what should be known later, as a statement of its own."
        raise Refused(reason, hint=hint).because("policy")


def summarized(engine: Engine, memory: Memory, asking: Asking | None = None) -> Memory:
    """The memory with a summary if it is long; turns of conversations are kept as they are."""
    made = ""
    if memory.episode is None and _is_long(memory, engine.settings.gates):
        budget = engine.settings.gates.summary_tokens
        asking = asking or Asking(engine)
        made = asking.summarize(memory.content, budget_tokens=budget).strip()
    if len(made) >= len(memory.content):
        made = ""
    return memory if memory.summary == made else memory.but(summary=made)


def _is_long(memory: Memory, gates: Gates) -> bool:
    above, text = gates.summary_above_tokens, memory.content
    # Most texts are short at a glance; a character of other scripts may take several tokens.
    if not above or len(text) * (1 if text.isascii() else 4) <= above or is_sealed(memory):
        return False
    return tokens.estimate(text) > above
