"""Texts, times, Markdown and elements that the pages share."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from difflib import SequenceMatcher
from html import escape
from urllib.parse import urlencode

from nicegui import ui

from ...model.memory import KINDS
from .. import plain_words
from .markdown import markdown_html, reveal_hidden, snippet_html, snippet_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from ...model.memory import Memory


_STEPS = ((3_600, 60, "min"), (86_400, 3_600, "h"), (60 * 86_400, 86_400, "d"))


def one_line(text: str, most: int = 160) -> str:
    """The beginning of a text as one line."""
    short = " ".join(text[: most * 4].split())
    return reveal_hidden(short if len(short) <= most else short[: most - 1].rstrip() + "…")


def memory_name(memory: Memory, most: int = 120) -> str:
    """A memory's title, or the beginning of its text."""
    return one_line(memory.title, most) or snippet_text(memory.content, most)


def relative_time(moment: datetime | None) -> str:
    """How long ago, or the date if that is long."""
    if moment is None:
        return "never"
    seconds = (datetime.now(UTC) - moment).total_seconds()
    if seconds < 60:
        return "just now"
    for under, unit, word in _STEPS:
        if seconds < under:
            return f"{int(seconds // unit)} {word}"
    return moment.strftime("%-d %b %Y")


def exact_time(moment: datetime) -> str:
    """Date and time to the minute."""
    return moment.astimezone(UTC).strftime("%-d %b %Y, %H:%M UTC")


def size(count: int) -> str:
    """A number of bytes in a readable unit."""
    if count < 1_000:
        return f"{count} bytes"
    amount, units = count / 1_000, ["TB", "GB", "MB", "kB"]
    while amount >= 1_000 and len(units) > 1:
        amount /= 1_000
        units.pop()
    return f"{amount:.{1 if amount < 10 else 0}f} {units[-1]}"


def plural(count: int, word: str) -> str:
    """`1 memory`, `3 memories`."""
    if count == 1:
        return f"1 {word}"
    return f"{count:,} {word[:-1]}ies" if word.endswith("y") else f"{count:,} {word}s"


def block(classes: str = "", tag: str = "div") -> ui.element:
    """A container."""
    return ui.element(tag).classes(classes)


def text_label(text: str, classes: str = "") -> ui.label:
    """A text, never taken for HTML."""
    return ui.label(text).classes(classes).props("dir=auto")


def text_with_code(text: str, classes: str = "") -> None:
    """A sentence whose `commands` look like commands."""
    ui.html(snippet_html(text, 300), sanitize=True).classes(classes).props("dir=auto")


def heading(text: str, note: str = "") -> None:
    """The title of a page."""
    with block("cp-heading", "header"):
        with block("", "h1"):
            text_label(text)
        if note:
            text_label(note, "cp-quiet")


def section(title: str) -> ui.element:
    """A part of a page with a title."""
    element = block("cp-section", "section")
    with element, block("", "h2"):
        text_label(title)
    return element


def empty_state(title: str, *lines: str) -> None:
    """A placeholder for an empty list: what appears here, and how."""
    with block("cp-empty"):
        text_label(title, "cp-empty-title")
        for line in lines:
            text_label(line, "cp-quiet")


def button(
    label: str, on_click: Callable[..., Any], *, look: str = "plain", icon: str = ""
) -> ui.button:
    """A button: plain, strong for the main action, danger for one that cannot be undone."""
    element = ui.button(label, on_click=on_click, icon=icon or None, color=None)
    return element.classes(f"cp-button cp-{look}").props("flat no-caps dense")


def chips(memory: Memory) -> None:
    """A memory's kind, scope, status, tier, topic and tags; topic and tags lead to others."""
    with block("cp-chips"):
        kind_chip(memory.kind)
        text_label(one_line(str(memory.scope), 80), "cp-chip cp-scope")
        if memory.status != "active":
            text_label(plain_words.status(memory.status), f"cp-chip cp-status-{memory.status}")
        if memory.tier != "search":
            text_label(f"tier {memory.tier}", "cp-chip")
        if memory.topic:
            _filter_chip(f"topic {one_line(memory.topic, 40)}", "topic", memory.topic)
        for tag in memory.tags[:6]:
            _filter_chip(f"#{one_line(tag, 40)}", "tag", tag.lower())


def _filter_chip(text: str, name: str, value: str) -> None:
    look = "cp-chip cp-tag" if name == "tag" else "cp-chip"
    link(text, f"/?{urlencode({name: value})}", look)


def memory_text(memory: Memory, links: Mapping[str, str] | None = None) -> None:
    """The whole text of a memory, formatted; `links` are the memories that its wikilinks name."""
    html = markdown_html(memory.content, links)
    if html is None:
        text_label(reveal_hidden(memory.content), "cp-verbatim")
    else:
        ui.html(html, sanitize=True).classes("cp-prose").props("dir=auto")


def definition_list(rows: Sequence[tuple[str, str]]) -> None:
    """Names and values, one pair per line."""
    with block("cp-pairs", "dl"):
        for label, value in rows:
            with block("", "dt"):
                text_label(label)
            with block("", "dd"):
                text_label(one_line(value, 300))


def link(text: str, to: str, classes: str = "") -> ui.link:
    """A link to another page of the panel."""
    return ui.link(text, to).classes(classes).props("dir=auto")


def memory_link(memory: Memory, classes: str = "cp-link", most: int = 120) -> ui.link:
    """A memory's name as a link to its page."""
    return link(memory_name(memory, most), f"/memory/{memory.id}", classes)


def figures(rows: Sequence[tuple[str, str, str]]) -> None:
    """Cards with a label, a number and a note."""
    with block("cp-figures"):
        for label, number, note in rows:
            with block("cp-card cp-figure"):
                text_label(label, "cp-quiet cp-small")
                text_label(number, "cp-number" if len(number) < 14 else "cp-number-long")
                if note:
                    text_label(note, "cp-quiet cp-small")


def bar_list(counts: Sequence[tuple[str, int]], most: int = 12) -> None:
    """Names with their counts as bars."""
    largest = max((count for _, count in counts), default=1)
    with block("cp-stack"):
        for name, count in counts[:most]:
            with block():
                with block("cp-between"):
                    text_label(one_line(name, 80))
                    text_label(f"{count:,}", "cp-quiet")
                with block("cp-bar"):
                    block().style(f"width: {100 * count / largest:.1f}%")
        if len(counts) > most:
            text_label(f"and {len(counts) - most:,} more", "cp-quiet cp-small")


def bar_chart(
    names: Sequence[str],
    series: Sequence[tuple[str, Sequence[int]]],
    *,
    stacked: bool = False,
    colour: int = 0,
) -> ui.echart:
    """A chart with one or several bars for each name."""
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
"""Axes of charts, legible on light and dark."""
COLOURS = (
    "#327a60", "#99603f", "#446fa8", "#ac4698", "#766f30", "#33777e", "#b44d4a", "#7e5bbc",
    "#4a7a32", "#b34970", "#5f65be", "#866937", "#157f26", "#ae25dc", "#1a75a2", "#c34120",
    "#5e7713", "#d42240", "#3c65df", "#a15d1a",
)  # fmt: skip
"""One for each conventional kind and some more; white text is legible on all, and all are on light
and dark pages."""


def kind_colours(kinds: Iterable[str]) -> dict[str, str]:
    """A colour for each kind: the same everywhere for a conventional one, else one that is free."""
    named = sorted(set(kinds))
    colours = {kind: COLOURS[KINDS.index(kind)] for kind in named if kind in KINDS}
    free = [one for one in reversed(COLOURS) if one not in colours.values()] or [GREY]
    others = [kind for kind in named if kind not in KINDS]
    return colours | {kind: free[at % len(free)] for at, kind in enumerate(others)}


def kind_chip(kind: str) -> None:
    """A kind in its colour."""
    text_label(one_line(kind, 40), "cp-chip cp-kind").style(
        f"background: {kind_colours([kind])[kind]}"
    )


MAX_DIFF_LINES = 2_000


def differences(old: str, new: str) -> Iterator[tuple[str, str]]:
    """The lines of two texts in reading order, each `same`, `gone` or `added`."""
    before, after = old.splitlines()[:MAX_DIFF_LINES], new.splitlines()[:MAX_DIFF_LINES]
    for kind, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            yield "same", "\n".join(before[a:b])
            continue
        if a < b:
            yield "gone", "\n".join(before[a:b])
        if c < d:
            yield "added", "\n".join(after[c:d])


_WORD = re.compile(r"\s+|[^\s\w]|\w+")
MAX_MARKED_CHARACTERS = 2_000


def marked_differences(text: str, other: str) -> str:
    """A text as HTML, with the words marked that the other one does not have there."""
    text, other = (reveal_hidden(one[:MAX_MARKED_CHARACTERS]) for one in (text, other))
    mine, theirs = _WORD.findall(text), _WORD.findall(other)
    html: list[str] = []
    for kind, a, b, _, _ in SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes():
        words = escape("".join(mine[a:b]))
        html.append(words if kind == "equal" or not words.strip() else f"<mark>{words}</mark>")
    return "".join(html)
