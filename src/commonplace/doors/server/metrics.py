"""Metrics for Prometheus: requests of this server, gauges and event counts of the book.

Each server counts its own requests, all its workers together; the sum over servers is the total.
Figures of the book are read from the book, so every server reports the same ones.
"""

from __future__ import annotations

import os
import time
from threading import Lock

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from ... import __version__
from ...model.errors import CommonplaceError
from ...model.memory import STATUSES
from .event_metrics import SHARED_FOLDER_VARIABLE, EventMetrics
from .rest import VERBS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from prometheus_client import Metric
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from ...book import Commonplace
    from ...verbs.health import BookFigures


MIN_INTERVAL_S = 15.0
INTERVAL_FACTOR = 100
"""The pause after reading the gauges, as a multiple of the time that reading took."""
QUANTILES = (0.5, 0.95)


class BookGauges(Collector):
    """The gauges of one book."""

    def __init__(
        self,
        book: Commonplace,
        *,
        interval_s: float = MIN_INTERVAL_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._book = book
        self._interval_s = interval_s
        self._clock = clock
        self._not_before = float("-inf")
        self._lock = Lock()
        self._figures: BookFigures | None = None
        self._readable = False

    def collect(self) -> Iterator[Metric]:
        """The gauges, read anew if the last reading is old enough."""
        with self._lock:
            self._read_if_due()
            figures, readable = self._figures, self._readable
        yield _gauge("book_readable", "1 if the book can be read, else 0.", int(readable))
        if figures is not None:
            yield from _book_gauges(figures)

    def _read_if_due(self) -> None:
        began = self._clock()
        if began < self._not_before:
            return
        try:
            self._figures, self._readable = self._book.standing(), True
        except CommonplaceError:
            self._readable = False
        took = self._clock() - began
        self._not_before = self._clock() + max(self._interval_s, took * INTERVAL_FACTOR)


def _book_gauges(now: BookFigures) -> Iterator[Metric]:
    counted = dict(now.by_status)
    by_status = {status: counted.get(status, 0) for status in STATUSES}
    yield _gauges("memories", "Memories.", "status", by_status)
    stale = {str(share): now.stale_at(share) for share in QUANTILES}
    yield _gauges("staleness", "Staleness of live memories, 0 to 1.", "quantile", stale)
    scopes = {"max": now.scopes_of_one_user, "mean": now.scopes_a_user}
    yield _gauges("scopes_per_user", "Scopes per user.", "of", scopes)
    yield _gauge("inbox_waiting", "Pending decisions in the inbox.", now.waiting)
    yield _gauge("inbox_overdue", "Pending decisions older than a day.", now.overdue)
    yield _gauge("contradictions_waiting", "Contradictions in the inbox.", now.contradictions)
    taken = {"records": now.record_bytes, "local": now.local_bytes}
    yield _gauges("storage_bytes", "Storage that the book takes.", "part", taken)
    yield _gauge("index_behind", "Changes that are not indexed yet.", now.index_behind)
    if now.backed_up_s is not None:
        yield _gauge(
            "backup_timestamp_seconds",
            "Time of the last backup; 0 if there is none.",
            now.backed_up_s,
        )
    yield _gauge("vectors_waiting", "Memories without vectors yet.", now.vectors_waiting)


def _gauge(name: str, words: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"commonplace_{name}", words, value=value)


def _gauges(name: str, words: str, label: str, values: Mapping[str, float]) -> GaugeMetricFamily:
    family = GaugeMetricFamily(f"commonplace_{name}", words, labels=(label,))
    for which, value in values.items():
        family.add_metric((which,), value)
    return family


DOORS = {"mcp": "mcp", "v1": "rest", "health": "watching", "metrics": "watching"}


class VersionInfo(Collector):
    """The running version."""

    def collect(self) -> Iterator[Metric]:
        """One gauge whose label is the version."""
        family = GaugeMetricFamily("commonplace_info", "Running version.", labels=("version",))
        family.add_metric((__version__,), 1)
        yield family


class Metrics:
    """All metrics that `/metrics` returns."""

    def __init__(self, book: Commonplace) -> None:
        folder = os.environ.get(SHARED_FOLDER_VARIABLE)
        self._own, self._book = CollectorRegistry(), CollectorRegistry()
        self._workers = CollectorRegistry() if folder else None
        if self._workers is not None:
            MultiProcessCollector(self._workers, folder)

        def counter(name: str, words: str, *labels: str) -> Counter:
            return Counter(f"commonplace_{name}", words, labels, registry=self._own)

        self._requests = counter("http_requests", "HTTP requests.", "door", "status")
        self._verbs = counter(
            "rest_calls", "REST calls by verb; hooks call prompt and session_start.", "verb"
        )
        self._seconds = Histogram(
            "commonplace_http_request_seconds",
            "Duration of requests.",
            ("door",),
            registry=self._own,
        )
        # As the owner of the whole book, whatever scope the server was started in.
        whole = book.as_context({})
        for collector in (VersionInfo(), EventMetrics(whole, folder=folder), BookGauges(whole)):
            self._book.register(collector)

    def render(self) -> bytes:
        """All metrics in the text format of Prometheus."""
        requests = self._own if self._workers is None else self._workers
        return generate_latest(requests) + generate_latest(self._book)

    def count_requests(self, app: ASGIApp) -> ASGIApp:
        """The app, with each of its requests counted and timed."""

        async def counted(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http":
                await app(scope, receive, send)
                return
            began, status = time.perf_counter(), 500

            async def sending(message: Message) -> None:
                nonlocal status
                if message["type"] == "http.response.start":
                    status = message["status"]
                await send(message)

            try:
                await app(scope, receive, sending)
            finally:
                self._count(scope["path"], status, time.perf_counter() - began)

        return counted

    def _count(self, path: str, status: int, seconds: float) -> None:
        """Count a request; only known paths become labels, so that callers cannot create series."""
        first, _, rest = path.removeprefix("/").partition("/")
        door = DOORS.get(first, "other")
        self._requests.labels(door, str(status)).inc()
        self._seconds.labels(door).observe(seconds)
        if door == "rest" and rest in VERBS:
            self._verbs.labels(rest).inc()
