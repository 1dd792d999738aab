"""How heat, age and use decide when a memory is loaded, reviewed, archived or stale."""

from __future__ import annotations

import math
from datetime import timedelta

from ..model.memory import LIVE, WORK_STATE
from .parameters import FOREVER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from ..model.memory import Memory, Use
    from .parameters import Lifetimes


DAY_S = 86_400.0
HALF_LIFE_DAYS = 30.0


def days_since(since: datetime, now: datetime) -> float:
    """Days that have passed; 0 for a moment in the future."""
    return max(0.0, (now - since).total_seconds() / DAY_S)


def heat(use: Use, now: datetime) -> float:
    """The number of recalls, halved every month since the last one."""
    if use.last is None:
        return 0.0
    return use.count * 0.5 ** (days_since(use.last, now) / HALF_LIFE_DAYS)


def access_decay(memory: Memory, use: Use, now: datetime) -> float:
    """0 for a memory that was just used or saved, towards 1 for an unused one.

    A memory that was used often decays more slowly.
    """
    half_life = HALF_LIFE_DAYS * (1.0 + math.log2(1.0 + use.count)) / 2.0
    last = max(memory.updated, use.last or memory.updated)
    return 1.0 - 0.5 ** (days_since(last, now) / half_life)


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
    **dict.fromkeys(WORK_STATE, "history"),
    "memory-file": "history",
    "store-item": "history",
}


def lifetime_category(memory: Memory) -> str:
    """The lifetime category of a memory, from its kind and whether it belongs to a task."""
    known = _CATEGORIES.get(memory.kind)
    if known is not None:
        return known
    of_task = memory.scope.value("task") is not None or bool(memory.source_tasks)
    return "task" if of_task else "knowledge"


def is_protected(memory: Memory) -> bool:
    """Whether maintenance leaves a memory alone.

    Profiles and identity memories change by a person's hand only, turns of a conversation are kept
    verbatim, and proposals are not memories.
    """
    return (
        memory.owner == "personal"
        or memory.kind in ("profile", "override", "proposal")
        or memory.tier == "identity"
        or memory.episode is not None
    )


def expires_at(memory: Memory, ageing: Lifetimes) -> datetime | None:
    """When a memory expires: its own date, or that of its category."""
    if memory.expires is not None or memory.owner != "agent":
        return memory.expires
    return _after(memory, ageing.hard_days.get(lifetime_category(memory), FOREVER))


def review_at(memory: Memory, ageing: Lifetimes) -> datetime | None:
    """When a memory is due for review: its own date, or that of its category."""
    if memory.review_after is not None:
        return memory.review_after
    return _after(memory, ageing.soft_days.get(lifetime_category(memory), FOREVER))


def is_expired(memory: Memory, ageing: Lifetimes, now: datetime) -> bool:
    """Whether a live memory has passed its end."""
    moment = expires_at(memory, ageing)
    return memory.status in LIVE and moment is not None and moment <= now


def is_overdue(memory: Memory, use: Use, ageing: Lifetimes, now: datetime) -> bool:
    """Whether a memory is past its review and was not recalled lately."""
    moment = review_at(memory, ageing)
    return (
        moment is not None
        and moment <= now
        and unread_days(memory, use, now) >= (ageing.unread_days)
    )


def is_unconfirmed_guess(memory: Memory, ageing: Lifetimes, now: datetime) -> bool:
    """Whether a memory is a weak guess that nobody confirmed for long."""
    return (
        memory.confidence < ageing.unsure_below
        and memory.trust != "user"
        and days_since(memory.updated, now) >= ageing.unsure_days
    )


def is_old_version(memory: Memory, ageing: Lifetimes, now: datetime) -> bool:
    """Whether an old version has been one for so long that it is only history."""
    return (
        memory.status == "superseded" and days_since(memory.updated, now) >= ageing.superseded_days
    )


def is_permanent(memory: Memory) -> bool:
    """Whether age does not count: facts are reviewed and never aged out."""
    return lifetime_category(memory) in ("fact", "history")


def unread_days(memory: Memory, use: Use, now: datetime) -> float:
    """Days since a memory was last recalled or saved."""
    return days_since(max(memory.updated, use.last or memory.updated), now)


def _after(memory: Memory, days: float) -> datetime | None:
    return memory.updated + timedelta(days=days) if days > 0 else None


AGE, ACCESS, CONTRADICTION = 0.4, 0.3, 0.3


def staleness(
    memory: Memory, use: Use, settings: Lifetimes, now: datetime, *, contradicted: bool
) -> float:
    """From 0 (fresh) to 1 (old, unused, contradicted); permanent memories do not age."""
    age = 0.0
    if not is_permanent(memory):
        age = min(1.0, days_since(memory.updated, now) / max(settings.oldest_days, 1.0))
    access = access_decay(memory, use, now)
    return AGE * age + ACCESS * access + CONTRADICTION * (1.0 if contradicted else 0.0)
