"""Which hits fit a question well enough to be handed over or shown."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.memory import Hit

GUIDANCE = ("preference", "workflow", "procedural", "decision")
GUIDANCE_FIT = 0.72
"""Guidance applies to work that it does not name, so that this share of the fit is enough."""


def fits(hit: Hit, least: float) -> bool:
    """Whether a hit fits its question by itself."""
    return hit.fit >= least_fit(hit, least)


def least_fit(hit: Hit, least: float) -> float:
    """The fit from which on a hit of its kind is worth handing over."""
    return least * (GUIDANCE_FIT if hit.memory.kind in GUIDANCE else 1.0)
