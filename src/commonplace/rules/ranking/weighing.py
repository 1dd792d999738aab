"""The weights that a score is multiplied by: whose memory it is, who said it, how sure, how old."""

from __future__ import annotations

from ...scope import Scope
from .. import scoping
from .questions import role_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from ...ports.searching import Candidate
    from . import Ranking
    from .questions import Question

DAY_S = 86_400.0


def factors(
    candidates: Sequence[Candidate],
    question: Question,
    settings: Ranking,
    now: datetime,
    topic: str | None,
) -> dict[str, list[float]]:
    """For each weight one number per candidate; 1 leaves a score as it is."""
    moment, floor = now.timestamp(), settings.decay_floor
    mild, half_life_s = 1.0 - floor, settings.half_life_days * DAY_S
    scopes = {
        scope: scoping.weight(Scope.parse(scope), settings.scope_weights)
        for scope in {candidate.scope for candidate in candidates}
    }
    trusts, least = settings.trust_weights, settings.confidence_floor
    found = {
        "scope": [scopes[c.scope] for c in candidates],
        "trust": [trusts.get(c.trust, 1.0) for c in candidates],
        "confidence": [
            1.0 if c.confidence == 1.0 else least + (1.0 - least) * c.confidence for c in candidates
        ],
        "age": [
            floor + mild * 0.5 ** ((moment - c.updated) / half_life_s)
            if c.updated < moment
            else 1.0
            for c in candidates
        ],
        "stale": [settings.stale_factor if c.status == "stale" else 1.0 for c in candidates],
    }
    tomorrow = _tomorrow(now)
    if any(c.created >= tomorrow for c in candidates):
        later = settings.future_factor
        found["future"] = [later if c.created >= tomorrow else 1.0 for c in candidates]
    if question.role is not None:
        other = settings.other_role_factor
        roles = {
            speaker: 1.0 if role_of(speaker) in (None, question.role) else other
            for speaker in {candidate.speaker for candidate in candidates}
        }
        found["role"] = [roles[c.speaker] for c in candidates]
    if topic is not None:
        boost = settings.topic_boost
        found["topic"] = [boost if c.topic == topic else 1.0 for c in candidates]
    return found


def _tomorrow(now: datetime) -> float:
    """When the day of the question ends."""
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight.timestamp() + DAY_S
