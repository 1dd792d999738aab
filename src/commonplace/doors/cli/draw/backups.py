"""Backups and erasures, for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.filesize import decimal
from rich.table import Table
from rich.text import Text

from .. import legible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from ....model import Problem
    from ....ports.backups import Snapshot
    from ....verbs.backup import BackedUp
    from ....verbs.backup.restoring import BroughtBack, Checked
    from ....verbs.erase import Erased
    from ....verbs.erase.verifying import ErasureChecked


def backed_up(console: Console, done: BackedUp) -> None:
    """A moment that is safe now."""
    one = done.moment
    told = f"Backed up {_memories(one.records)} and {_events(one.events)} to {done.where}."
    console.print(told, soft_wrap=True)
    freed = f", {decimal(done.freed)} of older ones let go" if done.freed else ""
    kept = legible.counted(done.kept, "moment", "moments")
    console.print(Text(f"{decimal(one.written)} written; {kept} kept{freed}.", "dim"))


def moments(console: Console, found: Sequence[Snapshot]) -> None:
    """What is kept, newest first."""
    if not found:
        console.print("No backup yet. Make one: commonplace backup now FOLDER")
        return
    table = Table("Moment", "Memories", "Events", "Written", box=SIMPLE_HEAD)
    for one in found:
        table.add_row(
            legible.clock(one.at), f"{one.records:,}", f"{one.events:,}", decimal(one.written)
        )
    console.print(table)
    console.print(Text("Bring one back: commonplace backup restore --at … --to URL", "dim"))


def checked(console: Console, one: Checked) -> None:
    """Whether a backup is as it was written."""
    at = legible.clock(one.moment.at)
    if one.sound:
        console.print(
            f"The backup of {at} is whole: {_memories(one.moment.records)} and"
            f" {_events(one.moment.events)} would be restored."
        )
    _problems(console, one.problems)


def brought_back(console: Console, one: BroughtBack) -> None:
    """A book that is there again."""
    are = "is" if one.records == 1 else "are"
    at = legible.clock(one.moment.at)
    console.print(f"{_memories(one.records)} {are} back as of {at}: {one.url}", soft_wrap=True)
    then = f"For recall by meaning, too: commonplace sync --url {one.url}"
    console.print(Text(then, "dim"), soft_wrap=True)
    if one.left_out:
        console.print(f"Purged or erased since, and gone for good: {_memories(one.left_out)}.")
    if not one.asked:
        console.print(
            "The book they came from could not be asked: what was purged there after its last"
            " backup may be back."
        )
    for id in one.differences[:10]:
        console.print(Text(f"{id} does not read back as it was.", "red"))


def erased(console: Console, one: Erased) -> None:
    """What an erasure did, and what is left to look at."""
    console.print(f"Everything of {legible.line(one.user)} is erased: {_memories(one.memories)}.")
    rest = (
        (one.copies, "of them a copy that was shared", "of them copies that were shared"),
        (one.sessions, "session", "sessions"),
        (one.events, "audit event without its words now", "audit events without their words now"),
        (one.tokens, "token revoked", "tokens revoked"),
        (one.keys, "key dropped", "keys dropped"),
    )
    for count, single, several in rest:
        if count:
            console.print(f"  {legible.counted(count, single, several)}")
    if one.derived:
        console.print("These of others were derived from it; look at them:")
        for id in one.derived[:20]:
            console.print(f"  {id}")
    if not one.backups_told:
        console.print("The place of backups could not be told; the next backup will.")
    console.print(Text(f"Event {one.event}, hash {one.hash}", "dim"))


def erasure_checked(console: Console, one: ErasureChecked) -> None:
    """Whether a receipt holds."""
    if one.sound:
        told = f"{_memories(one.receipt.memories)} of {legible.line(one.receipt.user)}"
        console.print(f"The receipt holds: nothing is left of the {told}.")
    _problems(console, one.problems)


def _memories(count: int) -> str:
    return legible.counted(count, "memory", "memories")


def _events(count: int) -> str:
    return legible.counted(count, "event", "events")


def _problems(console: Console, found: Sequence[Problem]) -> None:
    for one in found:
        style = "red" if one.severity == "error" else "yellow"
        console.print(Text(f"{one.where}: {one.what} {one.hint}", style))
