"""Timeline: changes per day, reports, and the book as of a past day."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING

from nicegui import ui

from ....model.errors import CommonplaceError
from ....notes.display import is_imported
from ....rules import audit
from ... import plain_words
from .. import components
from ..components import (
    bar_chart,
    block,
    button,
    empty_state,
    heading,
    memory_link,
    section,
    text_label,
)
from ..frame import Frame, frame
from ..markdown import markdown_html

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....book import Commonplace
    from ....model.memory import Event, Hit, Memory

DAYS = 30
MAX_EVENTS, MAX_SHOWN = 5_000, 60
WORDS = {
    "learned": audit.LEARNED,
    "corrected": audit.PUT_RIGHT,
    "archived": (*audit.RETIRED, audit.PURGED),
    "restored": audit.BROUGHT_BACK,
}
_WORD_BY_ACTION = {action: word for word, of in WORDS.items() for action in of}


@ui.page("/timeline")
async def timeline() -> None:
    """The timeline page."""
    with frame("Timeline", "/timeline") as around:
        heading("Timeline", f"Changes of the last {DAYS} days.")
        page = _Timeline(around)
        await page.refresh()
        around.live(page.refresh)


class _Timeline:
    def __init__(self, around: Frame) -> None:
        self._frame = around
        self._shown: object = None
        self._chart = block()
        with section("The book on a past day"):
            with block("cp-tools"):
                self._day = ui.input("Day", value=f"{datetime.now(UTC):%Y-%m-%d}")
                self._day.props("outlined dense type=date")
                self._query = ui.input("Question").props("outlined dense").classes("cp-about")
                button("Show that day", self._look_back, look="strong")
            self._past = block("cp-list cp-then")
        with section("Reports"):
            with block("cp-tools"):
                button("Today", lambda: self._report("day"))
                button("This week", lambda: self._report("week"))
            self._report_text = block("cp-report")
        with section("Changes"):
            self._events = block("cp-list")

    async def refresh(self) -> None:
        """Redraw the timeline if it has changed."""
        found = await self._frame.session.attempt(_recent_events)
        if found is None or found == self._shown:
            return  # A redraw would disturb a person who is about to click.
        self._shown = found
        events, memories = found
        self._chart.clear()
        self._events.clear()
        with self._chart:
            if events:
                _draw_chart(events)
            else:
                empty_state("No changes yet.", "Changes of memories appear here.")
        with self._events:
            for event in events[:MAX_SHOWN]:
                with block("cp-item"):
                    text_label(components.exact_time(event.at), "cp-quiet cp-small")
                    with block():
                        if event.memory in memories:
                            memory_link(memories[event.memory])
                            _draw_age(memories[event.memory], event.at)
                        else:
                            text_label("a memory that is gone", "cp-quiet")
                    text_label(
                        f"{plain_words.action(event.action)} {plain_words.by_door(event.by)}",
                        "cp-facts",
                    )

    async def _look_back(self) -> None:
        try:
            day = datetime.fromisoformat(self._day.value or "").date()
        except ValueError:
            ui.notify("Enter a day first.", type="warning")
            return
        end = datetime.combine(day, time.max, tzinfo=UTC)
        query = self._query.value or ""
        hits = await self._frame.session.attempt(
            lambda book: book.browse(query, as_of=end, limit=MAX_SHOWN)
        )
        if hits is None:
            return
        self._past.clear()
        with self._past:
            text_label(f"Memories on {day:%-d %B %Y}:", "cp-quiet")
            _draw_hits(hits)

    async def _report(self, period: str) -> None:
        report = await self._frame.session.attempt(lambda book: book.report(period))
        if report is None:
            return
        self._report_text.clear()
        with self._report_text, block("cp-card"):
            ui.html(markdown_html(report.text) or "", sanitize=True).classes("cp-prose")


def _draw_age(memory: Memory, changed: datetime) -> None:
    """How old an imported memory is, where the day of its change says nothing of it."""
    if is_imported(memory) and changed - memory.created > timedelta(days=1):
        said = components.relative_time(memory.created)
        text_label(f"said {said}, imported", "cp-quiet cp-small")


def _draw_hits(hits: Sequence[Hit]) -> None:
    for hit in hits:
        with block("cp-item"):
            text_label(components.relative_time(hit.memory.created), "cp-quiet cp-small")
            memory_link(hit.memory, "cp-name")
            text_label(hit.memory.kind, "cp-facts")
    if not hits:
        text_label("No memories on that day.", "cp-quiet")


def _recent_events(book: Commonplace) -> tuple[list[Event], dict[str, Memory]]:
    since = datetime.now(UTC) - timedelta(days=DAYS)
    made = audit.without_abandoned(book.audit(since=since, limit=MAX_EVENTS))
    events = [one for one in made if one.action in _WORD_BY_ACTION]
    memories: dict[str, Memory] = {}
    for event in events[:MAX_SHOWN]:
        try:
            memories[event.memory] = book.get(event.memory)
        except CommonplaceError:
            continue  # Purged since.
    return events, memories


def _draw_chart(events: Sequence[Event]) -> None:
    today = datetime.now(UTC).date()
    days = [today - timedelta(days=back) for back in range(DAYS - 1, -1, -1)]
    counted = Counter(
        (one.at.astimezone(UTC).date(), _WORD_BY_ACTION[one.action]) for one in events
    )
    bar_chart(
        [f"{day:%-d %b}" for day in days],
        [(word, [counted[day, word] for day in days]) for word in WORDS],
        stacked=True,
    )
