"""Commands that connect coding agents to the book."""

import sys
from typing import Annotated

import typer

from ..hooks.events import HOSTS
from .call import Call
from .declare import command, one_of
from .declare import group as make_group
from .draw import connecting as draw

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
    from ..install import connections, installing

    if host is None:
        call.show(connections.connections(call.environ), draw.connections)
        return
    done = installing.install(host, call.environ, mcp=mcp, mcp_url=mcp_url, dry_run=dry_run)
    call.show(done, draw.installed)


@command(group, panel=PANEL)
def uninstall(call: Call, host: Host, *, dry_run: DryRun = False) -> None:
    """Take out of a coding agent's settings exactly what `install` put in."""
    from ..install import installing

    call.show(installing.uninstall(host, call.environ, dry_run=dry_run), draw.uninstalled)


@command(group, panel=PANEL)
def hook(
    call: Call,
    host: Annotated[str, typer.Argument(metavar="HOST", help=", ".join((*HOSTS, "drain")))],
    event: Annotated[str, typer.Argument(help="Its name, where the host does not say it.")] = "",
) -> None:
    """Answer a coding agent's event on standard input. Agents call this; it never fails.

    `hook drain` looks through sessions that are over.
    """
    from ..hooks import by_hand, later
    from ..hooks.options import laid_over

    environ = laid_over(call.shared, call.environ)
    if host == "drain":
        call.show(later.drain_now(environ), draw.drained)
    elif sys.stdin.isatty():
        draw.for_agents(host)
    else:
        sys.stdout.write(by_hand.answer(host, event, sys.stdin.buffer.read(), environ))
