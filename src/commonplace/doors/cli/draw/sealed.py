"""Sealed memories, and their keys by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from .. import legible

if TYPE_CHECKING:
    from rich.console import Console

    from ....ports.sealing import Keys
    from ....results import Revealed, Rotated


def revealed(console: Console, done: Revealed) -> None:
    """The text alone, so that it can be piped on."""
    console.print(Text(legible.clean(done.text)), soft_wrap=True)


def keys(console: Console, found: Keys) -> None:
    """Where keys are, and which; or how to get one."""
    console.print(Text(f"Keys are kept in {found.where}."), soft_wrap=True)
    if not found.ids:
        console.print("There is none yet. Make one: commonplace key new")
    for number, id in enumerate(found.ids):
        console.print(f"  {id}  {'seals what is saved now' if not number else 'opens older texts'}")


def key_made(console: Console, found: Keys) -> None:
    """The new key, and a word of warning."""
    console.print(f"Made the key {found.ids[0]}.")
    keys(console, found)
    console.print(
        Text("Keep a copy: without its key nobody can read a sealed memory.", style="dim")
    )


def rotated(console: Console, done: Rotated) -> None:
    """What is sealed with the new key, and which old ones are left."""
    count = legible.counted(done.resealed, "memory", "memories")
    console.print(f"Sealed {count} with the key {done.key}.")
    if done.still_kept:
        console.print(f"Old keys are still there: {', '.join(done.still_kept)}.")
