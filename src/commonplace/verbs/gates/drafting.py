"""From a draft to the memory it would become: screened, worth keeping, in its place, summarized."""

from __future__ import annotations

from ...errors import Refused
from ...rules import drafts, policy, scoping, tokens
from ...rules.sealing import is_sealed
from ..screen import screened
from .asking import Asking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...model import Draft, Memory
    from ...rules.gate_settings import Gates
    from ..engine import Engine


def drafted(engine: Engine, given: Sequence[Draft], asking: Asking) -> list[tuple[Draft, Memory]]:
    """Every draft with the memory it would become; raises Refused before anything is written."""
    made: list[tuple[Draft, Memory]] = []
    for number, draft in enumerate(given, 1):
        clean = screened(engine, draft)
        scope = scoping.home(engine.context, clean.scope)
        memory = drafts.memory(
            clean, id=engine.id(), scope=scope, source=engine.source, now=engine.now()
        )
        refuse_by_policy(engine, memory, number if len(given) > 1 else None)
        made.append((clean, summarized(engine, memory, asking)))
    return made


def refuse_by_policy(engine: Engine, memory: Memory, number: int | None = None) -> None:
    """Raise Refused when a memory is not worth keeping, with the reason."""
    gates = engine.settings.gates
    if not gates.policy:
        return
    if reason := policy.refusal(memory, confidence_floor=gates.confidence_floor):
        which = "" if number is None else f"Text {number}: "
        raise Refused(
            f"{which}{reason}",
            hint="Save what should be known later, as a statement of its own.",
        )


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
