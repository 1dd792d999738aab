"""Health: how much is written, asked, found, stale, hot and cold, and what needs looking at."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from nicegui import ui

from .. import legible
from ..frame import frame
from ..parts import AXIS, COLOURS, block, heading, link_to, section, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....book import Commonplace
    from ....model import Problem, Status
    from ....verbs.vitals import Vitals

DAYS = 30
BINS = 10
PATH = "/vitals"


@ui.page(PATH)
async def health() -> None:
    """The figures of the book."""
    with frame("Health", PATH) as around:
        heading("Health", f"How the book fared in the last {DAYS} days.")
        found = await around.visit.attempt(_examined)
        if found is None:
            return
        status, vitals, problems = found
        _alerts(vitals, problems)
        _numbers(status, vitals)
        with block("cp-two"):
            with section("Written and asked"):
                _days(vitals)
            with section("How stale memories are"):
                _staleness(vitals)
        with block("cp-two"):
            with section("Kinds"):
                _bars(status.by_kind)
            with section("Scopes"):
                _bars(status.by_scope)
        _hot_and_cold(vitals)


def _examined(book: Commonplace) -> tuple[Status, Vitals, list[Problem]]:
    since = datetime.now(UTC) - timedelta(days=DAYS)
    return book.status(), book.vitals(since), book.doctor()


def _alerts(vitals: Vitals, problems: Sequence[Problem]) -> None:
    told = [*vitals.alerts, *(f"{one.where} {one.what}" for one in problems[:8])]
    with block("cp-stack"):
        for one in told:
            words(legible.line(one, 300), "cp-alert")
        if not told:
            words("Nothing needs your attention.", "cp-quiet")


def _numbers(status: Status, vitals: Vitals) -> None:
    figures = (
        ("memories", f"{status.memories:,}"),
        ("questions answered", _share(vitals.hit_ratio)),
        ("writes that repeated", _share(vitals.repeated)),
        ("contradictions", str(vitals.contradictions)),
        ("waiting in the inbox", str(vitals.waiting)),
        ("staleness, median", f"{vitals.stale_at(0.5):.2f}"),
        ("staleness, 95th of 100", f"{vitals.stale_at(0.95):.2f}"),
        ("embedder", status.embedder),
    )
    with block("cp-figures"):
        for label, number in figures:
            with block("cp-card"):
                words(number, "cp-number" if len(number) < 12 else "")
                words(label, "cp-quiet cp-small")


def _days(vitals: Vitals) -> None:
    if not vitals.days:
        words("Nothing was written or asked yet.", "cp-quiet")
        return
    series = [("written", 1), ("asked", 2)]
    ui.echart(
        {
            "color": list(COLOURS),
            "legend": {"bottom": 0, "icon": "circle", "textStyle": {"color": "#8a8378"}},
            "grid": {"left": 40, "right": 8, "top": 12, "bottom": 52},
            "xAxis": {**AXIS, "type": "category", "data": [day for day, _, _ in vitals.days]},
            "yAxis": {**AXIS, "type": "value", "minInterval": 1, "splitLine": {"show": False}},
            "series": [
                {"name": name, "type": "bar", "data": [day[place] for day in vitals.days]}
                for name, place in series
            ],
        }
    ).classes("cp-chart")


def _staleness(vitals: Vitals) -> None:
    counts = [0] * BINS
    for one in vitals.stale:
        counts[min(BINS - 1, int(one * BINS))] += 1
    ui.echart(
        {
            "color": [COLOURS[1]],
            "grid": {"left": 40, "right": 8, "top": 12, "bottom": 28},
            "xAxis": {**AXIS, "type": "category", "data": [f"{n / BINS:.1f}" for n in range(BINS)]},
            "yAxis": {**AXIS, "type": "value", "minInterval": 1, "splitLine": {"show": False}},
            "series": [{"type": "bar", "data": counts, "barCategoryGap": "15%"}],
        }
    ).classes("cp-chart")


def _bars(counts: Sequence[tuple[str, int]]) -> None:
    most = max((count for _, count in counts), default=1)
    with block("cp-stack"):
        for name, count in counts[:12]:
            with block():
                with block("cp-row").style("justify-content: space-between"):
                    words(name)
                    words(f"{count:,}", "cp-quiet")
                with block("cp-bar"):
                    block().style(f"width: {100 * count / most:.1f}%")


def _hot_and_cold(vitals: Vitals) -> None:
    with block("cp-two"):
        with section("Hot: recalled most"), block("cp-stack"):
            for memory, count in vitals.hot:
                with block("cp-row"):
                    words(f"{count}×", "cp-quiet")
                    link_to(memory)
            if not vitals.hot:
                words("Nothing was recalled yet.", "cp-quiet")
        with section("Cold: never recalled"), block("cp-stack"):
            for memory in vitals.cold:
                link_to(memory)
            if not vitals.cold:
                words("Everything was of use.", "cp-quiet")


def _share(share: float | None) -> str:
    return "–" if share is None else f"{share:.0%}"
