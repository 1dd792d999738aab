"""Commands that serve the book to agents and programs."""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ... import settings
from ...model.errors import BackendMissing, BadInput
from ...model.scope import DIMENSIONS, Context
from ..server.callers import ROLES, Issued, Token, Tokens, TokensOff
from ..server.run import Options, Serving
from . import text_format
from .call import Call, console
from .declare import command, one_of
from .declare import group as make_group
from .open_book import open_for
from .setup import init


def render_serving(console: Console, one: Serving) -> None:
    """Where it listens, who may ask, and how to connect."""
    console.print(Text(f"Commonplace serves {one.book}", style="bold"))
    if one.panel:
        console.print(f"  Panel   {one.url}/")
    for name, path in (("MCP", "/mcp"), ("REST", "/v1/openapi.json"), ("Health", "/health")):
        console.print(f"  {name:<7} {one.url}{path}")
    if one.processes > 1:
        console.print(f"  {one.processes} processes answer; SIGHUP renews them one by one.")
    if one.open:
        console.print("  Single-user: whoever is on this machine asks as the owner.")
        console.print("  Others need tokens: commonplace token create --user NAME")
    else:
        console.print("  Every caller needs a token: commonplace token list")
    if one.everywhere:
        called = ", ".join(one.names) or "a name that is given with --allow-host"
        told = f"  Other machines reach it by an address of this one, or by {called}."
        console.print(text_format.line(told), markup=False)
    shown = "" if one.open else " --header 'Authorization: Bearer TOKEN'"
    add = f"claude mcp add --transport http commonplace {one.url}/mcp{shown}"
    console.print(Text(f"  Claude Code: {add}", "dim"), soft_wrap=True)
    console.print(Text("  Ctrl-C stops it.", style="dim"))
    console.file.flush()


def render_issued(console: Console, made: Issued) -> None:
    """A new token, this once."""
    console.print(Text(made.secret, style="bold"), soft_wrap=True)
    whose = text_format.line(str(made.token.context.scope))
    console.print(f"For {whose}, {made.token.context.role}, {_until(made.token)}.")
    console.print(Text("It is shown this once. From now on every caller needs one.", "dim"))
    console.print(Text(f"Revoke: commonplace token revoke {made.token.id}", style="dim"))


def render_tokens(console: Console, found: Sequence[Token], required: bool) -> None:
    """One line for each token."""
    if not found and not required:
        console.print("There are no tokens. Make one: commonplace token create --user NAME")
        return
    if not found:
        _nobody(console)
        return
    table = Table("Id", "Name", "Whose", "Role", "May also write", "Until", box=SIMPLE_HEAD)
    for token in found:
        table.add_row(
            token.id,
            text_format.line(token.name),
            text_format.line(str(token.context.scope)),
            token.context.role,
            text_format.line(", ".join(sorted(token.context.grants))),
            _until(token),
        )
    console.print(table)


def render_revoked(console: Console, token: Token, *, left: int) -> None:
    """A token that lets nobody in any more."""
    console.print(f"Revoked {token.id}, for {text_format.line(str(token.context.scope))}.")
    if not left:
        _nobody(console)


def render_off(console: Console, done: TokensOff) -> None:
    """A book without tokens again."""
    count = text_format.counted(done.revoked, "token", "tokens")
    told = (
        "whoever is on this machine asks as the owner."
        if done.single_user
        else "a server lets nobody in until there is one."
    )
    console.print(f"Revoked {count}. There are none now: {told}")


def _nobody(console: Console) -> None:
    console.print("No token is left, and the book still needs one: a server lets nobody in.")
    console.print(Text("Make one: commonplace token create --user NAME", "dim"))
    console.print(Text("Do without, as the only user: commonplace token off", "dim"))


def _until(token: Token) -> str:
    if token.expires is None:
        return "without end"
    day = token.expires.date().isoformat()
    return f"until {day}" if token.live(datetime.now(UTC)) else f"expired on {day}"


# Commands that serve the book to agents and programs.


PANEL = "Serve"
SETS = ("core", "scoped", "layers", "all")
group = make_group()

Tools = Annotated[str, typer.Option("--tools", help="Which tools agents see.", **one_of(SETS))]


@command(group, panel=PANEL)
def serve(
    call: Call,
    *,
    host: Annotated[str, typer.Option(help="Beyond this machine only with tokens.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="0 takes any that is free.")] = 8765,
    tools: Tools = "core",
    rate: Annotated[
        float, typer.Option(min=0.1, help="Requests a second that each token may make.")
    ] = 20.0,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(help="A further name the server is reached by; may be repeated."),
    ] = None,
    workers: Annotated[
        int, typer.Option(min=1, max=64, help="Processes that answer; more than one has no panel.")
    ] = 1,
    linger: Annotated[
        float,
        typer.Option(min=0, help="Seconds to go on answering when told to stop, for proxies."),
    ] = 0.0,
    panel: Annotated[bool, typer.Option(help="Whether people find the panel there.")] = True,
) -> None:
    """Serve the book until Ctrl-C: the panel, MCP and REST."""
    _require_installed()
    from ..server import run

    if not (call.json or call.shared.get("url") or settings.load(call.environ).url):
        init(call)
    chosen = settings.load(call.environ)
    names = tuple(allow_host or ())
    options = run.Options(host, port, tools, rate, names, chosen.tidy_hours, workers, linger, panel)
    _run(call, chosen.state, options)
    if not call.json:
        console(stderr=True).print("Stopped.")


def _run(call: Call, root: str, options: "Options") -> None:
    from ..hooks.entrypoint import laid_over
    from ..server import run

    def began(one: "Serving") -> None:
        call.show(one, render_serving)
        sys.stdout.flush()  # Whoever started it waits for this, and it goes on.

    # What waits for this book is looked through, also when only an option names it.
    environ = laid_over({"url": call.shared.get("url")}, call.environ)
    if options.workers == 1:
        with call.book(background=True) as book:
            run.serve(book, root, options, began=began, environ=environ)
    else:
        opened = partial(open_for, dict(call.shared), environ, background=True)
        run.serve_by_several(opened, root, options, began=began, environ=environ)


@command(group, panel=PANEL)
def mcp(call: Call, tools: Tools = "core") -> None:
    """Speak MCP over standard input and output, for hosts that start it themselves."""
    _require_installed()
    from ..server.mcp import run_stdio

    with _where_the_host_works(call).book(background=True) as book:
        run_stdio(book, tools=tools)


def _where_the_host_works(call: Call) -> Call:
    """The same, in the project that hooks of that host are in; an option wins over it."""
    from ..hooks import caller_context

    folder = ""
    with suppress(OSError):  # It may be gone.
        folder = os.getcwd()
    project = settings.load(call.environ).hook_project
    here = caller_context.context(call.environ, project, folder).project
    return call.but(shared={**call.shared, "project": call.shared.get("project") or here})


def _require_installed() -> None:
    from importlib.util import find_spec

    if missing := [name for name in ("fastapi", "fastmcp", "uvicorn") if find_spec(name) is None]:
        raise BackendMissing(
            f"The server needs {missing[0]}, which is not installed.",
            hint="Install it with `pip install 'commonplace[server]'`.",
        )


# Tokens: who else may ask the book, through the server.


token_group = make_group("Say who else may ask the book, through the server.")


@command(token_group)
def create(
    call: Call,
    *,
    role: Annotated[
        str, typer.Option(help="An admin also writes what all users share.", **one_of(ROLES))
    ] = "member",
    grant: Annotated[
        list[str] | None,
        typer.Option(metavar="SCOPE", help="A shared scope it may write; may be repeated."),
    ] = None,
    days: Annotated[
        float | None, typer.Option(help="How long it lasts; without end if left out.")
    ] = None,
    name: Annotated[str, typer.Option(help="What you call it, such as ada's laptop.")] = "",
) -> None:
    """Make a token for the user that --org and --user name. It is shown this once."""
    named = {d: value for d in DIMENSIONS if (value := call.shared.get(d)) is not None}
    context = Context.of({**named, "role": role, "grants": frozenset(grant or ())})
    with _whole(call).book() as book:
        made = Tokens(book.server_state).create(
            context, now=datetime.now(UTC), days=days, name=name
        )
    call.show(made, render_issued)


@command(token_group, "list")
def list_tokens(call: Call) -> None:
    """List every token: whose it is, and until when."""
    with _whole(call).book() as book:
        tokens = Tokens(book.server_state)
        required = tokens.required()
        call.show(tokens.list(), lambda out, found: render_tokens(out, found, required))


@command(token_group)
def revoke(call: Call, id: Annotated[str, typer.Argument(help="From `token list`.")]) -> None:
    """Let nobody in with a token any more, at once."""
    with _whole(call).book() as book:
        tokens = Tokens(book.server_state)
        gone = tokens.revoke(id)
        call.show(gone, lambda out, one: render_revoked(out, one, left=_live(tokens)))


@command(token_group)
def off(
    call: Call, yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False
) -> None:
    """Revoke every token and need none: whoever is on this machine is the owner again."""
    with _whole(call).book() as book:
        tokens = Tokens(book.server_state)
        if not yes and (count := _live(tokens)):
            _confirm(count, call)
        call.show(tokens.off(), render_off)


def _live(tokens: Tokens) -> int:
    now = datetime.now(UTC)
    return sum(token.live(now) for token in tokens.list())


def _confirm(count: int, call: Call) -> None:
    let_in = "1 token lets" if count == 1 else f"{count} tokens let"
    if call.json or not sys.stdin.isatty():
        raise BadInput(
            f"Nothing was revoked: {let_in} callers in.", hint="Add --yes to revoke them all."
        )
    typer.confirm(f"{let_in} callers in; revoke them all?", abort=True, err=True)


def _whole(call: Call) -> Call:
    """The options name the token's caller here, not who is asking."""
    url = call.shared.get("url")
    return call.but(shared={"url": url} if url else {})
