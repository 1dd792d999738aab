"""When the next backup is due, and which backups are kept."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime

    from .parameters import BackupPlan


EARLY_S = 120.0
"""A backup starts this much early, so that it is finished when it is due."""


def backup_is_due(last: datetime | None, now: datetime, *, hours: float) -> bool:
    """Whether it is time for the next backup."""
    if hours <= 0:
        return False
    return last is None or (now - last).total_seconds() >= max(hours * 3600 - EARLY_S, 60)


def kept_backups(moments: Iterable[datetime], plan: BackupPlan) -> set[datetime]:
    """The moments to keep: the newest, and the last one of each hour, day and week.

    Hours in which nothing was backed up do not count, so that a machine that was off for a month
    still has its last day.
    """
    newest_first = sorted(moments, reverse=True)
    chosen = set(newest_first[:1])
    spans: tuple[tuple[int, Callable[[datetime], object]], ...] = (
        (plan.hourly, lambda at: (at.date(), at.hour)),
        (plan.daily, lambda at: at.date()),
        (plan.weekly, lambda at: at.isocalendar()[:2]),
    )
    for most, span in spans:
        last_of: dict[object, datetime] = {}
        for at in newest_first:
            last_of.setdefault(span(at), at)
        chosen.update(list(last_of.values())[: max(most, 0)])
    return chosen
