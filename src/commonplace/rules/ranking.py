"""How found memories are ordered: every factor in one place, each able to say what it did."""

from __future__ import annotations

from ..model import Hit, Memory, Why
from ..value import Value
from . import scoping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from ..ports import Match

_DAY_S = 86_400.0


class Ranking(Value):
    """The weights of ranking. Defaults are what scored best, not what looked right."""

    scope_weights: Mapping[str, float] = scoping.WEIGHTS
    trust_weights: Mapping[str, float] = {"user": 1.1, "agent": 1.0, "system": 0.9, "external": 0.8}
    half_life_days: float = 180.0
    decay_floor: float = 0.85
    """Age alone never takes more than the rest of this: the decay is mild."""
    confidence_floor: float = 0.7
    stale_factor: float = 0.5


def rank(matches: Iterable[Match], *, settings: Ranking, now: datetime, limit: int) -> list[Hit]:
    """Weigh each match by scope, trust, confidence and age; best first, ties by newest."""
    hits = [_weighed(match, settings, now) for match in matches]
    hits.sort(key=lambda hit: (-hit.score, -hit.memory.updated.timestamp(), hit.memory.id))
    return hits[:limit]


def _weighed(match: Match, settings: Ranking, now: datetime) -> Hit:
    factors = list(_factors(match.memory, settings, now))
    score = match.score
    for _, factor, _ in factors:
        score *= factor
    words = Why("words", match.score, f"contains {', '.join(match.terms[:8])}")
    return Hit(
        memory=match.memory,
        score=score,
        why=(words, *(Why(part, factor, said) for part, factor, said in factors)),
    )


def _factors(memory: Memory, settings: Ranking, now: datetime) -> Iterable[tuple[str, float, str]]:
    yield (
        "scope",
        scoping.weight(memory.scope, settings.scope_weights),
        "belongs to the whole book" if not memory.scope.pairs else f"belongs to {memory.scope}",
    )
    yield "trust", settings.trust_weights[memory.trust], f"comes from {memory.source}"
    if memory.confidence < 1:
        least = settings.confidence_floor
        factor = least + (1 - least) * memory.confidence
        yield "confidence", factor, f"held with confidence {memory.confidence:.2f}"
    days = max(0.0, (now - memory.updated).total_seconds() / _DAY_S)
    fresh = 0.5 ** (days / settings.half_life_days)
    yield "age", settings.decay_floor + (1 - settings.decay_floor) * fresh, _age(days)
    if memory.status == "stale":
        yield "stale", settings.stale_factor, "may be out of date"


def _age(days: float) -> str:
    if days < 1:
        return "from today"
    if days < 60:
        return f"{days:.0f} days old"
    return f"{days / 30.4:.0f} months old"
