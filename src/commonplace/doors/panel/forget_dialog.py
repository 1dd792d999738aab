"""The dialog that forgets or purges by description: what goes, what is near, one confirmation."""

from __future__ import annotations

from nicegui import ui

from . import components
from .components import block, button, text_label

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from ...book import Commonplace
    from ...model.memory import Memory
    from ...verbs.forget_about import NearMiss, Previewed
    from .frame import Frame


class ForgetAboutDialog:
    """Asks for a description, shows the two lists, and changes what the person confirms."""

    def __init__(self, frame: Frame, done: Callable[[str, Sequence[str]], Awaitable[None]]) -> None:
        self._frame = frame
        self._done = done
        self._seen: Previewed | None = None
        self._also: set[str] = set()
        with frame.client, ui.dialog() as self._dialog, ui.card().classes("cp-dialog"):
            text_label("Forget by description", "cp-empty-title")
            self._words = ui.input("What is it about?", placeholder="the Oslo trip")
            self._words.props("outlined autofocus").classes("cp-wide")
            self._words.on("keydown.enter", self._preview)
            self._purge = ui.checkbox("Delete permanently, also what was forgotten before")
            self._purge.on_value_change(self._clear)
            with block("cp-row"):
                button("Show", self._preview, look="strong")
                button("Cancel", self._dialog.close)
            self._lists = block("cp-stack")
        self._dialog.open()

    def _clear(self) -> None:
        """A preview is only good for what it was made for."""
        self._seen = None
        self._lists.clear()

    async def _preview(self) -> None:
        words, purge = (self._words.value or "").strip(), bool(self._purge.value)
        if not words:
            ui.notify("Enter a description first.", type="warning")
            return
        self._seen = await self._frame.session.attempt(lambda book: book.about(words, purge=purge))
        if self._seen is not None:
            self._also.clear()
            self._draw(self._seen, purge=purge)

    def _draw(self, seen: Previewed, *, purge: bool) -> None:
        self._lists.clear()
        with self._lists:
            count = components.plural(len(seen.going), "memory")
            text_label(f"Will go: {count}" if seen.going else "No memory fits.", "cp-name")
            for memory in seen.going:
                _line(memory, seen.left.get(memory.id, ""))
            if seen.near:
                text_label("Near, and stays unless you tick it", "cp-name")
            for one in seen.near:
                self._near(one)
            if not seen.going and not seen.near:
                return
            if purge:
                text_label("This cannot be undone.", "cp-warning")
                typed = ui.input("Type “purge” to confirm").props("outlined")
                button("Delete permanently", lambda: self._purge_all(typed), look="danger")
            else:
                button("Forget", self._forget_all, look="strong")

    def _near(self, one: NearMiss) -> None:
        with block("cp-row"):
            box = ui.checkbox(value=False).props("dense")
            box.props(f'aria-label="Also {one.memory.id}"')
            box.on_value_change(lambda event: self._tick(one.memory.id, bool(event.value)))
            _line(one.memory, one.why)

    def _tick(self, id: str, chosen: bool) -> None:
        (self._also.add if chosen else self._also.discard)(id)

    async def _forget_all(self) -> None:
        seen, also = self._seen, sorted(self._also)
        if seen is None:
            return

        def forget(book: Commonplace) -> tuple[str, int]:
            gone = book.forget_about(seen.description, seen.id, also=also)
            return gone.id, len(gone.memories)

        gone = await self._frame.session.attempt(forget)
        if gone is not None:
            self._dialog.close()
            await self._done(f"{components.plural(gone[1], 'memory')} forgotten.", [gone[0]])

    async def _purge_all(self, typed: ui.input) -> None:
        seen, also = self._seen, sorted(self._also)
        if seen is None:
            return
        if typed.value != "purge":
            ui.notify("Type “purge” first.", type="warning")
            return
        gone = await self._frame.session.attempt(
            lambda book: book.purge_about(seen.description, seen.id, also=also)
        )
        if gone is not None:
            self._dialog.close()
            count = components.plural(len(gone.ids) - len(gone.proposals), "version")
            await self._done(f"{count} deleted permanently. Receipt: {gone.tombstones}.", [])


def _line(memory: Memory, why: str = "") -> None:
    with block():
        text_label(components.memory_name(memory))
        if why:
            text_label(f"stays: {why}", "cp-quiet cp-small")
