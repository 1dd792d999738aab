"""When a memory has had its time: lifetimes by category, and what follows from age and use."""

from __future__ import annotations

from datetime import timedelta

from ...model import LIVE
from . import FOREVER, heat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from ...model import Memory, Use
    from . import Ageing

_CATEGORIES = {
    "preference": "preference",
    "fact": "fact",
    "domain-reference": "fact",
    "skill-pointer": "fact",
    "task-summary": "history",
    "session-summary": "history",
    "crystallized": "history",
    "note": "history",
    "work": "history",
    "memory-file": "history",
    "store-item": "history",
}


def category(memory: Memory) -> str:
    """The lifetime that a memory has: by its kind, and whether one task taught it."""
    known = _CATEGORIES.get(memory.kind)
    if known is not None:
        return known
    of_task = memory.scope.value("task") is not None or bool(memory.source_tasks)
    return "task" if of_task else "knowledge"


def automatic_off(memory: Memory) -> bool:
    """Whether nothing automatic may happen to it.

    The profile and what is said about who somebody is change by a person's hand only, turns of a
    conversation are kept as they were said, and proposals are not memories.
    """
    return (
        memory.owner == "personal"
        or memory.kind in ("profile", "override", "proposal")
        or memory.tier == "identity"
        or memory.episode is not None
    )


def expires_at(memory: Memory, ageing: Ageing) -> datetime | None:
    """When it ends for good: its own word, or its category's."""
    if memory.expires is not None or memory.owner != "agent":
        return memory.expires
    return _after(memory, ageing.hard_days.get(category(memory), FOREVER))


def review_at(memory: Memory, ageing: Ageing) -> datetime | None:
    """When it should be looked at again: its own word, or its category's."""
    if memory.review_after is not None:
        return memory.review_after
    return _after(memory, ageing.soft_days.get(category(memory), FOREVER))


def expired(memory: Memory, ageing: Ageing, now: datetime) -> bool:
    """Whether its time is over."""
    moment = expires_at(memory, ageing)
    return memory.status in LIVE and moment is not None and moment <= now


def overdue(memory: Memory, use: Use, ageing: Ageing, now: datetime) -> bool:
    """Whether it is past its review and nobody has read it lately."""
    moment = review_at(memory, ageing)
    return (
        moment is not None
        and moment <= now
        and unread_days(memory, use, now) >= (ageing.unread_days)
    )


def unsure(memory: Memory, ageing: Ageing, now: datetime) -> bool:
    """Whether it was a guess, and nobody has confirmed it for long."""
    return (
        memory.confidence < ageing.unsure_below
        and memory.trust != "user"
        and heat.days(memory.updated, now) >= ageing.unsure_days
    )


def long_superseded(memory: Memory, ageing: Ageing, now: datetime) -> bool:
    """Whether an old version has been one for so long that it is only history."""
    return (
        memory.status == "superseded" and heat.days(memory.updated, now) >= ageing.superseded_days
    )


def permanent(memory: Memory) -> bool:
    """Whether its age says nothing against it: facts are reviewed, never aged out."""
    return category(memory) in ("fact", "history")


def unread_days(memory: Memory, use: Use, now: datetime) -> float:
    """How long ago it was last recalled or said."""
    return heat.days(max(memory.updated, use.last or memory.updated), now)


def _after(memory: Memory, days: float) -> datetime | None:
    return memory.updated + timedelta(days=days) if days > 0 else None
