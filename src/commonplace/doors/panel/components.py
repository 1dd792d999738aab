"""The few pieces that every page is made of."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from difflib import SequenceMatcher
from functools import cache

from markdown_it import MarkdownIt
from nicegui import ui

from ...model.memory import KINDS
from ...notes.display import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from markdown_it.renderer import RendererProtocol
    from markdown_it.token import Token
    from markdown_it.utils import EnvType, OptionsDict

    from ...model.memory import Memory


_HIDDEN = re.compile(
    "[\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\x00-\x08\x0b-\x1f\x7f-\x9f]"
)
"""What changes a text without being seen. The joiners of scripts and emoji are left alone."""
_HEADING = re.compile(r"^#{1,6} +(.*)$", re.MULTILINE)
_LINK = re.compile(r"\[\[(?:[^\[\]|\n]*\|)?([^\[\]|\n]+)\]\]")
_STEPS = ((3_600, 60, "min"), (86_400, 3_600, "h"), (60 * 86_400, 86_400, "d"))


def visible(text: str) -> str:
    """The text with every hidden character named, so that nobody is shown another text."""
    return _HIDDEN.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", shown(text))


def line(text: str, most: int = 160) -> str:
    """The beginning of a text, on one line."""
    short = " ".join(text[: most * 4].split())
    return visible(short if len(short) <= most else short[: most - 1].rstrip() + "…")


def name(memory: Memory, most: int = 120) -> str:
    """What to call a memory: its title, or how it begins."""
    return line(memory.title or _spoken(memory.content[: most * 4]), most)


def _spoken(text: str) -> str:
    """A text as one would read it out: headings without their marks, links by their words."""
    parts = (part.strip() for part in _HEADING.split(text))
    return _LINK.sub(r"\1", " · ".join(part for part in parts if part))


def ago(moment: datetime | None) -> str:
    """How long ago something was."""
    if moment is None:
        return "never"
    seconds = (datetime.now(UTC) - moment).total_seconds()
    if seconds < 60:
        return "just now"
    for under, unit, word in _STEPS:
        if seconds < under:
            return f"{int(seconds // unit)} {word}"
    return moment.strftime("%-d %b %Y")


def when(moment: datetime) -> str:
    """A moment, to the minute."""
    return moment.astimezone(UTC).strftime("%-d %b %Y, %H:%M UTC")


def size(count: int) -> str:
    """So many bytes, in the unit that fits."""
    if count < 1_000:
        return f"{count} bytes"
    amount, units = count / 1_000, ["TB", "GB", "MB", "kB"]
    while amount >= 1_000 and len(units) > 1:
        amount /= 1_000
        units.pop()
    return f"{amount:.{1 if amount < 10 else 0}f} {units[-1]}"


def several(count: int, word: str) -> str:
    """`1 memory`, `3 memories`."""
    if count == 1:
        return f"1 {word}"
    return f"{count:,} {word[:-1]}ies" if word.endswith("y") else f"{count:,} {word}s"


# Markdown of memories as HTML that cannot do anything: no tags of its own, no pictures.


LONGEST = 200_000
"""A longer text is shown as it is: nobody reads it formatted, and a browser would take its time."""


def rendered(text: str) -> str | None:
    """The text as safe HTML; None when it is better shown as it is."""
    return _reader().render(visible(text)) if len(text) <= LONGEST else None


@cache
def _reader() -> MarkdownIt:
    reader = MarkdownIt("commonmark", {"html": False, "linkify": False})
    reader.enable(["table", "strikethrough"])
    # A picture would be fetched from wherever a text says; it stays words.
    reader.disable("image")
    reader.validateLink = _may_be_followed  # pyright: ignore[reportAttributeAccessIssue]
    reader.add_render_rule("link_open", _link_open)
    return reader


def _may_be_followed(url: str) -> bool:
    return url.lower().startswith(("https://", "http://", "mailto:", "#"))


def _link_open(
    self: RendererProtocol, tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType
) -> str:
    tokens[at].attrSet("rel", "noopener noreferrer nofollow")
    tokens[at].attrSet("target", "_blank")
    return self.renderToken(tokens, at, options, env)  # type: ignore[attr-defined]


# The few pieces that every page is made of.


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
            words(f"topic {line(memory.topic, 40)}", "cp-chip")
        for tag in memory.tags[:6]:
            words(f"#{line(tag, 40)}", "cp-chip cp-tag")


def text_of(memory: Memory) -> None:
    """All that a memory says, formatted."""
    html = rendered(memory.content)
    if html is None:
        words(visible(memory.content), "cp-verbatim")
    else:
        ui.html(html, sanitize=True).classes("cp-prose").props("dir=auto")


def pairs(rows: Sequence[tuple[str, str]]) -> None:
    """Names and values, one below the other."""
    with block("cp-pairs", "dl"):
        for label, value in rows:
            with block("", "dt"):
                words(label)
            with block("", "dd"):
                words(line(value, 300))


def link(text: str, to: str, classes: str = "") -> ui.link:
    """A way to another page of the panel."""
    return ui.link(text, to).classes(classes).props("dir=auto")


def link_to(memory: Memory, classes: str = "cp-link", most: int = 120) -> ui.link:
    """A memory's name, leading to it."""
    return link(name(memory, most), f"/memory/{memory.id}", classes)


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
                    words(line(name, 80))
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


# What changed from one version of a text to the next, line by line.


MOST_LINES = 2_000


def differences(old: str, new: str) -> Iterator[tuple[str, str]]:
    """Pieces of both texts in reading order, each `same`, `gone` or `added`."""
    before, after = old.splitlines()[:MOST_LINES], new.splitlines()[:MOST_LINES]
    for kind, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            yield "same", "\n".join(before[a:b])
            continue
        if a < b:
            yield "gone", "\n".join(before[a:b])
        if c < d:
            yield "added", "\n".join(after[c:d])
