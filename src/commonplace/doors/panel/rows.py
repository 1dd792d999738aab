"""The row of one memory in a list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import ui

from ...notes.display import own_time
from . import components
from .components import block, button, chips, text_label
from .markdown import head_and_rest, snippet_html

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...model.memory import Hit, Memory, Use

ROWS_COOKIE = "commonplace_rows"
"""Remembers full or compact rows."""
MOST_NAME, MOST_SNIPPET, MOST_REASONS = 140, 220, 3
ALWAYS_TOLD = ("scope", "trust", "confidence")
"""Reasons that every hit has; its chips, its facts and its page say them anyway."""


def memory_row(
    hit: Hit,
    use: Use | None,
    *,
    selected: bool,
    select: Callable[[bool], None],
    edit: Callable[[], None],
) -> None:
    """A memory with its snippet, its reasons and its facts."""
    memory = hit.memory
    name, snippet = _texts(hit)
    with block("cp-item cp-memory"):
        box = ui.checkbox(value=selected).props("dense")
        box.props(f'aria-label="Select {memory.id}"')
        box.on_value_change(lambda event: select(bool(event.value)))
        with block("cp-body"):
            with ui.link(target=f"/memory/{memory.id}").classes("cp-name").props("dir=auto"):
                ui.html(name, sanitize=True, tag="span")
            if snippet:
                ui.html(snippet, sanitize=True).classes("cp-snippet").props("dir=auto")
            if marks := " · ".join(filter(None, (hit.warning, hit.stale))):
                text_label(components.one_line(marks, 300), "cp-warning cp-mark")
            reasons = [
                why.words
                for why in hit.why
                if why.part not in ALWAYS_TOLD and why.words != hit.stale
            ]
            if reasons:
                said = components.one_line(" · ".join(reasons[:MOST_REASONS]), 240)
                text_label(said, "cp-why")
            chips(memory)
        with block("cp-facts"):
            count = use.count if use else 0
            when = components.relative_time(own_time(memory))
            text_label(f"recalled {count}× · {when}")
            text_label(_origin(memory), "cp-origin")
            if hit.why:
                text_label(f"fits {min(1.0, hit.fit):.0%}", "cp-fit")
            button("Edit", edit, look="small")


def _texts(hit: Hit) -> tuple[str, str]:
    """The name and the snippet below it, as HTML; a search shows the part that matched."""
    memory = hit.memory
    excerpt = snippet_html(hit.excerpt, MOST_SNIPPET) if hit.excerpt else ""
    if not memory.title:
        name, rest = head_and_rest(memory.content, MOST_NAME, MOST_SNIPPET)
        return name, rest and (excerpt or rest)
    title = snippet_html(memory.title, MOST_NAME)
    name, rest = head_and_rest(memory.content, MOST_SNIPPET, MOST_SNIPPET)
    # A text often begins with its title as a heading.
    whole = rest if name == title else snippet_html(memory.content, MOST_SNIPPET)
    return title, excerpt or whole


def _origin(memory: Memory) -> str:
    return f"{memory.trust} · {components.one_line(memory.source, 30)}"
