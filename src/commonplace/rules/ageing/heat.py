"""How warm a memory is: used often and lately is hot, and each use makes it cool down slower."""

from __future__ import annotations

import math

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from ...model import Memory, Use

DAY_S = 86_400.0
HALF_LIFE_DAYS = 30.0


def days(since: datetime, now: datetime) -> float:
    """How many days have passed; none when the clock says that it is still to come."""
    return max(0.0, (now - since).total_seconds() / DAY_S)


def heat(use: Use, now: datetime) -> float:
    """How often it was recalled, fading by half every month since the last time."""
    if use.last is None:
        return 0.0
    return use.count * 0.5 ** (days(use.last, now) / HALF_LIFE_DAYS)


def access_decay(memory: Memory, use: Use, now: datetime) -> float:
    """0 for what was just used or said, towards 1 for what nobody asks for.

    Access reinforces: what was used often is forgotten more slowly.
    """
    half_life = HALF_LIFE_DAYS * (1.0 + math.log2(1.0 + use.count)) / 2.0
    last = max(memory.updated, use.last or memory.updated)
    return 1.0 - 0.5 ** (days(last, now) / half_life)


def within_budget(
    wanted: Iterable[tuple[float, int, Memory]], loaded: int, budget: int | None
) -> Sequence[Memory]:
    """The hottest of (heat, tokens, memory) that still fit beside what is loaded already."""
    chosen: list[Memory] = []
    for _, tokens, memory in sorted(wanted, key=lambda one: (-one[0], one[2].id)):
        if budget is None or loaded + tokens <= budget:
            chosen.append(memory)
            loaded += tokens
    return chosen
