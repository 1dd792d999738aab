"""Slow down callers that guess tokens, and log each burst of guesses once.

Only wrong tokens are counted, so a guesser delays nobody who has a right one, not even a caller at
the same address. Each process counts for itself.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import math
import time

from ...model.value import Value
from ...rules.limits import take_from_bucket

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.types import Scope

PAUSE_S = 1.0
"""How long the answer to a wrong token waits, once there were too many."""
MAX_ADDRESSES = 1_000
EVERYWHERE = "all addresses"
log = logging.getLogger("commonplace.server")


class GuessRate(Value):
    """How many wrong tokens may come at once, and how many more each second."""

    at_once: int
    per_second: float


ONE_ADDRESS = GuessRate(10, 0.1)
ALL_ADDRESSES = GuessRate(100, 2.0)


class WrongTokens:
    """Counts wrong tokens by address and in all."""

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._clock = clock
        self._pause = pause
        self._levels: dict[str, tuple[float, float, bool]] = {}
        """Guesses left of an address, when it last guessed, and whether its burst is logged."""

    async def slow_down(self, scope: Scope) -> int:
        """Count a wrong token; after too many, pause and return the seconds for Retry-After."""
        address = _address(scope)
        wait_s = max(self._wait_s(EVERYWHERE, ALL_ADDRESSES), self._wait_s(address, ONE_ADDRESS))
        if not wait_s:
            return 0
        await self._pause(PAUSE_S)
        return math.ceil(wait_s)

    def _wait_s(self, name: str, rate: GuessRate) -> float:
        """Take one guess of an address; returns 0, or the time until its next."""
        now = self._clock()
        left, seen, logged = self._levels.pop(name, (float(rate.at_once), now, False))
        # A burst ends once the address was quiet for so long that all its guesses are back.
        logged = logged and left + (now - seen) * rate.per_second < rate.at_once
        taken = take_from_bucket(left, now - seen, 1, per_second=rate.per_second, most=rate.at_once)
        if not taken.amount and not logged:
            logged = True
            log.warning("Too many wrong tokens from %s; further ones are answered slowly.", name)
        self._levels[name] = (taken.left, now, logged)
        while len(self._levels) > MAX_ADDRESSES:
            del self._levels[next(iter(self._levels))]
        return 0.0 if taken.amount else (1 - taken.left) / rate.per_second


def _address(scope: Scope) -> str:
    """The caller's address; of IPv6 the network, because one caller has all its addresses."""
    client = scope.get("client")
    try:
        found = ipaddress.ip_address(client[0] if client else "")
    except ValueError:
        return "this machine"  # A Unix socket, or a proxy that names no address.
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    return str(ipaddress.ip_network((found.packed, 64), strict=False))
