"""How much of its share a caller may still use: a bucket that fills by itself."""

from __future__ import annotations

from ..ports.frontdesk import Taken


def take(left: float, idle_s: float, wanted: int, *, per_second: float, most: float) -> Taken:
    """Take up to so many whole pieces from what was left and has grown back since."""
    level = min(most, left + max(0.0, idle_s) * per_second)
    amount = min(wanted, int(level))
    return Taken(amount, level - amount)
