"""What surrounds every page: where one can go, what was just done, and how to undo it."""

from __future__ import annotations

import time
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from nicegui import ui

from ...model.errors import CommonplaceError
from . import access
from .access import Visit, visit
from .components import block, button, link, words

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Generator, Sequence

PLACES = (
    ("Browse", "/", "menu_book"),
    ("Inbox", "/inbox", "inbox"),
    ("Lab", "/lab", "science"),
    ("Timeline", "/timeline", "timeline"),
    ("Graph", "/graph", "hub"),
    ("Profile", "/profile", "person"),
    ("Health", "/vitals", "monitor_heart"),
    ("Export", "/export", "import_export"),
)
LIVE_S = 1.0
"""How soon a change that an agent makes is seen."""
REST = 5
"""How many times as long as drawing a page took it is then left alone."""
SCRIPT = """<script>
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, [contenteditable]");
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
    const search = document.querySelector(".cp-search input");
    if (search) { event.preventDefault(); search.focus(); search.select(); }
  }
});
</script>"""
THEME = "commonplace_theme"


class Frame:
    """The page around what a page shows."""

    def __init__(self, visit: Visit) -> None:
        self.visit = visit
        self.client = ui.context.client
        """Where dialogs belong: a list that is shown anew must not take them away."""
        self._bar = block("cp-done").props("role=status aria-live=polite")
        self._bar.set_visibility(False)

    def done(self, said: str, undo: Sequence[str] = (), after: Callable[[], object] | None = None):
        """Say what was done, with a way back where there is one: events or memories to revert."""
        self._bar.clear()
        with self._bar:
            words(said)
            if undo:
                button("Undo", lambda: self._undo(undo, after), look="undo")
            button("Close", lambda: self._bar.set_visibility(False), look="undo")
        self._bar.set_visibility(True)

    async def _undo(self, refs: Sequence[str], after: Callable[[], object] | None) -> None:
        for ref in refs:
            if await self.visit.attempt(lambda book, ref=ref: book.revert(ref)) is None:
                return
        self.done("Undone.")
        if after is not None:
            await _maybe(after())

    def live(self, refresh: Callable[[], Awaitable[object]]) -> None:
        """Show the page anew whenever the book has changed, whoever changed it.

        A page that takes long to draw rests longer in between.
        """
        seen = [self.visit.book.revision]
        not_before = [0.0]

        async def look() -> None:
            began = time.monotonic()
            if began < not_before[0]:
                return
            try:
                now = await self.visit.ask(lambda book: book.revision)
            except CommonplaceError:
                ui.navigate.reload()
                return
            if now != seen[0]:
                seen[0] = now
                await refresh()
                not_before[0] = time.monotonic() + REST * (time.monotonic() - began)

        ui.timer(LIVE_S, look, immediate=False)


async def _maybe(result: object) -> None:
    if hasattr(result, "__await__"):
        await result  # type: ignore[misc]


@contextmanager
def frame(title: str, here: str) -> Generator[Frame]:
    """Build a page inside the frame."""
    ui.page_title(f"{title} · Commonplace")
    ui.add_head_html(f"<style>{_styles()}</style>{SCRIPT}")
    dark = {"dark": True, "light": False}.get(ui.context.client.request.cookies.get(THEME, ""))
    theme = ui.dark_mode(dark)
    ui.colors(primary="#2e5e4e", negative="#a3341f")
    with block("cp-skip"):
        link("Skip to the page", "#page")
    with block("cp-shell"):
        _side(here, theme)
        main = block("cp-main", "main").props("id=page tabindex=-1")
    with main:
        yield Frame(visit())


def _side(here: str, theme: ui.dark_mode) -> None:
    with block("cp-side", "nav").props('aria-label="Pages"'):
        link("Commonplace", "/", "cp-brand")
        for label, path, icon in PLACES:
            with ui.link(target=path).classes(
                "cp-place" + (" cp-here" if path == here else "")
            ) as to:
                ui.icon(icon).props("aria-hidden=true")
                words(label)
            if path == here:
                to.props("aria-current=page")

        def turn() -> None:
            theme.value = not theme.value
            kept = "dark" if theme.value else "light"
            ui.run_javascript(
                f'document.cookie="{THEME}={kept};path=/;max-age=31536000;samesite=strict"'
            )

        button("Light or dark", turn, look="theme", icon="contrast")
        if access.COOKIE in ui.context.client.request.cookies:
            link("Sign out", access.OUT, "cp-place cp-out")


@cache
def _styles() -> str:
    return (Path(__file__).parent / "assets" / "panel.css").read_text(encoding="utf-8")
