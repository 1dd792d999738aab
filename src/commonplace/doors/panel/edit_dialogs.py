"""Changing memories from any page: edit, correct, forget, restore, purge; and undo."""

from __future__ import annotations

from nicegui import ui

from ...model.errors import CommonplaceError, Conflict
from ...model.memory import KINDS
from . import components
from .access import tell
from .components import block, button, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from ...book import Commonplace
    from ...model.memory import Memory
    from ...model.results import Saved
    from .frame import Frame


class Changing:
    """What a person may do with memories, and what the page shows afterwards."""

    def __init__(self, frame: Frame, after: Callable[[], Awaitable[object]]) -> None:
        self._frame = frame
        self._after = after

    async def forget(self, memories: Sequence[Memory]) -> None:
        """Stop recalling memories."""
        ids = [memory.id for memory in memories]
        gone = await self._frame.visit.attempt(lambda book: [book.forget(id) for id in ids])
        if gone is not None:
            await self.done(f"{components.several(len(ids), 'memory')} forgotten.", ids)

    async def restore(self, memories: Sequence[Memory]) -> None:
        """Recall memories again."""
        ids = [memory.id for memory in memories]
        back = await self._frame.visit.attempt(lambda book: [book.restore(id) for id in ids])
        if back is not None:
            await self.done(f"{components.several(len(ids), 'memory')} restored.", ids)

    async def tag(self, memories: Sequence[Memory], tag: str) -> None:
        """Give memories one more tag."""

        def tagged(book: Commonplace) -> list[str]:
            lacking = [one for one in memories if tag not in one.tags]
            return [book.edit(one.id, expect=one, tags=[*one.tags, tag]).id for one in lacking]

        ids = await self._frame.visit.attempt(tagged)
        if ids is not None:
            await self.done(f"{components.several(len(ids), 'memory')} tagged.", ids)

    async def done(self, said: str, undo: Sequence[str] = ()) -> None:
        """Say what happened and show the page anew."""
        self._frame.done(said, undo, self._after)
        with self._frame.client:
            await self._after()

    def edit(self, memory: Memory) -> None:
        """Open a memory for editing."""
        Editor(self._frame, memory, self.done)

    def correct(self, memory: Memory) -> None:
        """Ask what is right, and put it right everywhere it was repeated."""
        with self._frame.client, ui.dialog() as dialog, ui.card().classes("cp-dialog"):
            words("What is right instead?", "cp-empty-title")
            words(components.line(memory.content, 300), "cp-quiet")
            right = ui.textarea("The correction").props("outlined autogrow autofocus")
            right.classes("cp-wide")

            async def save() -> None:
                text = right.value or ""
                made = await self._frame.visit.attempt(lambda book: book.correct(memory.id, text))
                if made is not None:
                    dialog.close()
                    also = len(made.also) + len(made.elsewhere)
                    more = f" Put right in {also} more places." if also else ""
                    await self.done(f"Corrected.{more}", [made.memory.id])

            _answers(dialog, "Correct", save)
        dialog.open()

    def purge(self, memories: Sequence[Memory]) -> None:
        """Remove memories for good, once the person has typed that this is meant."""
        phrase = "purge" if len(memories) == 1 else f"purge {len(memories)}"
        with self._frame.client, ui.dialog() as dialog, ui.card().classes("cp-dialog"):
            words(
                f"Remove {components.several(len(memories), 'memory')} for good?", "cp-empty-title"
            )
            words(
                "Every version goes, nothing brings it back, and the same text will not be saved"
                " again. To only stop recalling it, use Forget.",
                "cp-warning",
            )
            typed = ui.input(f"Type “{phrase}” to go on").props("outlined autofocus")

            async def purge() -> None:
                if typed.value != phrase:
                    ui.notify(f"Type “{phrase}” first.", type="warning")
                    return
                ids = [memory.id for memory in memories]
                gone = await self._frame.visit.attempt(lambda book: [book.purge(i) for i in ids])
                if gone is not None:
                    dialog.close()
                    await self.done(f"{components.several(len(ids), 'memory')} removed for good.")

            _answers(dialog, "Remove for good", purge, look="danger")
        dialog.open()


class Editor:
    """A memory's text and labels in a form. Nobody's change is lost when two people edit it."""

    def __init__(
        self, frame: Frame, memory: Memory, done: Callable[[str, Sequence[str]], Awaitable[None]]
    ) -> None:
        self._frame = frame
        self._memory = memory
        self._done = done
        with frame.client, ui.dialog() as self._dialog, ui.card().classes("cp-dialog"):
            words("Edit", "cp-empty-title")
            self._conflict = block("cp-warning cp-stack")
            self._conflict.set_visibility(False)
            self._content = _field(ui.textarea("Text", value=memory.content), "autogrow")
            self._tags = _field(ui.input("Tags, separated by commas", value=", ".join(memory.tags)))
            self._topic = _field(ui.input("Topic", value=memory.topic or ""))
            words("New text makes a new version; the old one stays in the history.", "cp-quiet")
            _answers(self._dialog, "Save", self._save)
        self._dialog.open()

    async def _save(self) -> None:
        memory = self._memory
        tags = [tag.strip() for tag in (self._tags.value or "").split(",") if tag.strip()]
        topic = (self._topic.value or "").strip() or None
        text = self._content.value or ""
        changes: dict[str, object] = {"tags": tags, "topic": topic}
        if text != memory.content:
            changes["content"] = text
        try:
            saved = await self._frame.visit.ask(
                lambda book: book.edit(memory.id, expect=memory, **changes)
            )
        except Conflict:
            await self._show_conflict()
        except CommonplaceError as error:
            tell(error)
        else:
            self._dialog.close()
            await self._done("Saved.", [saved.id])

    async def _show_conflict(self) -> None:
        """Show what the memory says now, beside what was typed; both stay until one is chosen."""
        theirs = await self._frame.visit.attempt(
            lambda book: book.history(self._memory.id).versions[-1]
        )
        if theirs is None:
            return

        def keep_mine() -> None:
            self._memory = theirs
            self._conflict.set_visibility(False)

        def take_theirs() -> None:
            keep_mine()
            self._content.value = theirs.content
            self._tags.value, self._topic.value = ", ".join(theirs.tags), theirs.topic or ""

        self._conflict.clear()
        with self._conflict:
            words("Somebody changed this memory while you were editing. It says now:")
            words(components.visible(theirs.content[:5_000]), "cp-verbatim")
            with block("cp-row"):
                button("Keep mine, then save", keep_mine)
                button("Take theirs", take_theirs)
        self._conflict.set_visibility(True)


def _field(made: ui.input | ui.textarea, more: str = "") -> ui.input | ui.textarea:
    made.props(f"outlined {more}").classes("cp-wide")
    return made


def _answers(
    dialog: ui.dialog, label: str, do: Callable[[], Awaitable[None]], *, look: str = "strong"
) -> None:
    with block("cp-row"):
        button(label, do, look=look)
        button("Cancel", dialog.close)


# Writing a new memory by hand.


BY_HAND = [kind for kind in KINDS if kind not in ("profile", "override")]
SAID = {
    "created": "Remembered.",
    "merged": "Merged with what was known.",
    "deduplicated": "That was known already.",
    "superseded": "Remembered, in place of what it contradicts.",
    "staged": "It waits in the inbox, because something more trusted says otherwise.",
}


class NewMemoryForm:
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
