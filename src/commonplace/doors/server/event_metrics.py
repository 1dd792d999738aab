"""What happens to the book, counted: writes, repeats, refusals, contradictions, questions.

Nothing is counted where it happens. The book has an audit log and a log of questions already, and
they know what hooks, commands and other servers do as well. Each time somebody looks, only what is
new in them is read. Counting begins when the server does, as Prometheus expects of a counter.
"""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
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
from ...rules.audit import CONTRADICTED, REFUSED, is_repeat, is_write, reason_of, texts_of
from ...rules.ranking import reasons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Sequence

    from prometheus_client import Metric

    from ...book import Commonplace


Noted = TypeVar("Noted", Event, Retrieval)
SHARED = "PROMETHEUS_MULTIPROC_DIR"
"""Where the processes of one server keep their counts together, if there are several."""
FILE = "happenings.json"


@contextmanager
def counting_together() -> Generator[None]:
    """Let all processes that are started in the block count as one server."""
    with TemporaryDirectory(prefix="commonplace-counts-") as folder:
        os.environ[SHARED] = folder
        try:
            yield
        finally:
            del os.environ[SHARED]


class Position:
    """How far a log has been read."""

    def __init__(self, began: datetime) -> None:
        self._began = self.since = began
        self._known: dict[str, datetime] = {}

    def new(self, found: Iterable[Noted], *, overlap: timedelta) -> list[Noted]:
        """What was not there the last time; from now on it was."""
        fresh = [one for one in found if one.id not in self._known]
        self._known |= {one.id: one.at for one in fresh}
        newest = max(self._known.values(), default=self._began)
        self.since = max(self._began, newest - overlap)
        self._known = {id: at for id, at in self._known.items() if at >= self.since}
        return fresh

    def plain(self) -> dict[str, Any]:
        """As JSON has it."""
        known = {id: iso(at) for id, at in self._known.items()}
        return {"began": iso(self._began), "since": iso(self.since), "known": known}

    def take(self, plain: dict[str, Any]) -> None:
        """Go on from where another process has read to."""
        self._began, self.since = moment(plain["began"]), moment(plain["since"])
        self._known = {id: moment(at) for id, at in plain["known"].items()}


class SharedCounts:
    """Counts by the name of the counter and the values of its labels."""

    def __init__(self, began: datetime, zeroes: Sequence[Sequence[str]]) -> None:
        self.events, self.questions = Position(began), Position(began)
        self._counts: dict[tuple[str, ...], float] = {tuple(one): 0.0 for one in zeroes}

    def add(self, *names: str, by: float = 1.0) -> None:
        """Count one more, or several."""
        self._counts[names] = self._counts.get(names, 0.0) + by

    def get(self, *names: str) -> float:
        """One count."""
        return self._counts.get(names, 0.0)

    def items(self) -> Iterator[tuple[tuple[str, ...], float]]:
        """Every count."""
        yield from self._counts.items()

    def plain(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "events": self.events.plain(),
            "questions": self.questions.plain(),
            "counts": [[*names, count] for names, count in self._counts.items()],
        }

    def take(self, plain: dict[str, Any]) -> None:
        """Go on from what another process has counted."""
        self.events.take(plain["events"])
        self.questions.take(plain["questions"])
        self._counts = {tuple(names): count for *names, count in plain["counts"]}


class CountsFile:
    """The counts of one server: in memory, or in the folder that its processes share."""

    def __init__(
        self, folder: str | None, *, began: datetime, zeroes: Sequence[Sequence[str]]
    ) -> None:
        self._path = os.path.join(folder, FILE) if folder else None
        self._counted = SharedCounts(began, zeroes)

    @contextmanager
    def open(self) -> Generator[SharedCounts]:
        """The counts as they are now; what is added to them stays."""
        if self._path is None:
            yield self._counted
            return
        import fcntl

        with open(self._path, "a+", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            if text := file.read():
                self._counted.take(json.loads(text))
            yield self._counted
            file.truncate(0)
            json.dump(self._counted.plain(), file)


# What happens to the book, counted: writes, repeats, refusals, contradictions, questions.


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
    *(("questions", way, sure) for way in WAYS for sure in reasons.SURENESS),
]
"""A rate needs a zero to begin at: a series that is born with its first event has none."""


class EventMetrics(Collector):
    """The counters of one book, since this server began."""

    def __init__(self, book: Commonplace, *, folder: str | None = None) -> None:
        self._book = book
        self._turn = Lock()
        self._kept = CountsFile(folder, began=datetime.now(UTC), zeroes=ZEROES)

    def collect(self) -> Iterator[Metric]:
        """Count what happened since the last time, and tell all of it."""
        with self._turn, self._kept.open() as counted:
            self._catch_up(counted)
            yield from _told(counted)

    def _catch_up(self, counted: SharedCounts) -> None:
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


def _count(counted: SharedCounts, event: Event) -> None:
    counted.add("changes", event.action if event.action in audit.ALL else "other")
    if is_repeat(event):
        counted.add("writes", "repeated")
    elif is_write(event):
        counted.add("writes", "new")
    elif event.action == REFUSED:
        reason = reason_of(event)
        counted.add("refused_writes", reason if reason in REASONS else "other", by=texts_of(event))
    elif event.action == CONTRADICTED:
        counted.add("contradictions", by=max(1, len(event.related)))


def _count_question(counted: SharedCounts, one: Retrieval) -> None:
    way = "handed" if reasons.was_handed(one) else "recall"
    counted.add("questions", way, reasons.sureness(one))
    if (seconds := reasons.took_s(one)) is not None:
        place = next((n for n, most in enumerate(SECONDS) if seconds <= most), len(SECONDS))
        counted.add("bucket", way, str(place))
        counted.add("seconds", way, by=seconds)


def _told(counted: SharedCounts) -> Iterator[Metric]:
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
