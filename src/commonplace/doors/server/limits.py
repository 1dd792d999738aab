"""How much one caller may ask for in a while."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

PER_SECOND = 20.0
BURST_SECONDS = 10
MAX_BODY_BYTES = 4 * 1024 * 1024
"""The longest memory there may be fits in, in any script."""


class Rate:
    """So many requests a second for each caller, and a burst after a pause."""

    def __init__(
        self, per_second: float = PER_SECOND, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._per_second = per_second
        self._most = per_second * BURST_SECONDS
        self._clock = clock
        self._left: dict[str, tuple[float, float]] = {}

    def wait_s(self, caller: str) -> float:
        """Take one request from a caller's share: 0, or how long until there is one to take."""
        now = self._clock()
        left, seen = self._left.get(caller, (self._most, now))
        left = min(self._most, left + (now - seen) * self._per_second)
        if left < 1:
            return (1 - left) / self._per_second
        self._left[caller] = (left - 1, now)
        return 0.0
