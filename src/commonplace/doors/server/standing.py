"""How the book stands, as gauges: looked at now and then, however often somebody asks."""

from __future__ import annotations

import time
from threading import Lock
from typing import TYPE_CHECKING

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from ...errors import CommonplaceError
from ...model import STATUSES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from prometheus_client import Metric

    from ...book import Commonplace
    from ...verbs.health.standing import Standing

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
