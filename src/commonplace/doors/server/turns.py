"""Turns: how many calls of the book run at once, and whose is next.

Python runs one thread at a time, so more calls at once answer nothing sooner: each one waits longer
for its next step, most of all a save, which has many steps and keeps other saves waiting. Reads,
changes and long calls therefore have places of their own, so that none waits for another kind. In
each queue the callers take turns, so that many requests of one caller delay no other caller's.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, TypeVar

from anyio import to_thread

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from ...book import Commonplace
    from .callers import Caller

T = TypeVar("T")

READ, CHANGE, LONG = "read", "change", "long"
"""Kinds of calls; a long one takes the longer, the more the book has or the caller sends."""
PLACES = {READ: 1, CHANGE: 1, LONG: 4}
"""How many calls run at once. Short calls soon follow each other; a long one may take minutes."""
PLACES_REMOTE = 12
"""As many of each kind, in a book whose calls wait for a database or a model elsewhere."""


class Turns:
    """Runs the calls of a server on threads, in an order that is fair to its callers."""

    def __init__(self, book: Commonplace) -> None:
        remote = book.waits_for_others
        self._queues = {
            kind: TurnQueue(PLACES_REMOTE if remote else places) for kind, places in PLACES.items()
        }

    async def run(self, work: Callable[[], T], caller: Caller, kind: str) -> T:
        """Run a call in its caller's turn; to be awaited in the server's event loop."""
        queue = self._queues[kind]
        # The contexts of the owner take turns as well: they are the agents of one person.
        await queue.take((caller.id, caller.context))
        try:
            return await to_thread.run_sync(work)
        finally:
            queue.give_back()


class TurnQueue:
    """A number of places, and the callers that wait for one; for a single event loop."""

    def __init__(self, places: int) -> None:
        self._free = places
        """Above 0 only while nobody waits."""
        self._waiting: dict[Hashable, deque[asyncio.Future[None]]] = {}
        """The waiting requests of each caller, the caller whose turn is next first."""

    async def take(self, caller: Hashable) -> None:
        """Wait for a place; `give_back` it afterwards."""
        if self._free:
            self._free -= 1
            return
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(caller, deque()).append(place)
        try:
            await place
        except asyncio.CancelledError:
            # The caller has gone; a place that it was given meanwhile goes to the next one.
            if not place.cancelled():
                self.give_back()
            raise

    def give_back(self) -> None:
        """Give a place to the first request of the next caller, who then goes to the end."""
        while self._waiting:
            caller = next(iter(self._waiting))
            requests = self._waiting.pop(caller)
            place = requests.popleft()
            if requests:
                self._waiting[caller] = requests
            if not place.done():
                place.set_result(None)
                return
        self._free += 1
