"""Figures for Prometheus: what this process does, and how the book fares.

Requests are this server's own: with several servers, add them up. Processes that answer at one port
are one server and count together. All figures of the book come from the book, whoever changed or
asked it, so that every server tells the same: take any.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from ... import __version__
from .counted import SHARED
from .happenings import Happenings
from .rest import VERBS
from .standing import StandingGauges

if TYPE_CHECKING:
    from collections.abc import Iterator

    from prometheus_client import Metric
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from ...book import Commonplace

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
        for collector in (About(), Happenings(whole, folder=folder), StandingGauges(whole)):
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
