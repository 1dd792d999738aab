"""Counters for Prometheus of writes, repeats, refusals, contradictions and questions.

They are read from the audit log and the log of questions, which also record what hooks, commands
and other servers do. Each scrape reads only new entries. Counting starts with the server, as
Prometheus expects of a counter.
"""

from __future__ import annotations

import json
import os
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any, TypeVar

from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector

from ...model.codec import iso, moment
from ...model.errors import CommonplaceError
from ...model.memory import Event, Retrieval
from ...rules import audit
from ...rules.audit import (
    CONTRADICTED,
    REFUSED,
    is_imported,
    is_repeat,
    is_write,
    refusal_reason_of,
    refused_count,
)
from ...rules.ranking.retrieval_details import (
    SURENESS,
    duration_s,
    retrieval_sureness,
    was_for_prompt,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Sequence

    from prometheus_client import Metric

    from ...book import Commonplace


LogEntry = TypeVar("LogEntry", Event, Retrieval)
SHARED_FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
"""Environment variable with the folder in which the workers of a server share their counts."""
COUNTS_FILE = "event_counts.json"


@contextmanager
def shared_counts() -> Generator[None]:
    """Let all processes that are started in the block share their counts."""
    with TemporaryDirectory(prefix="commonplace-counts-") as folder:
        os.environ[SHARED_FOLDER_VARIABLE] = folder
        try:
            yield
        finally:
            del os.environ[SHARED_FOLDER_VARIABLE]


class LogPosition:
    """How far a log has been read."""

    def __init__(self, began: datetime) -> None:
        self._began = self.since = began
        self._known: dict[str, datetime] = {}

    def unseen(self, found: Iterable[LogEntry], *, overlap: timedelta) -> list[LogEntry]:
        """Return unseen entries and mark them as seen."""
        fresh = [one for one in found if one.id not in self._known]
        self._known |= {one.id: one.at for one in fresh}
        newest = max(self._known.values(), default=self._began)
        self.since = max(self._began, newest - overlap)
        self._known = {id: at for id, at in self._known.items() if at >= self.since}
        return fresh

    def to_json(self) -> dict[str, Any]:
        """The state as JSON data."""
        known = {id: iso(at) for id, at in self._known.items()}
        return {"began": iso(self._began), "since": iso(self.since), "known": known}

    def load(self, fields: dict[str, Any]) -> None:
        """Continue where another process has read to."""
        self._began, self.since = moment(fields["began"]), moment(fields["since"])
        self._known = {id: moment(at) for id, at in fields["known"].items()}


class EventCounts:
    """Counts by counter name and label values."""

    def __init__(self, began: datetime, zeroes: Sequence[Sequence[str]]) -> None:
        self.events, self.questions = LogPosition(began), LogPosition(began)
        self._counts: dict[tuple[str, ...], float] = {tuple(one): 0.0 for one in zeroes}

    def add(self, *names: str, by: float = 1.0) -> None:
        """Add to a count."""
        self._counts[names] = self._counts.get(names, 0.0) + by

    def get(self, *names: str) -> float:
        """One count."""
        return self._counts.get(names, 0.0)

    def items(self) -> Iterator[tuple[tuple[str, ...], float]]:
        """Every count."""
        yield from self._counts.items()

    def to_json(self) -> dict[str, Any]:
        """The state as JSON data."""
        return {
            "events": self.events.to_json(),
            "questions": self.questions.to_json(),
            "counts": [[*names, count] for names, count in self._counts.items()],
        }

    def load(self, fields: dict[str, Any]) -> None:
        """Continue from the counts of another process."""
        self.events.load(fields["events"])
        self.questions.load(fields["questions"])
        self._counts = {tuple(names): count for *names, count in fields["counts"]}


class CountsFile:
    """The counts of one server: in memory, or in a file that its workers share."""

    def __init__(
        self, folder: str | None, *, began: datetime, zeroes: Sequence[Sequence[str]]
    ) -> None:
        self._path = os.path.join(folder, COUNTS_FILE) if folder else None
        self._counts = EventCounts(began, zeroes)

    @contextmanager
    def open(self) -> Generator[EventCounts]:
        """The current counts; additions in the block are saved."""
        if self._path is None:
            yield self._counts
            return
        import fcntl

        with open(self._path, "a+", encoding="utf-8", errors="replace") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            if text := file.read():
                # A damaged file is written anew: counters of a server may start again at any time.
                with suppress(ValueError, KeyError, TypeError):
                    self._counts.load(json.loads(text))
            yield self._counts
            file.truncate(0)
            json.dump(self._counts.to_json(), file)


MAX_EVENTS, FIRST_QUESTIONS, MAX_QUESTIONS = 100_000, 250, 10_000
OVERLAP = timedelta(seconds=30)
"""Time span that is read again: other clocks may be behind, or a write was visible late."""
REASONS = ("credential", "personal", "policy", "purged", "repeated", "limit", "imported")
WAYS = ("recall", "handed")
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.5)
FAMILIES = {
    "changes": ("Audit events by action.", ("action",)),
    "writes": ("Saves by outcome.", ("outcome",)),
    "refused_writes": ("Refused writes by reason.", ("reason",)),
    "contradictions": ("Memories that a new one contradicts.", ()),
    "questions": ("Questions by certainty of the answer.", ("way", "sure")),
}
"""Help text and labels of each counter."""
ZEROES = [
    ("contradictions",),
    *(("writes", outcome) for outcome in ("new", "repeated", "imported")),
    *(("refused_writes", reason) for reason in REASONS),
    *(("questions", way, sure) for way in WAYS for sure in SURENESS),
]
"""Series that start at 0, because a rate needs a first value to compare with."""


class EventMetrics(Collector):
    """The counters of one book since the start of this server."""

    def __init__(self, book: Commonplace, *, folder: str | None = None) -> None:
        self._book = book
        self._lock = Lock()
        self._file = CountsFile(folder, began=datetime.now(UTC), zeroes=ZEROES)

    def collect(self) -> Iterator[Metric]:
        """Count new log entries and return all counters."""
        with self._lock, self._file.open() as counted:
            self._catch_up(counted)
            yield from _metric_families(counted)

    def _catch_up(self, counted: EventCounts) -> None:
        try:
            events = self._book.audit(since=counted.events.since, limit=MAX_EVENTS)
            questions = self._new_questions(counted.questions.since)
        except CommonplaceError:
            return  # Nothing is lost: the next scrape that can read the logs counts it.
        for event in counted.events.unseen(events, overlap=OVERLAP):
            _count_event(counted, event)
        for one in counted.questions.unseen(questions, overlap=OVERLAP):
            _count_question(counted, one)

    def _new_questions(self, since: datetime) -> list[Retrieval]:
        limit = FIRST_QUESTIONS
        while True:
            log = self._book.retrievals(limit=limit)
            whole = len(log) < limit or log[-1].at < since
            if whole or limit >= MAX_QUESTIONS:
                return [one for one in log if one.at >= since]
            limit *= 4


def _count_event(counted: EventCounts, event: Event) -> None:
    counted.add("changes", event.action if event.action in audit.ALL_ACTIONS else "other")
    if is_imported(event):
        _count_imported(counted, event)
    elif is_repeat(event):
        counted.add("writes", "repeated")
    elif is_write(event):
        counted.add("writes", "new")
    elif event.action == REFUSED:
        reason = refusal_reason_of(event)
        counted.add(
            "refused_writes", reason if reason in REASONS else "other", by=refused_count(event)
        )
    elif event.action == CONTRADICTED:
        counted.add("contradictions", by=max(1, len(event.related)))


def _count_imported(counted: EventCounts, event: Event) -> None:
    """Count apart what an import brings: at once what others write in months, so no alarm."""
    if is_write(event):
        counted.add("writes", "imported")
    elif event.action == REFUSED:
        counted.add("refused_writes", "imported", by=refused_count(event))


def _count_question(counted: EventCounts, one: Retrieval) -> None:
    way = "handed" if was_for_prompt(one) else "recall"
    counted.add("questions", way, retrieval_sureness(one))
    if (seconds := duration_s(one)) is not None:
        place = next((n for n, most in enumerate(SECONDS) if seconds <= most), len(SECONDS))
        counted.add("bucket", way, str(place))
        counted.add("seconds", way, by=seconds)


def _metric_families(counted: EventCounts) -> Iterator[Metric]:
    for name, (words, labels) in FAMILIES.items():
        family = CounterMetricFamily(f"commonplace_{name}", words, labels=labels)
        for (counter, *values), count in counted.items():
            if counter == name:
                family.add_metric(values, count)
        yield family
    seconds = HistogramMetricFamily(
        "commonplace_recall_seconds", "Duration of recalls.", labels=("way",)
    )
    for way in WAYS:
        buckets: list[tuple[str, float]] = []
        so_far = 0.0
        for place, most in enumerate((*map(str, SECONDS), "+Inf")):
            so_far += counted.get("bucket", way, str(place))
            buckets.append((most, so_far))
        seconds.add_metric((way,), buckets, counted.get("seconds", way))
    yield seconds
