"""Hosts, and what was changed in their settings."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from .. import legible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from ...hooks.drain import Drained
    from ...install.connections import Connection
    from ...install.installing import Changed

_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def connections(console: Console, found: Sequence[Connection]) -> None:
    """Every host, and how it stands."""
    table = Table("Host", "On this machine", "Hooks", "MCP", "", box=SIMPLE_HEAD)
    for one in found:
        marks = ("yes" if there else "" for there in (one.present, one.hooks, one.mcp))
        table.add_row(one.title, *marks, legible.line(one.trouble))
    console.print(table)
    if open_ones := [one.host for one in found if one.present and not one.hooks]:
        console.print(Text(f"Connect one: commonplace install {open_ones[0]}", style="dim"))


def installed(console: Console, done: Changed) -> None:
    """What was, or would be, put into a host's settings."""
    _diffs(console, done)
    if not done.files:
        console.print(f"{done.title} is connected already; nothing was changed.")
    elif done.dry_run:
        console.print("Nothing was changed. Without --dry-run, this would be.")
    else:
        console.print(f"{done.title} is connected.")
        for file in done.files:
            if file.backup:
                console.print(Text(f"Before, kept: {legible.line(file.backup)}", style="dim"))
        console.print(Text(f"Undo: commonplace uninstall {done.host}", style="dim"))
    if done.next:
        console.print(done.next)


def uninstalled(console: Console, done: Changed) -> None:
    """What was, or would be, taken out of a host's settings."""
    _diffs(console, done)
    if not done.files:
        console.print(f"{done.title} was not connected; nothing was changed.")
    elif done.dry_run:
        console.print("Nothing was changed. Without --dry-run, this would be.")
    else:
        console.print(f"{done.title} is no longer connected.")


def drained(console: Console, done: Drained) -> None:
    """How many sessions were looked through."""
    console.print(f"Sessions looked through: {done.sessions}. Still going on: {done.left}.")
    for why in done.refused:
        console.print(f"Of one nothing was kept: {legible.line(why)}")


def for_agents(host: str) -> None:
    """What to say to a person who calls what only agents call."""
    sys.stderr.write(
        f"{legible.line(host)} calls this by itself, with an event on standard input.\n"
        f"Connect it with: commonplace install {legible.line(host)}\n"
    )


def _diffs(console: Console, done: Changed) -> None:
    for file in done.files:
        for line in file.diff.splitlines():
            console.print(Text(legible.clean(line), style=_STYLES.get(line[:1], "")))
