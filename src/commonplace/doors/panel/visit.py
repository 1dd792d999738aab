"""One person with the panel open: whose eyes the book is seen through, on every question anew."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

from nicegui import ui

from ...errors import CommonplaceError, NotAllowed

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...book import Commonplace
    from ..server.callers import Caller

T = TypeVar("T")


class Visit:
    """Asks the book as the person who is signed in, and says failures in plain words."""

    def __init__(self, book: Commonplace, identify: Callable[[], Caller | None]) -> None:
        self._book = book
        self._identify = identify

    @property
    def book(self) -> Commonplace:
        """The book as this person may see it; a token that was revoked meanwhile ends the visit."""
        caller = self._identify()
        if caller is None:
            raise NotAllowed("You are no longer signed in.", hint="Reload the page to sign in.")
        return self._book.as_context(caller.context, source="panel")

    async def ask(self, work: Callable[[Commonplace], T]) -> T:
        """Ask the book beside the page, so that other pages go on meanwhile."""
        return await asyncio.to_thread(lambda: work(self.book))

    async def attempt(self, work: Callable[[Commonplace], T]) -> T | None:
        """Ask the book; what went wrong is shown to the person, and the answer is None."""
        client = ui.context.client
        try:
            return await self.ask(work)
        except CommonplaceError as error:
            # What was clicked may have been redrawn meanwhile; the page is still there.
            with client:
                tell(error)
            return None


def tell(error: CommonplaceError) -> None:
    """Show a failure: what happened, and the next thing to do."""
    ui.notify(
        error.sentence,
        caption=error.hint,
        type="negative",
        position="bottom",
        timeout=8000,
        close_button="Close",
    )


def visit() -> Visit:
    """The visit that the page being built belongs to."""
    return ui.context.client.request.state.visit
