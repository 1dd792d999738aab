"""What the log tells of a question: how sure the answer was, how long it took, who was handed it.

The details of a logged question are JSON, so that older ones, which say less, still read.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..model import Retrieval

STRONG, WEAK, NONE = SURENESS = ("strong", "weak", "none")


def details(one: Retrieval) -> dict[str, Any]:
    """What was noted beside the question."""
    try:
        return json.loads(one.details)
    except ValueError:
        return {}


def sureness(one: Retrieval) -> str:
    """How sure the book was of its answer: strong, weak or none."""
    sure = details(one).get("sure")
    if not one.results or sure not in SURENESS:
        return WEAK if one.results else NONE
    return sure


def answered(one: Retrieval) -> bool:
    """Whether the book knew something about it."""
    return sureness(one) != NONE


def was_handed(one: Retrieval) -> bool:
    """Whether it was looked up for an agent's prompt, rather than asked for."""
    return "handed" in details(one)


def handed(one: Retrieval) -> frozenset[str]:
    """The memories that the agent was given, of those that were found for its prompt."""
    return frozenset(details(one).get("handed", ()))


def took_s(one: Retrieval) -> float | None:
    """How long finding took."""
    milliseconds = details(one).get("ms")
    return milliseconds / 1_000 if isinstance(milliseconds, int | float) else None
