"""What happens to the book, counted: writes, repeats, refusals, contradictions, questions.

Nothing is counted where it happens. The book has an audit log and a log of questions already, and
they know what hooks, commands and other servers do as well. Each time somebody looks, only what is
new in them is read. Counting begins when the server does, as Prometheus expects of a counter.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import TYPE_CHECKING

from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector

from ...errors import CommonplaceError
from ...rules import actions, asked
from ...rules.actions import CONTRADICTED, REFUSED, is_repeat, is_write, reason_of, texts_of
from .counted import Counted, Kept

if TYPE_CHECKING:
    from collections.abc import Iterator

    from prometheus_client import Metric

    from ...book import Commonplace
    from ...model import Event, Retrieval

MOST_EVENTS, FIRST_QUESTIONS, MOST_QUESTIONS = 100_000, 250, 10_000
OVERLAP = timedelta(seconds=30)
"""How much of what was read is read again: other processes' clocks may be behind, or their last
write may have taken a moment to be seen."""
REASONS = ("credential", "personal", "policy", "purged", "repeated", "limit")
WAYS = ("recall", "handed")
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.5)
FAMILIES = {
    "changes": ("Audit events, by what happened.", ("action",)),
    "writes": ("Texts given to be remembered.", ("outcome",)),
    "refused_writes": ("Writes that a gate refused.", ("reason",)),
    "contradictions": ("Memories found to contradict a new one.", ()),
    "questions": ("Questions, by how sure the answer was.", ("way", "sure")),
}
"""The counters: what each is about, and its labels."""
ZEROES = [
    ("contradictions",),
    *(("writes", outcome) for outcome in ("new", "repeated")),
    *(("refused_writes", reason) for reason in REASONS),
    *(("questions", way, sure) for way in WAYS for sure in asked.SURENESS),
]
"""A rate needs a zero to begin at: a series that is born with its first event has none."""


class Happenings(Collector):
    """The counters of one book, since this server began."""

    def __init__(self, book: Commonplace, *, folder: str | None = None) -> None:
        self._book = book
        self._turn = Lock()
        self._kept = Kept(folder, began=datetime.now(UTC), zeroes=ZEROES)

    def collect(self) -> Iterator[Metric]:
        """Count what happened since the last time, and tell all of it."""
        with self._turn, self._kept.open() as counted:
            self._catch_up(counted)
            yield from _told(counted)

    def _catch_up(self, counted: Counted) -> None:
        try:
            events = self._book.audit(since=counted.events.since, limit=MOST_EVENTS)
            questions = self._new_questions(counted.questions.since)
        except CommonplaceError:
            return  # Nothing is lost: what happened meanwhile is counted once it can be read.
        for event in counted.events.new(events, overlap=OVERLAP):
            _count(counted, event)
        for one in counted.questions.new(questions, overlap=OVERLAP):
            _count_question(counted, one)

    def _new_questions(self, since: datetime) -> list[Retrieval]:
        limit = FIRST_QUESTIONS
        while True:
            log = self._book.retrievals(limit=limit)
            whole = len(log) < limit or log[-1].at < since
            if whole or limit >= MOST_QUESTIONS:
                return [one for one in log if one.at >= since]
            limit *= 4


def _count(counted: Counted, event: Event) -> None:
    counted.add("changes", event.action if event.action in actions.ALL else "other")
    if is_repeat(event):
        counted.add("writes", "repeated")
    elif is_write(event):
        counted.add("writes", "new")
    elif event.action == REFUSED:
        reason = reason_of(event)
        counted.add("refused_writes", reason if reason in REASONS else "other", by=texts_of(event))
    elif event.action == CONTRADICTED:
        counted.add("contradictions", by=max(1, len(event.related)))


def _count_question(counted: Counted, one: Retrieval) -> None:
    way = "handed" if asked.was_handed(one) else "recall"
    counted.add("questions", way, asked.sureness(one))
    if (seconds := asked.took_s(one)) is not None:
        place = next((n for n, most in enumerate(SECONDS) if seconds <= most), len(SECONDS))
        counted.add("bucket", way, str(place))
        counted.add("seconds", way, by=seconds)


def _told(counted: Counted) -> Iterator[Metric]:
    for name, (words, labels) in FAMILIES.items():
        family = CounterMetricFamily(f"commonplace_{name}", words, labels=labels)
        for (counter, *values), count in counted.items():
            if counter == name:
                family.add_metric(values, count)
        yield family
    seconds = HistogramMetricFamily(
        "commonplace_recall_seconds", "How long finding took.", labels=("way",)
    )
    for way in WAYS:
        buckets: list[tuple[str, float]] = []
        so_far = 0.0
        for place, most in enumerate((*map(str, SECONDS), "+Inf")):
            so_far += counted.get("bucket", way, str(place))
            buckets.append((most, so_far))
        seconds.add_metric((way,), buckets, counted.get("seconds", way))
    yield seconds
