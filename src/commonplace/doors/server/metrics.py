"""Figures for Prometheus: what this process does, and how the book fares.

Requests are this server's own: with several servers, add them up. Processes that answer at one port
are one server and count together. All figures of the book come from the book, whoever changed or
asked it, so that every server tells the same: take any.
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
from .event_metrics import SHARED, EventMetrics
from .rest import VERBS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from prometheus_client import Metric
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from ...book import Commonplace
    from ...verbs.health import Standing


REST_S = 15.0
SHARE = 100
"""Looking may take up to one part in so many of the time: a large book is looked at less often."""
QUANTILES = (0.5, 0.95)


class StandingGauges(Collector):
    """The gauges of one book."""

    def __init__(
        self,
        book: Commonplace,
        *,
        rest_s: float = REST_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._book = book
        self._rest_s = rest_s
        self._clock = clock
        self._not_before = float("-inf")
        self._turn = Lock()
        self._seen: Standing | None = None
        self._readable = False

    def collect(self) -> Iterator[Metric]:
        """What was seen the last time, which was not long ago."""
        with self._turn:
            self._look()
            seen, readable = self._seen, self._readable
        yield _gauge("book_readable", "1 as long as the book can be read.", int(readable))
        if seen is not None:
            yield from _told(seen)

    def _look(self) -> None:
        began = self._clock()
        if began < self._not_before:
            return
        try:
            self._seen, self._readable = self._book.standing(), True
        except CommonplaceError:
            self._readable = False
        took = self._clock() - began
        self._not_before = self._clock() + max(self._rest_s, took * SHARE)


def _told(now: Standing) -> Iterator[Metric]:
    counted = dict(now.by_status)
    by_status = {status: counted.get(status, 0) for status in STATUSES}
    yield _gauges("memories", "Memories.", "status", by_status)
    stale = {str(share): now.stale_at(share) for share in QUANTILES}
    yield _gauges("staleness", "How stale live memories are, 0 to 1.", "quantile", stale)
    scopes = {"max": now.scopes_of_one_user, "mean": now.scopes_a_user}
    yield _gauges("scopes_per_user", "Scopes of a user.", "of", scopes)
    yield _gauge("inbox_waiting", "What waits for a person.", now.waiting)
    yield _gauge(
        "contradictions_waiting", "Contradictions that wait for a person.", now.contradictions
    )
    taken = {"records": now.record_bytes, "local": now.local_bytes}
    yield _gauges("storage_bytes", "What the book takes.", "part", taken)
    yield _gauge("index_behind", "Changes that the index had not taken up.", now.index_behind)
    if now.backed_up_s is not None:
        yield _gauge("backup_timestamp_seconds", "The last backup; 0: none.", now.backed_up_s)
    yield _gauge("vectors_waiting", "Memories that wait for vectors.", now.vectors_waiting)


def _gauge(name: str, words: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"commonplace_{name}", words, value=value)


def _gauges(name: str, words: str, label: str, values: Mapping[str, float]) -> GaugeMetricFamily:
    family = GaugeMetricFamily(f"commonplace_{name}", words, labels=(label,))
    for which, value in values.items():
        family.add_metric((which,), value)
    return family


# Figures for Prometheus: what this process does, and how the book fares.


DOORS = {"mcp": "mcp", "v1": "rest", "health": "watching", "metrics": "watching"}


class About(Collector):
    """Which version runs."""

    def collect(self) -> Iterator[Metric]:
        """One gauge, whose label is what it says."""
        family = GaugeMetricFamily("commonplace_info", "What is running.", labels=("version",))
        family.add_metric((__version__,), 1)
        yield family


class Metrics:
    """Everything that `/metrics` tells."""

    def __init__(self, book: Commonplace) -> None:
        folder = os.environ.get(SHARED)
        self._own, self._of_book = CollectorRegistry(), CollectorRegistry()
        self._several = CollectorRegistry() if folder else None
        if self._several is not None:
            MultiProcessCollector(self._several, folder)

        def counter(name: str, words: str, *labels: str) -> Counter:
            return Counter(f"commonplace_{name}", words, labels, registry=self._own)

        self._requests = counter("http_requests", "Requests.", "door", "status")
        self._verbs = counter(
            "rest_calls", "Calls by REST; hooks use prompt and session_start.", "verb"
        )
        self._seconds = Histogram(
            "commonplace_http_request_seconds", "How long.", ("door",), registry=self._own
        )
        # As the owner of the whole, wherever the server's own person stands in it.
        whole = book.as_context({})
        for collector in (About(), EventMetrics(whole, folder=folder), StandingGauges(whole)):
            self._of_book.register(collector)

    def told(self) -> bytes:
        """All figures, in the words of Prometheus."""
        mine = self._own if self._several is None else self._several
        return generate_latest(mine) + generate_latest(self._of_book)

    def counting(self, app: ASGIApp) -> ASGIApp:
        """The app, with each of its requests counted."""

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
        """Only known paths become labels: a caller must not be able to make new series."""
        first, _, rest = path.removeprefix("/").partition("/")
        door = DOORS.get(first, "other")
        self._requests.labels(door, str(status)).inc()
        self._seconds.labels(door).observe(seconds)
        if door == "rest" and rest in VERBS:
            self._verbs.labels(rest).inc()
