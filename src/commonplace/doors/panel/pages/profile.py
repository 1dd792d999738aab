"""Profile: the text that every session loads, with its length."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import ui

from ....model.errors import CommonplaceError, Conflict
from ....notes.profile import LIMIT, percent_used
from ..access import notify_error
from ..components import block, button, heading, text_label
from ..frame import Frame, frame
from ..markdown import reveal_hidden

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
            f"Loaded in every session; at most {LIMIT:,} characters.",
        )
        known = await around.session.attempt(lambda book: book.profile())
        if known is not None:
            editor = _ProfileEditor(around, known)
            around.live(editor.follow)


class _ProfileEditor:
    def __init__(self, around: Frame, known: Profile) -> None:
        self._frame = around
        self._known = known.text
        """The stored text at the start of the edit."""
        self._conflict = block("cp-warning cp-stack")
        self._conflict.set_visibility(False)
        self._text = ui.textarea(value=known.text, placeholder=PLACEHOLDER, on_change=self._measure)
        self._text.props('outlined autogrow aria-label="Profile"').classes("cp-wide")
        with block("cp-row").style("margin-top: .8rem"):
            with block("cp-bar").style("flex: 1") as self._bar:
                self._filled = block()
            self._length = text_label("", "cp-quiet cp-percent")
            button("Save", self._save, look="strong")
        self._unconfirmed = block("cp-quiet cp-mark")
        self._show_unconfirmed(known)
        self._measure()

    def _measure(self) -> None:
        text = self._text.value or ""
        used = percent_used(text)
        self._filled.style(f"width: {min(100, used)}%")
        self._bar.classes(**{"add" if used > 100 else "remove": "cp-over"})
        self._length.set_text(f"{used} % · {len(text):,} of {LIMIT:,}")

    async def _save(self) -> None:
        text = self._text.value or ""
        try:
            saved = await self._frame.session.ask(
                lambda book: _save_profile(book, text, self._known)
            )
        except Conflict:
            await self._show_conflict()
        except CommonplaceError as error:
            notify_error(error)
        else:
            self._known = saved.text
            self._show_unconfirmed(saved)
            self._conflict.set_visibility(False)
            undo = [saved.memory.id] if saved.memory else []
            self._frame.done("Saved.", undo, self._reload)

    async def follow(self) -> None:
        """Show a change by others; if the person is editing too, show both texts."""
        known = await self._frame.session.attempt(lambda book: book.profile())
        if known is None:
            return
        self._show_unconfirmed(known)
        if known.text == self._known:
            return
        if self._text.value == self._known:
            self._known = known.text
            self._text.value = known.text
        else:
            await self._show_conflict()

    async def _reload(self) -> None:
        known = await self._frame.session.attempt(lambda book: book.profile())
        if known is not None:
            self._known = known.text
            self._text.value = known.text
            self._show_unconfirmed(known)

    def _show_unconfirmed(self, known: Profile) -> None:
        """Say which lines agents wrote and no person has confirmed."""
        self._unconfirmed.clear()
        with self._unconfirmed:
            if known.text and not known.confirmed:
                text_label("An agent wrote this, and nobody has confirmed it: see the inbox.")
            if known.unconfirmed:
                text_label("Written by agents beside it, not confirmed; see the inbox:")
                text_label(reveal_hidden(known.unconfirmed), "cp-verbatim")

    async def _show_conflict(self) -> None:
        now = await self._frame.session.attempt(lambda book: book.profile())
        if now is None:
            return
        self._known = now.text
        self._conflict.clear()
        with self._conflict:
            text_label("Somebody changed the profile. The new text:")
            text_label(reveal_hidden(now.text), "cp-verbatim")
            text_label("Your text is still below. Save again to replace the new text.")
        self._conflict.set_visibility(True)


def _save_profile(book: Commonplace, text: str, known: str) -> Profile:
    if book.profile().text != known:
        raise Conflict("The profile has changed meanwhile.", hint="Compare both texts.")
    return book.profile_set(text)
