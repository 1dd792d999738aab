"""The few pieces that every page is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import ui

from ...model import KINDS
from . import legible
from .markdown import rendered

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ...model import Memory


def block(classes: str = "", tag: str = "div") -> ui.element:
    """A container."""
    return ui.element(tag).classes(classes)


def words(text: str, classes: str = "") -> ui.label:
    """A text, shown as text whatever it says."""
    return ui.label(text).classes(classes).props("dir=auto")


def heading(text: str, note: str = "") -> None:
    """The title of a page."""
    with block("cp-heading", "header"):
        with block("", "h1"):
            words(text)
        if note:
            words(note, "cp-quiet")


def section(title: str) -> ui.element:
    """A part of a page under a title of its own."""
    whole = block("cp-section", "section")
    with whole, block("", "h2"):
        words(title)
    return whole


def empty(title: str, *teaching: str) -> None:
    """What to say where there is nothing yet: what would be here, and how it gets here."""
    with block("cp-empty"):
        words(title, "cp-empty-title")
        for one in teaching:
            words(one, "cp-quiet")


def button(label: str, do: Callable[..., Any], *, look: str = "plain", icon: str = "") -> ui.button:
    """A button: plain, strong for the main thing, danger for what cannot be taken back lightly."""
    made = ui.button(label, on_click=do, icon=icon or None, color=None)
    return made.classes(f"cp-button cp-{look}").props("flat no-caps dense")


def chips(memory: Memory) -> None:
    """What a memory is, in a few small words."""
    with block("cp-chips"):
        words(memory.kind, f"cp-chip cp-kind cp-kind-{shade(memory.kind)}")
        words(str(memory.scope), "cp-chip")
        if memory.status != "active":
            words(memory.status, f"cp-chip cp-status-{memory.status}")
        if memory.tier != "search":
            words(memory.tier, "cp-chip")
        if memory.topic:
            words(f"topic {legible.line(memory.topic, 40)}", "cp-chip")
        for tag in memory.tags[:6]:
            words(f"#{legible.line(tag, 40)}", "cp-chip cp-tag")


def text_of(memory: Memory) -> None:
    """All that a memory says, formatted."""
    html = rendered(memory.content)
    if html is None:
        words(legible.visible(memory.content), "cp-verbatim")
    else:
        ui.html(html, sanitize=True).classes("cp-prose").props("dir=auto")


def pairs(rows: Sequence[tuple[str, str]]) -> None:
    """Names and values, one below the other."""
    with block("cp-pairs", "dl"):
        for label, value in rows:
            with block("", "dt"):
                words(label)
            with block("", "dd"):
                words(legible.line(value, 300))


def link(text: str, to: str, classes: str = "") -> ui.link:
    """A way to another page of the panel."""
    return ui.link(text, to).classes(classes).props("dir=auto")


def link_to(memory: Memory, classes: str = "cp-link", most: int = 120) -> ui.link:
    """A memory's name, leading to it."""
    return link(legible.name(memory, most), f"/memory/{memory.id}", classes)


def figures(rows: Sequence[tuple[str, str, str]]) -> None:
    """Numbers that are seen at a glance: what each is, its value, and a note."""
    with block("cp-figures"):
        for label, number, note in rows:
            with block("cp-card cp-figure"):
                words(label, "cp-quiet cp-small")
                words(number, "cp-number" if len(number) < 14 else "cp-number-long")
                if note:
                    words(note, "cp-quiet cp-small")


def proportions(counts: Sequence[tuple[str, int]], most: int = 12) -> None:
    """Names with how many each, as bars beside each other."""
    largest = max((count for _, count in counts), default=1)
    with block("cp-stack"):
        for name, count in counts[:most]:
            with block():
                with block("cp-between"):
                    words(legible.line(name, 80))
                    words(f"{count:,}", "cp-quiet")
                with block("cp-bar"):
                    block().style(f"width: {100 * count / largest:.1f}%")
        if len(counts) > most:
            words(f"and {len(counts) - most:,} more", "cp-quiet cp-small")


def columns(
    names: Sequence[str],
    series: Sequence[tuple[str, Sequence[int]]],
    *,
    stacked: bool = False,
    colour: int = 0,
) -> ui.echart:
    """A chart of one or several counts for each name."""
    several = len(series) > 1
    legend = {"bottom": 0, "icon": "circle", "textStyle": {"color": GREY}}
    options: dict[str, object] = {
        "color": [*COLOURS[colour:], *COLOURS[:colour]],
        "tooltip": {"trigger": "axis", "axisPointer": {"type": "shadow"}},
        "grid": {"left": 40, "right": 8, "top": 12, "bottom": 52 if several else 28},
        "xAxis": {**AXIS, "type": "category", "data": list(names)},
        "yAxis": {**AXIS, "type": "value", "minInterval": 1, "splitLine": {"show": False}},
        "series": [
            {
                "name": name,
                "type": "bar",
                "data": list(counts),
                **({"stack": "all"} if stacked else {}),
            }
            for name, counts in series
        ],
    }
    return ui.echart({**options, "legend": legend} if several else options).classes("cp-chart")


GREY = "#8a8378"
AXIS = {"axisLabel": {"color": "#8a8378"}, "axisLine": {"lineStyle": {"color": "#8a8378"}}}
"""How the axes of charts look: legible on light and dark."""
COLOURS = ("#2e5e4e", "#a3562a", "#3f5f8a", "#8a4f7d", "#7a7330", "#2f7d83", "#a14848", "#5a5a8f")


def shade(kind: str) -> int:
    """Which of the colours a kind has, always the same one."""
    place = KINDS.index(kind) if kind in KINDS else sum(kind.encode())
    return place % len(COLOURS)
