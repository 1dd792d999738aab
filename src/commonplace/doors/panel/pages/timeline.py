"""Timeline: what was learned, corrected and archived over time, and what the book said on a day."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING

from nicegui import ui

from ....model.errors import CommonplaceError
from ....rules import audit
from .. import components
from ..components import block, button, columns, empty, heading, link_to, rendered, section, words
from ..frame import Frame, frame

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....book import Commonplace
    from ....model.memory import Event, Hit, Memory

DAYS = 30
MOST_EVENTS, MOST_SHOWN = 5_000, 60
WORDS = {
    "learned": audit.LEARNED,
    "corrected": audit.PUT_RIGHT,
    "archived": (*audit.RETIRED, audit.PURGED),
    "brought back": audit.BROUGHT_BACK,
}
_OF = {action: word for word, of in WORDS.items() for action in of}


@ui.page("/timeline")
async def timeline() -> None:
    """What happened when."""
    with frame("Timeline", "/timeline") as around:
        heading("Timeline", f"What your agents learned and unlearned in the last {DAYS} days.")
        page = _Timeline(around)
        await page.refresh()
        around.live(page.refresh)


class _Timeline:
    def __init__(self, around: Frame) -> None:
        self._frame = around
        self._shown: object = None
        self._chart = block()
        with section("What the book said on a day"):
            with block("cp-tools"):
                self._day = ui.input("Day", value=f"{datetime.now(UTC):%Y-%m-%d}")
                self._day.props("outlined dense type=date")
                self._query = ui.input("About").props("outlined dense").classes("cp-about")
                button("Look back", self._look_back, look="strong")
            self._then = block("cp-list cp-then")
        with section("Reports from the archive"):
            with block("cp-tools"):
                button("This day", lambda: self._report("day"))
                button("This week", lambda: self._report("week"))
            self._reported = block("cp-report")
        with section("Changes"):
            self._events = block("cp-list")

    async def refresh(self) -> None:
        """Show what happened."""
        found = await self._frame.visit.attempt(_happened)
        if found is None or found == self._shown:
            return  # Drawing the same again would take it from under a person's finger.
        self._shown = found
        events, memories = found
        self._chart.clear()
        self._events.clear()
        with self._chart:
            if events:
                _chart(events)
            else:
                empty("Nothing happened yet.", "Every change of a memory will be drawn here.")
        with self._events:
            for event in events[:MOST_SHOWN]:
                with block("cp-item"):
                    words(components.when(event.at), "cp-quiet cp-small")
                    with block():
                        if event.memory in memories:
                            link_to(memories[event.memory])
                        else:
                            words("a memory that is gone", "cp-quiet")
                    words(f"{event.action} by {event.by}", "cp-facts")

    async def _look_back(self) -> None:
        try:
            day = datetime.fromisoformat(self._day.value or "").date()
        except ValueError:
            ui.notify("Choose a day first.", type="warning")
            return
        end = datetime.combine(day, time.max, tzinfo=UTC)
        query = self._query.value or ""
        hits = await self._frame.visit.attempt(
            lambda book: book.browse(query, as_of=end, limit=MOST_SHOWN)
        )
        if hits is None:
            return
        self._then.clear()
        with self._then:
            words(f"On {day:%-d %B %Y} the book said:", "cp-quiet")
            _said(hits)

    async def _report(self, period: str) -> None:
        report = await self._frame.visit.attempt(lambda book: book.report(period))
        if report is None:
            return
        self._reported.clear()
        with self._reported, block("cp-card"):
            ui.html(rendered(report.text) or "", sanitize=True).classes("cp-prose")


def _said(hits: Sequence[Hit]) -> None:
    for hit in hits:
        with block("cp-item"):
            words(components.ago(hit.memory.created), "cp-quiet cp-small")
            link_to(hit.memory, "cp-name")
            words(hit.memory.kind, "cp-facts")
    if not hits:
        words("Nothing about that yet.", "cp-quiet")


def _happened(book: Commonplace) -> tuple[list[Event], dict[str, Memory]]:
    since = datetime.now(UTC) - timedelta(days=DAYS)
    events = [one for one in book.audit(since=since, limit=MOST_EVENTS) if one.action in _OF]
    memories: dict[str, Memory] = {}
    for event in events[:MOST_SHOWN]:
        try:
            memories[event.memory] = book.get(event.memory)
        except CommonplaceError:
            continue  # Purged since.
    return events, memories


def _chart(events: Sequence[Event]) -> None:
    today = datetime.now(UTC).date()
    days = [today - timedelta(days=back) for back in range(DAYS - 1, -1, -1)]
    counted = Counter((one.at.astimezone(UTC).date(), _OF[one.action]) for one in events)
    columns(
        [f"{day:%-d %b}" for day in days],
        [(word, [counted[day, word] for day in days]) for word in WORDS],
        stacked=True,
    )
