"""How warm a memory is: used often and lately is hot, and each use makes it cool down slower."""

from __future__ import annotations

import math
from datetime import timedelta

from ..model.memory import LIVE
from .parameters import FOREVER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from ..model.memory import Memory, Use
    from .parameters import Lifetimes


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


# When a memory has had its time: lifetimes by category, and what follows from age and use.


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


def expires_at(memory: Memory, ageing: Lifetimes) -> datetime | None:
    """When it ends for good: its own word, or its category's."""
    if memory.expires is not None or memory.owner != "agent":
        return memory.expires
    return _after(memory, ageing.hard_days.get(category(memory), FOREVER))


def review_at(memory: Memory, ageing: Lifetimes) -> datetime | None:
    """When it should be looked at again: its own word, or its category's."""
    if memory.review_after is not None:
        return memory.review_after
    return _after(memory, ageing.soft_days.get(category(memory), FOREVER))


def expired(memory: Memory, ageing: Lifetimes, now: datetime) -> bool:
    """Whether its time is over."""
    moment = expires_at(memory, ageing)
    return memory.status in LIVE and moment is not None and moment <= now


def overdue(memory: Memory, use: Use, ageing: Lifetimes, now: datetime) -> bool:
    """Whether it is past its review and nobody has read it lately."""
    moment = review_at(memory, ageing)
    return (
        moment is not None
        and moment <= now
        and unread_days(memory, use, now) >= (ageing.unread_days)
    )


def unsure(memory: Memory, ageing: Lifetimes, now: datetime) -> bool:
    """Whether it was a guess, and nobody has confirmed it for long."""
    return (
        memory.confidence < ageing.unsure_below
        and memory.trust != "user"
        and days(memory.updated, now) >= ageing.unsure_days
    )


def long_superseded(memory: Memory, ageing: Lifetimes, now: datetime) -> bool:
    """Whether an old version has been one for so long that it is only history."""
    return memory.status == "superseded" and days(memory.updated, now) >= ageing.superseded_days


def permanent(memory: Memory) -> bool:
    """Whether its age says nothing against it: facts are reviewed, never aged out."""
    return category(memory) in ("fact", "history")


def unread_days(memory: Memory, use: Use, now: datetime) -> float:
    """How long ago it was last recalled or said."""
    return days(max(memory.updated, use.last or memory.updated), now)


def _after(memory: Memory, days: float) -> datetime | None:
    return memory.updated + timedelta(days=days) if days > 0 else None


# How stale a memory is: old, unused, contradicted.


AGE, ACCESS, CONTRADICTION = 0.4, 0.3, 0.3


def staleness(
    memory: Memory, use: Use, settings: Lifetimes, now: datetime, *, contradicted: bool
) -> float:
    """From 0, fresh, to 1; age counts for nothing in what is kept for good."""
    age = 0.0
    if not permanent(memory):
        age = min(1.0, days(memory.updated, now) / max(settings.oldest_days, 1.0))
    access = access_decay(memory, use, now)
    return AGE * age + ACCESS * access + CONTRADICTION * (1.0 if contradicted else 0.0)
