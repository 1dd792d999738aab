"""Health: how much is written, asked, found, stale, hot and cold, and what needs looking at."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from nicegui import ui

from .. import components
from ..components import (
    block,
    button,
    columns,
    figures,
    heading,
    link,
    link_to,
    pairs,
    proportions,
    section,
    words,
)
from ..frame import Frame, frame

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....book import Commonplace
    from ....model.memory import Problem
    from ....model.results import Status
    from ....verbs.health import Standing, Vitals

DAYS = 30
BINS = 10
MOST_PROBLEMS = 20
PATH = "/vitals"
REASONS = {
    "credential": "held a credential",
    "personal": "held personal data",
    "policy": "not worth keeping",
    "purged": "purged before",
    "repeated": "mostly known already",
    "limit": "over a limit",
}


@ui.page(PATH)
async def health() -> None:
    """The figures of the book."""
    with frame("Health", PATH) as around:
        heading("Health", f"How the book fared in the last {DAYS} days.")
        page = _Health(around)
        await page.refresh()
        around.live(page.refresh)


class _Health:
    def __init__(self, around: Frame) -> None:
        self._frame = around
        self._shown: tuple[Status, Vitals] | None = None
        self._figures = block()
        with section("Faults in the book"):
            words(
                "Notes that cannot be read, links to nothing, secrets in plain text, a broken audit"
                " chain. Looking reads every note, so it is done when you ask.",
                "cp-quiet",
            )
            button("Look for faults", self._examine)
            self._faults = block("cp-stack cp-faults")

    async def refresh(self) -> None:
        """Show the figures of now."""
        found = await self._frame.visit.attempt(_figures_of)
        if found is None or found == self._shown:
            return
        self._shown = found
        status, vitals = found
        self._figures.clear()
        with self._figures:
            _alarms(vitals)
            _numbers(status, vitals)
            with block("cp-two"):
                with section("Written, asked, refused"):
                    _days(vitals)
                with section("How stale memories are"):
                    _staleness(vitals)
            _hot_and_cold(vitals)
            with block("cp-two"):
                _duplicates(vitals)
                _refused(vitals)
            with block("cp-two"):
                with section("Kinds"):
                    proportions(status.by_kind)
                with block():
                    with section("Scopes"):
                        proportions(status.by_scope)
                    with section("Parts"):
                        _parts(status, vitals)

    async def _examine(self) -> None:
        problems = await self._frame.visit.attempt(lambda book: book.doctor())
        if problems is None:
            return
        self._faults.clear()
        with self._faults:
            _problems(problems)


def _figures_of(book: Commonplace) -> tuple[Status, Vitals]:
    return book.status(), book.vitals(datetime.now(UTC) - timedelta(days=DAYS))


def _alarms(vitals: Vitals) -> None:
    with block("cp-stack cp-alarms"):
        for one, value in vitals.alarms:
            with block("cp-alert"):
                words(one.said(value), "cp-strong-words")
                words(f"Usual: {one.healthy}. {one.do}", "cp-quiet cp-small")
        if not vitals.alarms:
            words("Every figure is in its usual range.", "cp-quiet")


def _numbers(status: Status, vitals: Vitals) -> None:
    now = vitals.standing
    disputed = components.several(now.contradictions, "contradiction")
    figures(
        (
            ("memories", f"{status.memories:,}", ""),
            ("answered", _share(vitals.hit_ratio), f"of {vitals.asked:,} questions"),
            ("prompts", f"{vitals.handed:,}", "looked up for agents"),
            ("repeated", _share(vitals.repeated), "of writes"),
            ("refused writes", f"{vitals.blocked:,}", ""),
            ("in the inbox", f"{now.waiting:,}", disputed),
            ("staleness", f"{now.stale_at(0.5):.2f}", f"95th of 100: {now.stale_at(0.95):.2f}"),
            ("recall", _seconds(vitals.recall_p95_s), "slowest of 20"),
            ("on disk", *_size(now)),
            ("last backup", _backup(now.backed_up_s), ""),
        )
    )


def _parts(status: Status, vitals: Vitals) -> None:
    now = vitals.standing
    pairs(
        [
            ("Embedder", status.embedder),
            ("Index", f"{now.index_behind:,} changes behind"),
            ("Vectors", f"{now.vectors_waiting:,} memories wait for theirs"),
            ("Users", f"{now.scopes_of_one_user:,} scopes at most"),
        ]
    )


def _days(vitals: Vitals) -> None:
    if not vitals.days:
        words("Nothing was written or asked yet.", "cp-quiet")
        return
    today = datetime.now(UTC).date()
    days = [today - timedelta(days=back) for back in range(DAYS - 1, -1, -1)]
    known = {day: counts for day, *counts in vitals.days}
    written, asked, refused = zip(
        *(known.get(day.isoformat(), [0, 0, 0]) for day in days), strict=True
    )
    names = [f"{day:%-d %b}" for day in days]
    series = [("written", written), ("asked", asked), ("refused", refused)]
    columns(names, series, stacked=True)


def _staleness(vitals: Vitals) -> None:
    counts = [0] * BINS
    for one in vitals.standing.stale:
        counts[min(BINS - 1, int(one * BINS))] += 1
    columns([f"{n / BINS:.1f}" for n in range(BINS)], [("memories", counts)], colour=1)
    words("0 is fresh, 1 is old, unused and contradicted.", "cp-quiet cp-small")


def _hot_and_cold(vitals: Vitals) -> None:
    with block("cp-two"):
        with section("Hot: recalled most"), block("cp-stack"):
            for memory, count in vitals.hot:
                with block("cp-line"):
                    words(f"{count}×", "cp-quiet cp-count")
                    link_to(memory)
            if not vitals.hot:
                words("Nothing was recalled yet.", "cp-quiet")
        with section("Cold: never recalled, oldest first"), block("cp-stack"):
            for memory in vitals.cold:
                with block("cp-line"):
                    words(components.ago(memory.updated), "cp-quiet cp-count")
                    link_to(memory)
            if not vitals.cold:
                words("Everything was of use.", "cp-quiet")


def _duplicates(vitals: Vitals) -> None:
    with section("Said twice"), block("cp-stack cp-duplicates"):
        for one in vitals.duplicates:
            with block("cp-alert"):
                for memory in one.about:
                    link_to(memory).style("display: block")
        if vitals.duplicates:
            link("Decide in the inbox", "/inbox", "cp-link")
        else:
            words(
                "None waits for you. What is plainly the same is made one when it is saved.",
                "cp-quiet",
            )


def _refused(vitals: Vitals) -> None:
    with section("Refused, and why"), block("cp-refused"):
        proportions([(REASONS.get(reason, reason), count) for reason, count in vitals.refused])
        if not vitals.refused:
            words("Nothing was refused.", "cp-quiet")


def _problems(problems: Sequence[Problem]) -> None:
    for one in problems[:MOST_PROBLEMS]:
        with block("cp-alert"):
            words(components.line(f"{one.where} {one.what}", 300))
            if one.hint:
                words(components.line(one.hint, 300), "cp-quiet cp-small")
    if len(problems) > MOST_PROBLEMS:
        words(f"And {len(problems) - MOST_PROBLEMS} more: commonplace doctor", "cp-quiet")
    if not problems:
        words("No fault was found.", "cp-quiet")


def _share(share: float | None) -> str:
    return "–" if share is None else f"{share:.0%}"


def _seconds(seconds: float | None) -> str:
    return "–" if seconds is None else f"{seconds * 1_000:,.0f} ms"


def _size(now: Standing) -> tuple[str, str]:
    records, local = now.record_bytes, now.local_bytes
    if not records:
        return "–", ""
    return components.size(records + local), f"records {components.size(records)}"


def _backup(at_s: float | None) -> str:
    if at_s is None:
        return "not set up"
    return components.ago(datetime.fromtimestamp(at_s, UTC) if at_s else None)
