"""What was taken away, taken in and moved, drawn for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from .. import legible

if TYPE_CHECKING:
    from rich.console import Console

    from ....results import Exported, Imported, Moved

_WAYS = {
    "title": "a heading is the title",
    "always_load": "what lies there is always loaded",
    "created": "facts of one file share its time",
    "updated": "facts of one file share its time",
}
"""How a vault says some things by itself."""


def exported(console: Console, done: Exported) -> None:
    """How many memories went where."""
    if not done.memories:
        _say(console, "Nothing in the book meets these conditions; the export is empty.", "yellow")
    _say(console, f"{_count(done.memories)} written to {done.path}", "green")
    _say(console, f"Take them in elsewhere: commonplace import {done.path}", "dim")


def imported(console: Console, done: Imported) -> None:
    """What was not kept and why, then what became of all of it in one line."""
    for reason, count in done.reasons:
        _say(console, f"{count:,} × {reason}", "yellow")
    would = "would be " if done.dry_run else ""
    told = [f"{done.saved:,} {would}saved"]
    told += [f"{done.updated:,} {would}updated"] if done.updated else []
    told += [f"{done.known:,} already there", f"{done.refused:,} refused"]
    told += [f"{done.left_out:,} left out"] if done.left_out else []
    _say(console, f"{done.kind}: {', '.join(told)}.", "green" if done.read else "yellow")


def moved(console: Console, done: Moved) -> None:
    """Where the book is now, and that it is the same."""
    events = f"{done.events:,} audit event{'' if done.events == 1 else 's'}"
    told = f"{_count(done.memories)} and {events} are at {done.target}, and compared equal."
    _say(console, told, "green")
    if done.copied < done.memories:
        _say(console, f"{done.copied:,} were copied now; the others were there already.", "dim")
    ways = {_WAYS.get(name, f"{name} in its own way"): count for name, count in done.adapted}
    for way, count in ways.items():
        _say(console, f"{count:,} × said by the new place itself: {way}", "dim")
    _say(console, f"Hash of all memories: {done.digest}", "dim")
    _say(console, f"Use it from now on: COMMONPLACE_URL={done.target}", "dim")
    _say(console, f"For recall by meaning, too: commonplace sync --url {done.target}", "dim")
    _say(console, f"{done.source} is as it was; remove it when you no longer need it.", "dim")


def _count(number: int) -> str:
    return f"{number:,} {'memory' if number == 1 else 'memories'}"


def _say(console: Console, words: str, style: str = "") -> None:
    console.print(Text(legible.clean(words), style=style), soft_wrap=True)
