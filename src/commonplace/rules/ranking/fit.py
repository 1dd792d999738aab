"""Which hits fit a question well enough to be handed over or shown."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.memory import Hit, Recalled

GUIDANCE = ("preference", "workflow", "procedural", "decision")
GUIDANCE_FIT = 0.72
"""Guidance applies to work that it does not name, so that this share of the fit is enough."""
CORRECTION = "correction"
"""The tag of what a user said against an agent: guidance for the work that it was said about."""

LEAST_SHOWN = {"strong": 1, "weak": 3, "none": 3}
"""The first hits that a reader sees, however they fit."""


def worth_showing(found: Recalled, least: float) -> list[Hit]:
    """The hits that a reader should see: the first ones, and all that fit the question."""
    shown = LEAST_SHOWN[found.sure]
    return [hit for place, hit in enumerate(found) if place < shown or fits(hit, least)]


def fits(hit: Hit, least: float) -> bool:
    """Whether a hit fits its question by itself."""
    return hit.fit >= least_fit(hit, least)


def least_fit(hit: Hit, least: float) -> float:
    """The fit from which on a hit of its kind is worth handing over."""
    memory = hit.memory
    is_guidance = memory.kind in GUIDANCE or CORRECTION in memory.tags
    return least * (GUIDANCE_FIT if is_guidance else 1.0)
