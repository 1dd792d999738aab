"""Learn from what became of memories that were handed over, and adapt the threshold for others."""

from __future__ import annotations

from ..model.errors import Busy, LedgerUnavailable
from ..model.quick_json import parse_json
from ..rules.handed_over.digest_settings import resolve_digest_settings
from ..rules.ranking import threshold as rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..engine.engine import Engine
    from ..model.memory import Retrieval
    from ..ports.reasoner import Turn

MOST_RECALLS = 500
"""Logged recalls among which those of a conversation are looked for."""
LATELY = 20
"""The newest recalls; a correction may be about what one of them handed over."""
COMPARED_CHARACTERS = 500
"""The beginning of a prompt, by which its recall is found in the log."""


def adapted_threshold(engine: Engine, base: float) -> float:
    """The threshold of the caller's scope, where `base` is the one that is set."""
    if not base or not engine.settings.adaptive_threshold:
        return base
    scope = rule.learning_scope(str(engine.context.scope))
    try:
        found = engine.ledger.outcomes([scope])
    except (LedgerUnavailable, Busy):
        return base
    return rule.adapted_threshold(base, found[scope]) if scope in found else base


def thresholds(engine: Engine) -> tuple[tuple[str, float], ...]:
    """The adapted threshold of every visible scope that has learned one."""
    if not engine.settings.adaptive_threshold:
        return ()
    base = resolve_digest_settings(engine.settings.digest, engine.context.agent).threshold
    scopes = None if engine.visible.everything else tuple(engine.visible.scopes)
    found = engine.ledger.outcomes(scopes)
    return tuple((scope, round(rule.adapted_threshold(base, found[scope]), 3)) for scope in found)


def learn_from_turns(engine: Engine, turns: Sequence[Turn]) -> None:
    """Count which memories handed over in a conversation its answers made use of."""
    if not engine.settings.adaptive_threshold or engine.untracked:
        return
    logged = engine.ledger.retrievals(visible=engine.own_log, limit=MOST_RECALLS)
    handed = {_beginning(one.query): one for one in reversed(logged) if _handed(one)}
    outcomes = [
        outcome
        for prompt, reply in _exchanges(turns)
        if (retrieval := handed.pop(_beginning(prompt), None))
        for outcome in _outcomes(engine, retrieval, prompt, reply)
    ]
    _count(engine, outcomes)


def learn_from_correction(engine: Engine, id: str) -> None:
    """Count a correction of a memory that was handed over lately."""
    if not engine.settings.adaptive_threshold or engine.untracked:
        return
    for retrieval in engine.ledger.retrievals(visible=engine.own_log, limit=LATELY):
        if id in _handed(retrieval):
            _count(engine, [(rule.learning_scope(retrieval.scope), rule.CORRECTED)])
            return


def _outcomes(
    engine: Engine, retrieval: Retrieval, prompt: str, reply: str
) -> Iterator[tuple[str, str]]:
    scope = rule.learning_scope(retrieval.scope)
    memories = engine.store.read(_handed(retrieval), visible=engine.visible)
    for memory in memories.values():
        used = rule.was_used(memory, prompt, reply)
        if used is not None:
            yield scope, rule.USED if used else rule.IGNORED


def _exchanges(turns: Sequence[Turn]) -> Iterator[tuple[str, str]]:
    """Each prompt of the user with everything that was answered to it."""
    prompt, reply = "", ""
    for turn in (*turns, None):
        if turn is None or turn.speaker == "user":
            if prompt and reply:
                yield prompt, reply
            prompt, reply = turn.text if turn else "", ""
        elif turn.speaker == "assistant":
            reply = f"{reply}\n{turn.text}"


def _handed(retrieval: Retrieval) -> list[str]:
    return parse_json(retrieval.details).get("handed", [])


def _beginning(text: str) -> str:
    return " ".join(text.split())[:COMPARED_CHARACTERS]


def _count(engine: Engine, outcomes: Sequence[tuple[str, str]]) -> None:
    try:
        engine.ledger.count_outcomes(outcomes)
    except (LedgerUnavailable, Busy):
        return  # A lesson lost is learned again.
