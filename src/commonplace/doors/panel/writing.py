"""Writing a new memory by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import ui

from ...model import KINDS
from .parts import block, button, words

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from ...book import Commonplace
    from ...results import Saved
    from .frame import Frame

BY_HAND = [kind for kind in KINDS if kind not in ("profile", "override")]
SAID = {
    "created": "Remembered.",
    "merged": "Merged with what was known.",
    "deduplicated": "That was known already.",
    "superseded": "Remembered, in place of what it contradicts.",
    "staged": "It waits in the inbox, because something more trusted says otherwise.",
}


class Writer:
    """A form for one memory; the gates decide what becomes of it, as they do for agents."""

    def __init__(self, frame: Frame, done: Callable[[str, Sequence[str]], Awaitable[None]]) -> None:
        self._frame = frame
        self._done = done
        with frame.client, ui.dialog() as self._dialog, ui.card().classes("cp-dialog"):
            words("What should be remembered?", "cp-empty-title")
            self._text = ui.textarea("Text").props("outlined autogrow autofocus")
            self._text.classes("cp-wide")
            with block("cp-row"):
                self._kind = ui.select(BY_HAND, value="insight", label="Kind")
                self._kind.props("outlined dense options-dense").style("min-width: 9rem")
                self._scope = ui.input("Scope", placeholder="/project/mech-fighters")
                self._topic = ui.input("Topic")
                self._tags = ui.input("Tags, separated by commas")
                for field in (self._scope, self._topic, self._tags):
                    field.props("outlined dense").style("flex: 1 1 10rem")
            with block("cp-row"):
                button("Remember", self._save, look="strong")
                button("Cancel", self._dialog.close)
        self._dialog.open()

    async def _save(self) -> None:
        if not (self._text.value or "").strip():
            ui.notify("Write something first.", type="warning")
            return
        saved = await self._frame.visit.attempt(self._saved)
        if saved is not None:
            self._dialog.close()
            undo = [saved.id] if saved.action in ("created", "superseded", "merged") else []
            await self._done(SAID[saved.action], undo)

    def _saved(self, book: Commonplace) -> Saved:
        tags = [tag.strip() for tag in (self._tags.value or "").split(",") if tag.strip()]
        return book.save(
            (self._text.value or "").strip(),
            kind=self._kind.value,
            scope=(self._scope.value or "").strip() or None,
            topic=(self._topic.value or "").strip() or None,
            tags=tags,
        )
