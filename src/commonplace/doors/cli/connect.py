"""Commands that connect coding agents to the book."""

import sys
from collections.abc import Sequence
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..hooks.drain import Drained
from ..hooks.host_events import HOSTS
from ..install.install import SettingsChanged
from ..install.records import HostConnection
from . import text_format
from .call import Call
from .declare import command, one_of
from .declare import group as make_group

_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def render_connections(console: Console, found: Sequence[HostConnection]) -> None:
    """Every host, and how it stands."""
    table = Table("Host", "On this machine", "Hooks", "MCP", "", box=SIMPLE_HEAD)
    for one in found:
        marks = ("yes" if there else "" for there in (one.present, one.hooks, one.mcp))
        table.add_row(one.title, *marks, text_format.line(one.trouble))
    console.print(table)
    if open_ones := [one.host for one in found if one.present and not one.hooks]:
        console.print(Text(f"Connect one: commonplace install {open_ones[0]}", style="dim"))


def render_installed(console: Console, done: SettingsChanged) -> None:
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
                console.print(Text(f"Before, kept: {text_format.line(file.backup)}", style="dim"))
        console.print(Text(f"Undo: commonplace uninstall {done.host}", style="dim"))
    if done.next:
        console.print(done.next)


def render_uninstalled(console: Console, done: SettingsChanged) -> None:
    """What was, or would be, taken out of a host's settings."""
    _diffs(console, done)
    if not done.files:
        console.print(f"{done.title} was not connected; nothing was changed.")
    elif done.dry_run:
        console.print("Nothing was changed. Without --dry-run, this would be.")
    else:
        console.print(f"{done.title} is no longer connected.")


def render_drained(console: Console, done: Drained) -> None:
    """How many sessions were looked through."""
    console.print(f"Sessions looked through: {done.sessions}. Still going on: {done.left}.")
    for why in done.refused:
        console.print(f"Of one nothing was kept: {text_format.line(why)}")


def render_for_agents(host: str) -> None:
    """What to say to a person who calls what only agents call."""
    sys.stderr.write(
        f"{text_format.line(host)} calls this by itself, with an event on standard input.\n"
        f"Connect it with: commonplace install {text_format.line(host)}\n"
    )


def _diffs(console: Console, done: SettingsChanged) -> None:
    for file in done.files:
        for line in file.diff.splitlines():
            console.print(Text(text_format.clean(line), style=_STYLES.get(line[:1], "")))


# Commands that connect coding agents to the book.


PANEL = "Connect agents"
group = make_group()

Host = Annotated[str, typer.Argument(help="The coding agent.", **one_of(HOSTS))]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")]


@command(group, panel=PANEL)
def install(
    call: Call,
    host: Annotated[str | None, typer.Argument(help="The coding agent.", **one_of(HOSTS))] = None,
    *,
    dry_run: DryRun = False,
    mcp: Annotated[bool, typer.Option(help="Also make our MCP server known to the host.")] = True,
    mcp_url: Annotated[
        str, typer.Option(help="A running server, such as http://127.0.0.1:8765/mcp.")
    ] = "",
) -> None:
    """Connect a coding agent: memories at its start and its prompts. Alone, show what is there."""
    from ..install import install, records

    if host is None:
        call.show(records.connections(call.environ), render_connections)
        return
    done = install.install(host, call.environ, mcp=mcp, mcp_url=mcp_url, dry_run=dry_run)
    call.show(done, render_installed)


@command(group, panel=PANEL)
def uninstall(call: Call, host: Host, *, dry_run: DryRun = False) -> None:
    """Take out of a coding agent's settings exactly what `install` put in."""
    from ..install import install

    call.show(install.uninstall(host, call.environ, dry_run=dry_run), render_uninstalled)


@command(group, panel=PANEL)
def hook(
    call: Call,
    host: Annotated[str, typer.Argument(metavar="HOST", help=", ".join((*HOSTS, "drain")))],
    event: Annotated[str, typer.Argument(help="Its name, where the host does not say it.")] = "",
) -> None:
    """Answer a coding agent's event on standard input. Agents call this; it never fails.

    `hook drain` looks through sessions that are over.
    """
    from ..hooks import answer, background_drain
    from ..hooks.entrypoint import laid_over

    environ = laid_over(call.shared, call.environ)
    if host == "drain":
        call.show(background_drain.drain_now(environ), render_drained)
    elif sys.stdin.isatty():
        render_for_agents(host)
    else:
        sys.stdout.write(answer.answer_by_hand(host, event, sys.stdin.buffer.read(), environ))
