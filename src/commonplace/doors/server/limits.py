"""How much one caller may ask for in a while, through all servers of a book together."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...ports.frontdesk import FrontDesk

PER_SECOND = 20.0
BURST_SECONDS = 10
MAX_BODY_BYTES = 4 * 1024 * 1024
"""The longest memory there may be fits in, in any script."""


class Rate:
    """So many requests a second for each caller, and a burst after a pause.

    A caller's share is at the front desk. It is fetched a second's worth at a time, so that most
    requests ask nobody.
    """

    def __init__(self, desk: FrontDesk, per_second: float = PER_SECOND) -> None:
        self._desk = desk
        self._per_second = per_second
        self._at_hand: dict[str, int] = {}
        self._turn = threading.Lock()

    def wait_s(self, caller: str) -> float:
        """Take one request from a caller's share: 0, or how long until there is one to take."""
        with self._turn:
            if self._at_hand.get(caller, 0) > 0:
                self._at_hand[caller] -= 1
                return 0.0
        taken = self._desk.take(
            caller,
            max(1, int(self._per_second)),
            per_second=self._per_second,
            most=max(1.0, self._per_second * BURST_SECONDS),
        )
        if taken.amount < 1:
            return (1 - taken.left) / self._per_second
        with self._turn:
            self._at_hand[caller] = self._at_hand.get(caller, 0) + taken.amount - 1
        return 0.0
