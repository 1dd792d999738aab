"""What tidying did, what it asks, and the way back from each change."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from rich.text import Text

from .. import legible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from ....model import Memory
    from ....verbs.history.changes import Changed
    from ....verbs.history.undoing import Undone
    from ....verbs.inbox import Decided, Waiting
    from ....verbs.maintain.report import Maintained

_SHOWN = 12
"""How many changes of one step are listed; the rest is counted."""


def maintained(console: Console, run: Maintained) -> None:
    """The changes by step, what waits, and how to undo them."""
    if not run.ran:
        console.print("Another run is tidying this book right now; it is left to that one.")
        return
    for problem in run.problems:
        _say(console, f"{problem.what} {problem.hint}", "yellow")
    for step, changes in groupby(run.changes, key=lambda change: change.step):
        several = list(changes)
        console.print(Text(step, style="bold"))
        for change in several[:_SHOWN]:
            _say(console, f"  {change.action}: {change.words}")
        if len(several) > _SHOWN:
            _say(console, f"  … and {len(several) - _SHOWN} more", "dim")
    _sum_up(console, run)


def _sum_up(console: Console, run: Maintained) -> None:
    count = _count(len(run.changes), "change")
    if not run.changes:
        console.print(Text("Everything is tidy.", style="green"))
    elif run.dry_run:
        _say(console, f"{count} would be made. Run `commonplace maintain` to make them.")
    else:
        _say(console, f"{count} made.", "green")
        _say(console, "Undo them: commonplace revert --automatic --since 1h", "dim")
    if run.passed_over:
        _say(console, f"{len(run.passed_over)} passed over: somebody changed them meanwhile.")
    if run.waiting:
        _say(console, f"{run.waiting} in the inbox: commonplace inbox list", "dim")


def changes(console: Console, found: Sequence[Changed]) -> None:
    """Changes by day, each with the command that undoes it."""
    if not found:
        console.print("Nothing changed in that time. Look further back with --since 30d.")
        return
    for day, several in groupby(found, key=lambda one: legible.date(one.event.at)):
        console.print(Text(day, style="bold"))
        for one in several:
            itself = " by itself" if one.event.automatic else f" through {one.event.by}"
            named = legible.name(one.memory) if one.memory else f"{one.event.memory} (gone)"
            _say(console, f"  {one.event.action}{itself}: {named}")
            if one.memory:
                _say(console, f"    {legible.fit(legible.line(one.memory.content), 90)}", "dim")
            if one.revert:
                _say(console, f"    {one.revert}", "cyan")


def inbox(console: Console, found: Sequence[Waiting]) -> None:
    """What waits, with the first words of what it is about."""
    if not found:
        console.print("The inbox is empty. `commonplace maintain` puts here what it wants to ask.")
        return
    for one in found:
        _heading(console, one)
    _say(
        console, "\nLook: commonplace inbox show NAME   Answer: inbox accept or reject NAME", "dim"
    )


def waiting(console: Console, one: Waiting) -> None:
    """One proposal, whole, and the memories it is about."""
    _heading(console, one)
    console.print(Text(legible.clean(one.memory.content)))
    for memory in one.about:
        _memory(console, memory)
    name = legible.name(one.memory)
    kept = [f" --keep {legible.name(side)}" for side in one.about]
    answers = kept if one.action == "contradiction" else [""]
    lines = [*(f"inbox accept {name}{kept}" for kept in answers), f"inbox reject {name}"]
    _say(console, "\n" + "\n".join(f"commonplace {line}" for line in lines), "cyan")


def decided(console: Console, done: Decided) -> None:
    """What a person's word did."""
    word = "Done" if done.accepted else "Left as it is"
    _say(console, f"{word}: {legible.name(done.memory)}", "green")
    for memory in done.changed:
        _memory(console, memory)
    _say(console, f"Undo: commonplace revert {done.memory.id}", "dim")


def undone(console: Console, done: Undone) -> None:
    """How much was undone, and what could not be."""
    memories = {memory.id for one in done.reverted for memory in one.memories}
    if not done.reverted and not done.left_alone:
        console.print("Nothing happened by itself in that time.")
        return
    undone, of = _count(len(done.reverted), "change"), len(memories)
    _say(console, f"{undone} undone; memories that changed: {of}.", "green")
    for one in done.left_alone:
        _say(console, f"left alone: {one.action} of {one.memory}. {one.why}", "yellow")


def _heading(console: Console, one: Waiting) -> None:
    console.print(
        Text.assemble(
            (one.action, "bold"),
            f"  {legible.line(one.memory.content.partition(chr(10))[0])}",
            (f"\n  {legible.name(one.memory)}  {legible.line(str(one.memory.scope))}", "dim"),
        ),
        soft_wrap=True,
    )


def _memory(console: Console, memory: Memory) -> None:
    text = legible.fit(legible.line(memory.content), 90)
    console.print(
        Text.assemble(f"  {text}", (f"\n    {legible.name(memory)} · {memory.status}", "dim")),
        soft_wrap=True,
    )


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _say(console: Console, words: str, style: str = "") -> None:
    console.print(Text(legible.clean(words), style=style), soft_wrap=True)
