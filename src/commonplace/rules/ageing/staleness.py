"""How stale a memory is: old, unused, contradicted."""

from __future__ import annotations

from . import heat
from . import retiring as ageing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from ...model import Memory, Use
    from . import Ageing

AGE, ACCESS, CONTRADICTION = 0.4, 0.3, 0.3


def staleness(
    memory: Memory, use: Use, settings: Ageing, now: datetime, *, contradicted: bool
) -> float:
    """From 0, fresh, to 1; age counts for nothing in what is kept for good."""
    age = 0.0
    if not ageing.permanent(memory):
        age = min(1.0, heat.days(memory.updated, now) / max(settings.oldest_days, 1.0))
    access = heat.access_decay(memory, use, now)
    return AGE * age + ACCESS * access + CONTRADICTION * (1.0 if contradicted else 0.0)
