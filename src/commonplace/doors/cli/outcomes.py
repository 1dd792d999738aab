"""What a change did, in a line or two, and the next thing one may want."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from . import text_format

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console

    from ...model.memory import Memory
    from ...model.results import (
        Corrected,
        Forgotten,
        Promoted,
        Purged,
        Restored,
        Reverted,
        Saved,
        Synced,
    )

_SAVED = {
    "created": "Remembered",
    "merged": "Remembered, together with what was known",
    "deduplicated": "Already known",
    "superseded": "Remembered, in place of what it said before",
    "staged": "Put in the inbox, because something more trusted says otherwise",
}


def saved(console: Console, done: Saved) -> None:
    """What became of a text."""
    _line(console, _SAVED[done.action], done.memory)
    if done.memory.status == "review":
        _aside(console, "The book says otherwise, too. See: commonplace inbox list")
    if not done.indexed:
        _aside(console, "It is safe but not searchable yet: run `commonplace sync`.")


def changed(console: Console, memory: Memory, before: Memory | None = None) -> None:
    """A memory as it is now, and whether that is how it was."""
    if memory == before:
        _line(console, "Nothing changed", memory)
        return
    _line(console, "Changed", memory)
    _aside(console, f"Undo: commonplace revert {text_format.name(memory)}")


def corrected(console: Console, done: Corrected) -> None:
    """The right text, and what it replaced."""
    if done.memory.id == done.replaced.id:
        _line(console, "It says that already; nothing changed", done.memory)
        return
    console.print(Text(f"- {text_format.line(done.replaced.content)}", style="red"))
    console.print(Text(f"+ {text_format.line(done.memory.content)}", style="green"))
    _line(console, "Corrected", done.memory)
    if done.also:
        _aside(
            console, f"{text_format.counted(len(done.also), 'copy', 'copies')} of it went with it."
        )
    if done.review:
        names = ", ".join(done.review)
        _aside(console, f"Made from it, in other words; please look at: {names}")
    _aside(console, f"Undo: commonplace revert {text_format.name(done.memory)}")


def forgotten(console: Console, done: Forgotten) -> None:
    """A memory that recall no longer returns."""
    _line(console, "Forgotten", done.memory)
    _aside(console, f"Bring it back: commonplace restore {text_format.name(done.memory)}")


def restored(console: Console, done: Restored) -> None:
    """A memory that recall returns again."""
    _line(console, "Back again", done.memory)


def purged(console: Console, done: Purged) -> None:
    """How much is gone, and what may still repeat it."""
    console.print(f"Purged {text_format.counted(len(done.ids), 'version', 'versions')} for good.")
    if done.derived:
        _aside(console, f"These were derived from it and may repeat it: {', '.join(done.derived)}")


def promoted(console: Console, done: Promoted) -> None:
    """The copy in the broader scope."""
    _line(console, "Copied", done.memory)


def reverted(console: Console, done: Reverted) -> None:
    """The memories an undo touched."""
    for memory in done.memories:
        _line(console, f"Undone ({done.action}); now {memory.status}", memory)


def written(console: Console, done: Mapping[str, str]) -> None:
    """Where a personal note went."""
    console.print(Text(f"Written to {text_format.line(done['path'])}"), soft_wrap=True)


def synced(console: Console, done: Synced) -> None:
    """What a sync found and did."""
    parts = [
        f"{count:,} {words}"
        for count, words in (
            (done.indexed, "indexed"),
            (done.repaired, "repaired"),
            (done.erased, "erased again after a purge"),
            (done.embedded, "embedded"),
        )
        if count
    ]
    console.print(f"In step: {', '.join(parts) or 'nothing had changed'}.")
    if done.problems:
        found = text_format.counted(len(done.problems), "thing", "things")
        _aside(console, f"{found} to look at: run `commonplace doctor`.")


def begun(console: Console, made: Mapping[str, object]) -> None:
    """Where the new book is, and what to do with it."""
    count = text_format.counted(int(str(made["memories"])), "memory", "memories")
    state = f"Your book is here, with {count}" if made["memories"] else "Your book is ready"
    console.print(Text(f"{state}: ").append(str(made["url"]), style="bold"), soft_wrap=True)
    if not made["default"]:
        _aside(console, f"Another book stays the usual one; see {made['settings']}, or use --url.")
    console.print("\nNext:")
    for command in (
        'commonplace save "We deploy from the branch main" --tag deploy',
        "commonplace recall which branch do we deploy from",
    ):
        console.print(Text(f"  {command}", style="cyan"))


def _line(console: Console, verb: str, memory: Memory) -> None:
    text = Text.assemble(
        (f"{verb}: ", "green"),
        (_called(memory), "bold"),
        (f"  {text_format.line(str(memory.scope))} · {memory.kind}", "dim"),
    )
    console.print(text, soft_wrap=True)


def _called(memory: Memory) -> str:
    if memory.key is None or memory.value is None:
        return text_format.name(memory)
    namespace = f"{memory.namespace}/" if memory.namespace else ""
    return text_format.line(f"{namespace}{memory.key} = {memory.value}")


def _aside(console: Console, words: str) -> None:
    console.print(Text(words, style="dim"), soft_wrap=True)
