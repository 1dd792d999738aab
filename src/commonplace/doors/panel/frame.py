"""The frame around every page: navigation, theme, notices with undo, and live updates."""

from __future__ import annotations

import time
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from nicegui import ui

from ...model.errors import CommonplaceError
from ...projects import working_folder
from . import access
from .access import PanelSession, panel_session
from .components import block, button, link, text_label

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Generator, Sequence

    from ...book import Commonplace
    from ...model.scope import Context

CODE_PATH = "/code"
"""The page of a repository, in the navigation only if the book has memories of one."""
NAVIGATION = (
    ("Browse", "/", "menu_book"),
    ("Inbox", "/inbox", "inbox"),
    ("Recall", "/lab", "science"),
    ("Timeline", "/timeline", "timeline"),
    ("Graph", "/graph", "hub"),
    ("Code", CODE_PATH, "commit"),
    ("Profile", "/profile", "person"),
    ("Health", "/vitals", "monitor_heart"),
    ("Export", "/export", "import_export"),
)
LIVE_S = 1.0
"""How often an open page checks for changes."""
MOST_BADGE = 999
REST_FACTOR = 5
"""Pause after a redraw, as a multiple of the time that it took."""
SCRIPT = """<script>
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, [contenteditable]");
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
    const search = document.querySelector(".cp-search input");
    if (search) { event.preventDefault(); search.focus(); search.select(); }
  }
});
// Filters change the address without a reload, so Back and Forward load what it says.
window.addEventListener("popstate", () => { if (!location.hash) location.reload(); });
</script>"""
THEME_COOKIE = "commonplace_theme"
_WITH_CODE: set[Context] = set()
"""Callers whose navigation had the page of a repository: on their next page it is there at once."""


class Frame:
    """The frame of one open page."""

    def __init__(self, session: PanelSession) -> None:
        self.session = session
        self.client = ui.context.client
        """Parent of dialogs, so that redrawing a list does not close them."""
        self._inbox: tuple[ui.label, ui.link] | None = None
        self._code: ui.link | None = None
        self._bar = block("cp-done").props("role=status aria-live=polite")
        self._bar.set_visibility(False)

    def done(
        self, notice: str, undo: Sequence[str] = (), after: Callable[[], object] | None = None
    ):
        """Show a notice; `undo` lists the events or memories that Undo reverts."""
        self.session.dismiss_error()
        self._bar.clear()
        with self._bar:
            text_label(notice)
            if undo:
                button("Undo", lambda: self._undo(undo, after), look="undo")
            button("Close", lambda: self._bar.set_visibility(False), look="undo")
        self._bar.set_visibility(True)

    async def _undo(self, refs: Sequence[str], after: Callable[[], object] | None) -> None:
        for ref in refs:
            if await self.session.attempt(lambda book, ref=ref: book.revert(ref)) is None:
                return
        self.done("Undone.")
        if after is not None:
            await _await_if_needed(after())

    def show_inbox_count(self, badge: ui.label, inbox: ui.link) -> None:
        """Keep the number of pending decisions beside the link to the inbox."""
        self._inbox = (badge, inbox)
        badge.set_visibility(False)
        # After the page itself, which a person waits for.
        ui.timer(0.05, self._count_inbox, once=True)

    async def _count_inbox(self) -> None:
        if self._inbox is None:
            return
        badge, inbox = self._inbox
        try:
            waiting = await self.session.ask(lambda book: book.inbox_count())
        except CommonplaceError:
            return  # The page itself says that the book cannot be read.
        badge.set_text(f"{waiting:,}" if waiting < MOST_BADGE else f"{MOST_BADGE:,}+")
        badge.set_visibility(bool(waiting))
        inbox.props(f'aria-label="Inbox, {waiting} pending"' if waiting else "aria-label=Inbox")

    def show_code_link(self, code: ui.link) -> None:
        """Let the navigation lead to repositories once the book has memories of one."""
        self._code = code
        code.set_visibility(self.session.book.context in _WITH_CODE)
        ui.timer(0.05, self._look_for_code, once=True)

    async def _look_for_code(self) -> None:
        if self._code is None:
            return
        try:
            found = await self.session.ask(lambda book: bool(self.repositories(book)))
            caller = self.session.book.context
        except CommonplaceError:
            return  # As above.
        (_WITH_CODE.add if found else _WITH_CODE.discard)(caller)
        self._code.set_visibility(found)

    def repositories(self, book: Commonplace) -> tuple[str, ...]:
        """The projects that have a page: those of memories, and where the server was started."""
        return book.repositories(working_folder() if self.session.on_this_machine else "")

    def live(self, refresh: Callable[[], Awaitable[object]]) -> None:
        """Refresh the page whenever the book has changed; a slow page less often."""
        seen = [self.session.book.revision]
        not_before = [0.0]

        async def check() -> None:
            began = time.monotonic()
            if began < not_before[0]:
                return
            try:
                now = await self.session.ask(lambda book: book.revision)
            except CommonplaceError:
                ui.navigate.reload()
                return
            if now != seen[0]:
                seen[0] = now
                await refresh()
                await self._count_inbox()
                await self._look_for_code()
                not_before[0] = time.monotonic() + REST_FACTOR * (time.monotonic() - began)

        ui.timer(LIVE_S, check, immediate=False)


async def _await_if_needed(result: object) -> None:
    if hasattr(result, "__await__"):
        await result  # type: ignore[misc]


@contextmanager
def frame(title: str, here: str) -> Generator[Frame]:
    """Build a page inside the frame."""
    ui.page_title(f"{title} · Commonplace")
    ui.add_head_html(f"<style>{_styles()}</style>{SCRIPT}")
    dark = {"dark": True, "light": False}.get(
        ui.context.client.request.cookies.get(THEME_COOKIE, "")
    )
    theme = ui.dark_mode(dark)
    ui.colors(primary="#2e5e4e", negative="#a3341f")
    with block("cp-skip"):
        link("Skip to content", "#page")
    with block("cp-shell"):
        places = _sidebar(here, theme)
        main = block("cp-main", "main").props("id=page tabindex=-1")
    with places["/inbox"]:
        badge = text_label("", "cp-badge").props("aria-hidden=true")
    with main:
        around = Frame(panel_session())
        around.show_inbox_count(badge, places["/inbox"])
        around.show_code_link(places[CODE_PATH])
        yield around


def _sidebar(here: str, theme: ui.dark_mode) -> dict[str, ui.link]:
    """Draw the navigation; returns its links by their addresses."""
    places: dict[str, ui.link] = {}
    with block("cp-side", "nav").props('aria-label="Pages"'):
        link("Commonplace", "/", "cp-brand")
        for label, path, icon in NAVIGATION:
            with ui.link(target=path).classes(
                "cp-place" + (" cp-here" if path == here else "")
            ) as to:
                ui.icon(icon).props("aria-hidden=true")
                text_label(label)
            places[path] = to
            if path == here:
                to.props("aria-current=page")

        def toggle_theme() -> None:
            theme.value = not theme.value
            chosen = "dark" if theme.value else "light"
            ui.run_javascript(
                f'document.cookie="{THEME_COOKIE}={chosen};path=/;max-age=31536000;samesite=strict"'
            )

        button("Light or dark", toggle_theme, look="theme", icon="contrast")
        if access.COOKIE in ui.context.client.request.cookies:
            link("Sign out", access.LOGOUT_PATH, "cp-place cp-out")
    return places


@cache
def _styles() -> str:
    return (Path(__file__).parent / "assets" / "panel.css").read_text(encoding="utf-8")
