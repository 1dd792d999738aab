"""Health: writes, questions, staleness, duplicates and refusals of the last days; problems."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from nicegui import ui

from ....notes.display import own_time
from .. import components
from ..components import (
    bar_chart,
    bar_list,
    block,
    button,
    definition_list,
    figures,
    heading,
    link,
    memory_link,
    section,
    text_label,
    text_with_code,
)
from ..filters import Filters
from ..frame import Frame, frame
from ..memory_list import count_all

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....book import Commonplace
    from ....model.memory import Problem
    from ....model.results import Status
    from ....verbs.health import BookFigures, PeriodFigures

DAYS = 30
BINS = 10
MOST_PROBLEMS = 20
PATH = "/vitals"
REASONS = {
    "credential": "contained a credential",
    "personal": "contained personal data",
    "policy": "not worth keeping",
    "purged": "purged before",
    "repeated": "mostly known already",
    "limit": "over a limit",
}


@ui.page(PATH)
async def health() -> None:
    """The figures of the book."""
    with frame("Health", PATH) as around:
        heading("Health", f"Figures of the last {DAYS} days.")
        page = _Health(around)
        await page.refresh()
        around.live(page.refresh)


class _Health:
    def __init__(self, around: Frame) -> None:
        self._frame = around
        self._shown: tuple[Status, PeriodFigures, int] | None = None
        self._figures = block()
        with section("Problems"):
            text_label(
                "Unreadable notes, broken links, secrets in plain text, a broken audit chain."
                " The check reads every note, so it runs on request.",
                "cp-quiet",
            )
            button("Check now", self._check)
            self._problem_list = block("cp-stack cp-faults")

    async def refresh(self) -> None:
        """Redraw the figures if they have changed."""
        found = await self._frame.session.attempt(_figures_of)
        if found is None or found == self._shown:
            return
        self._shown = found
        status, vitals, in_use = found
        self._figures.clear()
        with self._figures:
            _alarms(vitals)
            _numbers(status, vitals, in_use)
            with block("cp-two"):
                with section("Writes, questions, refusals"):
                    _days(vitals)
                with section("Staleness"):
                    _staleness(vitals)
            _most_and_never_recalled(vitals)
            with block("cp-two"):
                _duplicates(vitals)
                _refused(vitals)
            with block("cp-two"):
                with section("Kinds"):
                    bar_list(status.by_kind)
                with block():
                    with section("Scopes"):
                        bar_list(status.by_scope)
                    with section("Components"):
                        _parts(status, vitals)

    async def _check(self) -> None:
        problems = await self._frame.session.attempt(lambda book: book.doctor())
        if problems is None:
            return
        self._problem_list.clear()
        with self._problem_list:
            _problems(problems)


def _figures_of(book: Commonplace) -> tuple[Status, PeriodFigures, int]:
    """The figures, and how many memories Browse lists before anybody filters it."""
    vitals = book.vitals(datetime.now(UTC) - timedelta(days=DAYS))
    return book.status(), vitals, count_all(book, Filters({}))


def _alarms(vitals: PeriodFigures) -> None:
    with block("cp-stack cp-alarms"):
        for one, value in vitals.alarms:
            with block("cp-alert"):
                text_with_code(one.said(value), "cp-strong-words")
                text_with_code(f"Usual: {one.healthy}. {one.do}", "cp-quiet cp-small")
        if not vitals.alarms:
            text_label("Every figure is in its usual range.", "cp-quiet")


def _numbers(status: Status, vitals: PeriodFigures, in_use: int) -> None:
    now = vitals.standing
    old = max(0, status.records - in_use)
    disputed = components.plural(now.contradictions, "contradiction")
    figures(
        (
            ("memories", f"{in_use:,}", f"in use, as in Browse; {old:,} old, archived or waiting"),
            (
                "answered",
                _share(vitals.hit_ratio),
                f"of {components.plural(vitals.asked, 'question')}",
            ),
            ("prompts", f"{vitals.handed:,}", "looked up for agents"),
            ("repeated", _share(vitals.repeated), "of writes"),
            ("refused writes", f"{vitals.blocked:,}", ""),
            ("in the inbox", f"{now.waiting:,}", disputed),
            ("staleness", f"{now.stale_at(0.5):.2f}", f"95th percentile: {now.stale_at(0.95):.2f}"),
            ("recall", _seconds(vitals.recall_p95_s), "95th percentile"),
            ("on disk", *_size(now)),
            ("last backup", _backup(now.backed_up_s), ""),
        )
    )


def _parts(status: Status, vitals: PeriodFigures) -> None:
    now = vitals.standing
    definition_list(
        [
            ("Embedder", status.embedder),
            ("Search index", _behind(now.index_behind)),
            ("Vectors", f"{now.vectors_waiting:,} memories without vectors"),
            ("Users", f"at most {components.plural(now.scopes_of_one_user, 'scope')} each"),
        ]
    )


def _behind(changes: int) -> str:
    return f"{components.plural(changes, 'change')} behind" if changes else "up to date"


def _days(vitals: PeriodFigures) -> None:
    if not vitals.days:
        text_label("No writes or questions yet.", "cp-quiet")
        return
    today = datetime.now(UTC).date()
    days = [today - timedelta(days=back) for back in range(DAYS - 1, -1, -1)]
    known = {day: counts for day, *counts in vitals.days}
    written, asked, refused = zip(
        *(known.get(day.isoformat(), [0, 0, 0]) for day in days), strict=True
    )
    names = [f"{day:%-d %b}" for day in days]
    series = [("written", written), ("asked", asked), ("refused", refused)]
    bar_chart(names, series, stacked=True)


def _staleness(vitals: PeriodFigures) -> None:
    counts = [0] * BINS
    for one in vitals.standing.stale:
        counts[min(BINS - 1, int(one * BINS))] += 1
    bar_chart([f"{n / BINS:.1f}" for n in range(BINS)], [("memories", counts)], colour=1)
    text_label("0 is fresh, 1 is old, unused and contradicted.", "cp-quiet cp-small")


def _most_and_never_recalled(vitals: PeriodFigures) -> None:
    with block("cp-two"):
        with section("Most recalled"), block("cp-stack"):
            for memory, count in vitals.hot:
                with block("cp-line"):
                    text_label(f"{count}×", "cp-quiet cp-count")
                    memory_link(memory)
            if not vitals.hot:
                text_label("No recalls yet.", "cp-quiet")
        with section("Never recalled, oldest first"), block("cp-stack"):
            for memory in vitals.cold:
                with block("cp-line"):
                    text_label(components.relative_time(own_time(memory)), "cp-quiet cp-count")
                    memory_link(memory)
            if not vitals.cold:
                text_label("Every memory was recalled.", "cp-quiet")


def _duplicates(vitals: PeriodFigures) -> None:
    with section("Duplicates"), block("cp-stack cp-duplicates"):
        for one in vitals.duplicates:
            with block("cp-alert"):
                for memory in one.about:
                    memory_link(memory).style("display: block")
        if vitals.duplicates:
            link("Decide in the inbox", "/inbox", "cp-link")
        else:
            text_label(
                "No pending duplicates. Identical memories are merged when they are saved.",
                "cp-quiet",
            )


def _refused(vitals: PeriodFigures) -> None:
    with section("Refused writes by reason"), block("cp-refused"):
        bar_list([(REASONS.get(reason, reason), count) for reason, count in vitals.refused])
        if not vitals.refused:
            text_label("No refused writes.", "cp-quiet")


def _problems(problems: Sequence[Problem]) -> None:
    for one in problems[:MOST_PROBLEMS]:
        with block("cp-alert"):
            text_with_code(f"{one.where} {one.what}")
            if one.hint:
                text_with_code(one.hint, "cp-quiet cp-small")
    if len(problems) > MOST_PROBLEMS:
        text_label(f"And {len(problems) - MOST_PROBLEMS} more: commonplace doctor", "cp-quiet")
    if not problems:
        text_label("No problems found.", "cp-quiet")


def _share(share: float | None) -> str:
    return "–" if share is None else f"{share:.0%}"


def _seconds(seconds: float | None) -> str:
    return "–" if seconds is None else f"{seconds * 1_000:,.0f} ms"


def _size(now: BookFigures) -> tuple[str, str]:
    records, local = now.record_bytes, now.local_bytes
    if not records:
        return "–", ""
    return components.size(records + local), f"records {components.size(records)}"


def _backup(at_s: float | None) -> str:
    if at_s is None:
        return "not set up"
    return components.relative_time(datetime.fromtimestamp(at_s, UTC) if at_s else None)
