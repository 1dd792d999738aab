"""Profile: the page that every agent is always handed, and how full it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import ui

from ....model.errors import CommonplaceError, Conflict
from ....notes.profile import LIMIT, percent
from .. import components
from ..access import tell
from ..components import block, button, heading, words
from ..frame import Frame, frame

if TYPE_CHECKING:
    from ....agent.profile import Profile
    from ....book import Commonplace

PLACEHOLDER = "## Who I am\nA short paragraph\n\n## How I work\nWhat agents should know"


@ui.page("/profile")
async def profile() -> None:
    """The profile, to be edited."""
    with frame("Profile", "/profile") as around:
        heading(
            "Profile",
            f"Always handed to every agent, so it stays short: {LIMIT:,} characters at most.",
        )
        known = await around.visit.attempt(lambda book: book.profile())
        if known is not None:
            editor = _Editor(around, known)
            around.live(editor.follow)


class _Editor:
    def __init__(self, around: Frame, known: Profile) -> None:
        self._frame = around
        self._known = known.text
        """The text that the editing began with."""
        self._conflict = block("cp-warning cp-stack")
        self._conflict.set_visibility(False)
        self._text = ui.textarea(value=known.text, placeholder=PLACEHOLDER, on_change=self._measure)
        self._text.props('outlined autogrow aria-label="Profile"').classes("cp-wide")
        with block("cp-row").style("margin-top: .8rem"):
            with block("cp-bar").style("flex: 1") as self._bar:
                self._full = block()
            self._said = words("", "cp-quiet cp-percent")
            button("Save", self._save, look="strong")
        self._measure()

    def _measure(self) -> None:
        text = self._text.value or ""
        used = percent(text)
        self._full.style(f"width: {min(100, used)}%")
        self._bar.classes(**{"add" if used > 100 else "remove": "cp-over"})
        self._said.set_text(f"{used} % · {len(text):,} of {LIMIT:,}")

    async def _save(self) -> None:
        text = self._text.value or ""
        try:
            saved = await self._frame.visit.ask(lambda book: _written(book, text, self._known))
        except Conflict:
            await self._show_conflict()
        except CommonplaceError as error:
            tell(error)
        else:
            self._known = saved.text
            self._conflict.set_visibility(False)
            undo = [saved.memory.id] if saved.memory else []
            self._frame.done("Saved.", undo, self._reload)

    async def follow(self) -> None:
        """Show what others write, unless the person is writing: then both texts are shown."""
        known = await self._frame.visit.attempt(lambda book: book.profile())
        if known is None or known.text == self._known:
            return
        if self._text.value == self._known:
            self._known = known.text
            self._text.value = known.text
        else:
            await self._show_conflict()

    async def _reload(self) -> None:
        known = await self._frame.visit.attempt(lambda book: book.profile())
        if known is not None:
            self._known = known.text
            self._text.value = known.text

    async def _show_conflict(self) -> None:
        now = await self._frame.visit.attempt(lambda book: book.profile())
        if now is None:
            return
        self._known = now.text
        self._conflict.clear()
        with self._conflict:
            words("Somebody changed the profile meanwhile. It says now:")
            words(components.visible(now.text), "cp-verbatim")
            words("Yours is still below. Save again to put it in its place.")
        self._conflict.set_visibility(True)


def _written(book: Commonplace, text: str, known: str) -> Profile:
    if book.profile().text != known:
        raise Conflict("The profile was changed meanwhile.", hint="Look at both texts.")
    return book.profile_set(text)
