"""Dialogs and actions that change memories: new, edit, correct, forget, restore, purge."""

from __future__ import annotations

from nicegui import ui

from ...model.errors import CommonplaceError, Conflict
from ...model.memory import KINDS
from . import components
from .access import notify_error
from .components import block, button, text_label
from .markdown import reveal_hidden

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from typing import Any

    from ...book import Commonplace
    from ...model.memory import Memory
    from ...model.results import Saved
    from .frame import Frame


class MemoryActions:
    """Actions on memories; the page is redrawn after each."""

    def __init__(self, frame: Frame, after: Callable[[], Awaitable[object]]) -> None:
        self._frame = frame
        self._after = after

    async def forget(self, memories: Sequence[Memory]) -> None:
        """Stop recalling memories."""
        ids = [memory.id for memory in memories]
        gone = await self._frame.session.attempt(lambda book: [book.forget(id) for id in ids])
        if gone is not None:
            await self.done(f"{components.plural(len(ids), 'memory')} forgotten.", ids)

    async def restore(self, memories: Sequence[Memory]) -> None:
        """Recall memories again."""
        ids = [memory.id for memory in memories]
        back = await self._frame.session.attempt(lambda book: [book.restore(id) for id in ids])
        if back is not None:
            await self.done(f"{components.plural(len(ids), 'memory')} restored.", ids)

    async def tag(self, memories: Sequence[Memory], tag: str) -> None:
        """Add a tag to memories."""

        def add_tag(book: Commonplace) -> list[str]:
            lacking = [one for one in memories if tag not in one.tags]
            return [book.edit(one.id, expect=one, tags=[*one.tags, tag]).id for one in lacking]

        ids = await self._frame.session.attempt(add_tag)
        if ids is not None:
            await self.done(f"{components.plural(len(ids), 'memory')} tagged.", ids)

    async def done(self, notice: str, undo: Sequence[str] = ()) -> None:
        """Show a notice and redraw the page."""
        self._frame.done(notice, undo, self._after)
        with self._frame.client:
            await self._after()

    def edit(self, memory: Memory) -> None:
        """Open a memory for editing."""
        EditDialog(self._frame, memory, self.done)

    def correct(self, memory: Memory) -> None:
        """Ask for the corrected text, and correct every memory that repeats the error."""
        with self._frame.client, ui.dialog() as dialog, ui.card().classes("cp-dialog"):
            text_label("Correct this memory", "cp-empty-title")
            right = ui.textarea("Corrected text", value=memory.content).props(
                "outlined autogrow autofocus"
            )
            right.classes("cp-wide")

            async def save() -> None:
                text = right.value or ""
                corrected = await self._frame.session.attempt(
                    lambda book: book.correct(memory.id, text)
                )
                if corrected is not None:
                    dialog.close()
                    also = len(corrected.also) + len(corrected.elsewhere)
                    more = f" Also corrected in {also} more places." if also else ""
                    await self.done(f"Corrected.{more}", [corrected.memory.id])

            _dialog_buttons(dialog, "Correct", save)
        dialog.open()

    def purge(self, memories: Sequence[Memory]) -> None:
        """Delete memories permanently, once the person has typed the confirmation."""
        phrase = "purge" if len(memories) == 1 else f"purge {len(memories)}"
        with self._frame.client, ui.dialog() as dialog, ui.card().classes("cp-dialog"):
            text_label(
                f"Delete {components.plural(len(memories), 'memory')} permanently?",
                "cp-empty-title",
            )
            text_label(
                "This deletes every version, cannot be undone, and the same text will not be saved"
                " again. To only stop recalling it, use Forget.",
                "cp-warning",
            )
            typed = ui.input(f"Type “{phrase}” to confirm").props("outlined autofocus")

            async def purge() -> None:
                if typed.value != phrase:
                    ui.notify(f"Type “{phrase}” first.", type="warning")
                    return
                ids = [memory.id for memory in memories]
                gone = await self._frame.session.attempt(lambda book: [book.purge(i) for i in ids])
                if gone is not None:
                    dialog.close()
                    await self.done(f"{components.plural(len(ids), 'memory')} deleted permanently.")

            _dialog_buttons(dialog, "Delete permanently", purge, look="danger")
        dialog.open()


OFFERED_KINDS = [kind for kind in KINDS if kind not in ("profile", "override")]


class MemoryForm:
    """The fields of a memory, the same for a new one and for one that exists."""

    def __init__(self, memory: Memory | None = None) -> None:
        kind = memory.kind if memory else "insight"
        self.text = ui.textarea("Text", value=memory.content if memory else "")
        self.text.props("outlined autogrow autofocus").classes("cp-wide")
        self._title = ui.input("Title", value=memory.title if memory else "")
        self._title.props("outlined dense").classes("cp-wide")
        with block("cp-row cp-wide"):
            self._kind = ui.select(
                list(dict.fromkeys([*OFFERED_KINDS, kind])), value=kind, label="Kind"
            )
            self._kind.props("outlined dense options-dense").style("min-width: 9rem")
            self._scope = ui.input("Scope", placeholder="/project/mech-fighters")
            self._topic = ui.input("Topic", value=(memory.topic if memory else None) or "")
            tags = ", ".join(memory.tags) if memory else ""
            self._tags = ui.input("Tags, separated by commas", value=tags)
            for field in (self._scope, self._topic, self._tags):
                field.props("outlined dense").style("flex: 1 1 10rem")
        if memory is not None:
            # Promote makes a copy in a wider scope; nothing moves a memory elsewhere.
            self._scope.set_value(str(memory.scope))
            self._scope.props("readonly").tooltip("The scope of a memory does not change.")

    @property
    def fields(self) -> dict[str, Any]:
        """The title, kind, topic and tags as entered."""
        tags = [tag.strip() for tag in (self._tags.value or "").split(",") if tag.strip()]
        return {
            "title": (self._title.value or "").strip(),
            "kind": self._kind.value,
            "topic": (self._topic.value or "").strip() or None,
            "tags": tags,
        }

    @property
    def scope(self) -> str | None:
        """The scope as entered."""
        return (self._scope.value or "").strip() or None

    def fill(self, memory: Memory) -> None:
        """Show another version of the memory."""
        self.text.value, self._title.value = memory.content, memory.title
        if memory.kind not in OFFERED_KINDS:
            self._kind.options = [*OFFERED_KINDS, memory.kind]
        self._kind.set_value(memory.kind)
        self._tags.value, self._topic.value = ", ".join(memory.tags), memory.topic or ""


class EditDialog:
    """A form with a memory's text and fields; it detects changes by others."""

    def __init__(
        self, frame: Frame, memory: Memory, done: Callable[[str, Sequence[str]], Awaitable[None]]
    ) -> None:
        self._frame = frame
        self._memory = memory
        self._done = done
        with frame.client, ui.dialog() as self._dialog, ui.card().classes("cp-dialog"):
            text_label("Edit memory", "cp-empty-title")
            self._conflict = block("cp-warning cp-stack")
            self._conflict.set_visibility(False)
            self._form = MemoryForm(memory)
            text_label(
                "A new text creates a new version; the old one stays in the history.", "cp-quiet"
            )
            _dialog_buttons(self._dialog, "Save", self._save)
        self._dialog.open()

    async def _save(self) -> None:
        memory, text = self._memory, self._form.text.value or ""
        changes = {
            name: value
            for name, value in self._form.fields.items()
            if value != (list(memory.tags) if name == "tags" else getattr(memory, name))
        }
        if text != memory.content:
            changes["content"] = text
        try:
            saved = await self._frame.session.ask(
                lambda book: book.edit(memory.id, expect=memory, **changes)
            )
        except Conflict:
            await self._show_conflict()
        except CommonplaceError as error:
            notify_error(error)
        else:
            self._dialog.close()
            await self._done("Saved.", [saved.id])

    async def _show_conflict(self) -> None:
        """Show the changed text beside the typed one until the person chooses."""
        theirs = await self._frame.session.attempt(
            lambda book: book.history(self._memory.id).versions[-1]
        )
        if theirs is None:
            return

        def keep_mine() -> None:
            self._memory = theirs
            self._conflict.set_visibility(False)

        def take_theirs() -> None:
            keep_mine()
            self._form.fill(theirs)

        self._conflict.clear()
        with self._conflict:
            text_label("Somebody changed this memory while you were editing. The new text:")
            text_label(reveal_hidden(theirs.content[:5_000]), "cp-verbatim")
            with block("cp-row"):
                button("Keep my text", keep_mine)
                button("Use the new text", take_theirs)
        self._conflict.set_visibility(True)


def _dialog_buttons(
    dialog: ui.dialog, label: str, action: Callable[[], Awaitable[None]], *, look: str = "strong"
) -> None:
    with block("cp-row"):
        button(label, action, look=look)
        button("Cancel", dialog.close)


SAVE_NOTICES = {
    "created": "Saved.",
    "merged": "Merged with an existing memory.",
    "deduplicated": "Already known; nothing was added.",
    "superseded": "Saved, replacing the memory it contradicts.",
    "staged": "Waiting in the inbox until a person confirms it.",
}


class NewMemoryDialog:
    """A form for a new memory; it passes the same gates as an agent's save."""

    def __init__(self, frame: Frame, done: Callable[[str, Sequence[str]], Awaitable[None]]) -> None:
        self._frame = frame
        self._done = done
        with frame.client, ui.dialog() as self._dialog, ui.card().classes("cp-dialog"):
            text_label("New memory", "cp-empty-title")
            self._form = MemoryForm()
            _dialog_buttons(self._dialog, "Save", self._save)
        self._dialog.open()

    async def _save(self) -> None:
        if not (self._form.text.value or "").strip():
            ui.notify("Enter a text first.", type="warning")
            return
        saved = await self._frame.session.attempt(self._save_to)
        if saved is not None:
            self._dialog.close()
            undo = [saved.id] if saved.action in ("created", "superseded", "merged") else []
            other = f" But {saved.stale}." if saved.stale else ""
            await self._done(f"{SAVE_NOTICES[saved.action]}{other}", undo)

    def _save_to(self, book: Commonplace) -> Saved:
        text = (self._form.text.value or "").strip()
        return book.save(text, scope=self._form.scope, **self._form.fields)
