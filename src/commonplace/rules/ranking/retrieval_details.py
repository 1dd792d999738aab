"""The details of a logged recall: sureness, duration, and what was handed over."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...model.memory import Retrieval


STRONG, WEAK, NONE = SURENESS = ("strong", "weak", "none")


def retrieval_details(one: Retrieval) -> dict[str, Any]:
    """The details that were logged with a recall."""
    try:
        return json.loads(one.details)
    except ValueError:
        return {}


def retrieval_sureness(one: Retrieval) -> str:
    """How sure the book was of its answer: strong, weak or none."""
    sure = retrieval_details(one).get("sure")
    if not one.results or sure not in SURENESS:
        return WEAK if one.results else NONE
    return sure


def was_answered(one: Retrieval) -> bool:
    """Whether the recall found an answer."""
    return retrieval_sureness(one) != NONE


def was_for_prompt(one: Retrieval) -> bool:
    """Whether a recall was made for an agent's prompt."""
    return "handed" in retrieval_details(one)


def handed_ids(one: Retrieval) -> frozenset[str]:
    """The ids of the memories that the agent's prompt got."""
    return frozenset(retrieval_details(one).get("handed", ()))


def duration_s(one: Retrieval) -> float | None:
    """The duration of the recall, if it was logged."""
    milliseconds = retrieval_details(one).get("ms")
    return milliseconds / 1_000 if isinstance(milliseconds, int | float) else None
