"""Commands that connect coding agents to the book: install, uninstall, hook."""

import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich.console import Console

from ...model.errors import BadInput
from ..hooks.drain import Drained
from ..hooks.host_events import HOSTS
from ..install.install import SettingsChanged
from ..install.records import HostConnection
from . import text_format
from .call import Call
from .declare import CONNECT, command, one_of
from .declare import group as make_group
from .render import aside, say, table

_DIFF_STYLES = {"+": "green", "-": "red", "@": "cyan"}
group = make_group()

_VENDORS, _ENDINGS = ("anthropic", "openai", "google", "github"), ("ai", "code", "cli", "agent")


def _host_name(typed: str | None) -> str | None:
    """The name of a coding agent, also as its makers spell it: `claude-code`, `GitHub Copilot`."""
    name = "".join(letter for letter in (typed or "").casefold() if letter.isalpha())
    for vendor in _VENDORS:
        name = name.removeprefix(vendor)
    for ending in _ENDINGS:
        name = name if name in HOSTS else name.removesuffix(ending)
    if name in HOSTS or typed is None:
        return name or None
    raise typer.BadParameter(f"{typed!r} is not one of {', '.join(HOSTS)}.", param_hint="HOST")


_CHECKED = one_of(HOSTS)
_HOST: dict[str, Any] = {"help": "The coding agent.", **_CHECKED, "callback": _host_name}
Host = Annotated[str, typer.Argument(**_HOST)]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")]


@command(group, panel=CONNECT)
def install(
    call: Call,
    host: Annotated[str | None, typer.Argument(**_HOST)] = None,
    *,
    dry_run: DryRun = False,
    mcp: Annotated[bool, typer.Option(help="Also register the MCP server.")] = True,
    mcp_url: Annotated[
        str | None,
        typer.Option(
            help="Register a running server, such as http://127.0.0.1:8765/mcp.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Connect a coding agent, so that it gets memories. Without HOST, list what is connected."""
    from ..install import install, records

    if mcp_url is not None and not mcp_url.strip():
        raise BadInput(
            "--mcp-url names no server.",
            hint="Name one, such as http://127.0.0.1:8765/mcp, or leave it.",
        )
    if host is None:
        call.show(records.connections(call.environ), render_connections)
        return
    if named := next(iter(call.shared), None):
        raise BadInput(
            f"--{named} cannot be registered with a coding agent.",
            hint="Make the book the default: commonplace init PATH --default"
            if named == "url"
            else f"Set COMMONPLACE_{named.upper()} in the agent's environment.",
        )
    done = install.install(host, call.environ, mcp=mcp, mcp_url=mcp_url or "", dry_run=dry_run)
    call.show(done, render_installed)


def render_connections(console: Console, found: Sequence[HostConnection]) -> None:
    """One row for each coding agent."""
    rows = (
        (
            one.title,
            *("yes" if there else "" for there in (one.present, one.hooks, one.mcp)),
            text_format.line(one.trouble),
        )
        for one in found
    )
    headers = ("Agent", "On this machine", "Hooks", "MCP", "Problem")
    table(console, headers, rows, prose=("Problem",))
    if open_ones := [one.host for one in found if one.present and not one.hooks]:
        aside(console, f"Connect one: commonplace install {open_ones[0]}")


def render_installed(console: Console, done: SettingsChanged) -> None:
    """The changes to an agent's settings, and how to undo them."""
    _render_diffs(console, done)
    if not done.files:
        say(console, f"{done.title} is already connected; nothing was changed.")
    elif done.dry_run:
        say(console, "Nothing was changed. Without --dry-run, this would be.")
    else:
        say(console, f"{done.title} is connected.")
        for file in done.files:
            if file.backup:
                aside(console, f"The file as it was: {text_format.line(file.backup)}")
        aside(console, f"Undo: commonplace uninstall {done.host}")
    if done.book:
        say(console, f"Your book is ready: {text_format.line(done.book)}")
    if done.next:
        say(console, done.next)


@command(group, panel=CONNECT)
def uninstall(call: Call, host: Host, *, dry_run: DryRun = False) -> None:
    """Disconnect a coding agent: remove from its settings what `install` added."""
    from ..install import install

    call.show(install.uninstall(host, call.environ, dry_run=dry_run), render_uninstalled)


def render_uninstalled(console: Console, done: SettingsChanged) -> None:
    """The changes to an agent's settings."""
    _render_diffs(console, done)
    if not done.files:
        say(console, f"{done.title} was not connected; nothing was changed.")
    elif done.dry_run:
        say(console, "Nothing was changed. Without --dry-run, this would be.")
    else:
        say(console, f"{done.title} is no longer connected.")
    for path in done.left:
        say(console, f"Stays, because it was edited since: {text_format.line(path)}")
    if done.left:
        aside(console, "Delete it there yourself if it shall go.")


def _render_diffs(console: Console, done: SettingsChanged) -> None:
    for file in done.files:
        if file.own:
            # A page of text, which would bury the rest.
            say(console, f"{file.verb} the {file.own}: {text_format.line(file.path)}")
            continue
        for line in file.diff.splitlines():
            say(console, line, _DIFF_STYLES.get(line[:1], ""))


@command(group, panel=CONNECT)
def hook(
    call: Call,
    host: Annotated[str, typer.Argument(metavar="HOST", help=", ".join((*HOSTS, "drain")))],
    event: Annotated[
        str, typer.Argument(help="Name of the event, if standard input does not name it.")
    ] = "",
) -> None:
    """Answer an event of a coding agent on standard input. Agents call this; it never fails.

    `hook drain` saves what ended sessions are worth remembering.
    """
    from ..hooks import answer, background_drain
    from ..hooks.options import environ_with_options

    environ = environ_with_options(call.shared, call.environ)
    if host == "drain":
        call.show(background_drain.drain_now(environ), render_drained)
    elif sys.stdin.isatty():
        name = text_format.line(host)
        sys.stderr.write(
            f"{name} calls this by itself, with an event on standard input.\n"
            f"Connect it with: commonplace install {name}\n"
        )
    else:
        sys.stdout.write(
            answer.answer_without_deadline(host, event, sys.stdin.buffer.read(), environ)
        )


def render_drained(console: Console, done: Drained) -> None:
    """The number of sessions that were read, and of those that go on."""
    for one in done.lines:
        say(console, text_format.line(one))
