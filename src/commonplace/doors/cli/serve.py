"""Commands that serve the book to agents and programs, and the tokens of their callers."""

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from ... import registry, settings
from ...distribution import install_command
from ...model.errors import BackendMissing, BadInput
from ...model.scope import DIMENSIONS, Context
from ...rules.authority import require_person
from ..default_book import create_book
from ..mcp.catalog import SETS
from ..server.callers import ROLES, IssuedToken, Token, Tokens, TokensDisabled
from . import text_format
from .call import Call, console
from .declare import SERVER, command, one_of
from .declare import group as make_group
from .open_book import open_for
from .render import aside, say, table
from .setup import render_created

if TYPE_CHECKING:
    # Its packages are an extra, and the other commands must not pay for them.
    from ..server.run import ServerInfo, ServerOptions

group = make_group()
token_group = make_group("Access of other users and programs to the server.")

Tools = Annotated[
    str, typer.Option("--tools", help="Set of tools that agents see.", **one_of(SETS))
]


@command(group, panel=SERVER)
def serve(
    call: Call,
    *,
    host: Annotated[
        str, typer.Option(help="Address to listen on; other machines need a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port; 0 takes a free one.")] = 8765,
    tools: Tools = "core",
    rate: Annotated[
        float, typer.Option(min=0.1, help="Requests a second allowed for each token.")
    ] = 20.0,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(help="Another host name of the server; may be repeated."),
    ] = None,
    workers: Annotated[
        int,
        typer.Option(min=1, max=64, help="Processes; with more than one there is no panel."),
    ] = 1,
    linger: Annotated[
        float,
        typer.Option(min=0, help="Seconds to keep answering after a stop signal, for proxies."),
    ] = 0.0,
    panel: Annotated[bool, typer.Option(help="Serve the web panel.")] = True,
) -> None:
    """Serve the book until Ctrl-C: web panel, MCP and REST."""
    _require_installed("panel" if panel else "server")
    from ..server import run

    chosen = settings.load(call.environ)
    names = tuple(allow_host or ())
    # Before a book is made, since it raises for what cannot be served.
    options = run.ServerOptions(
        host, port, tools, rate, names, chosen.tidy_hours, workers, linger, panel
    )
    if not (call.shared.get("url") or chosen.url):
        made = create_book(None, call.environ)
        if not call.json:
            render_created(console(), made)
    _run(call, chosen.state, options)
    if not call.json:
        console(stderr=True).print("Stopped.")


def _run(call: Call, root: str, options: "ServerOptions") -> None:
    from ..hooks.options import environ_with_options
    from ..server import run

    def on_started(one: "ServerInfo") -> None:
        call.show(one, render_serving)
        sys.stdout.flush()  # The program that started the server reads this while it runs.

    # Ended sessions of this book are drained, also when only an option names the book.
    environ = environ_with_options({"url": call.shared.get("url")}, call.environ)
    # The tables of a database belong to the role that runs `postgres init`, not to the server's.
    local = registry.split(settings.load(environ).url or "")[0] in registry.LOCAL
    if options.workers == 1:
        with call.book(create=local, background=True) as book:
            run.serve(book, root, options, on_started=on_started, environ=environ)
    else:
        opened = partial(open_for, dict(call.shared), environ, create=local, background=True)
        run.serve_with_workers(opened, root, options, on_started=on_started, environ=environ)


def render_serving(console: Console, one: "ServerInfo") -> None:
    """The server's addresses, who may call it, and how to connect."""
    say(console, f"Commonplace serves {one.book}", "bold")
    if one.panel:
        say(console, f"  Panel   {one.url}/")
    for name, path in (("MCP", "/mcp"), ("REST", "/v1/openapi.json"), ("Health", "/health")):
        say(console, f"  {name:<7} {one.url}{path}")
    if one.processes > 1:
        say(console, f"  {one.processes} processes; SIGHUP restarts them one by one.")
    if one.open:
        say(console, "  Single-user: every caller on this machine is the owner.")
        say(console, "  Give others a token: commonplace token create --user NAME")
    else:
        say(console, "  Every caller needs a token: commonplace token list")
    if one.everywhere:
        names = ", ".join(one.names) or "a name given with --allow-host"
        say(console, f"  Other machines reach it by an address of this machine, or by {names}.")
    header = "" if one.open else " --header 'Authorization: Bearer TOKEN'"
    add = f"claude mcp add --transport http commonplace {one.url}/mcp{header}"
    aside(console, f"  Claude Code: {add}")
    aside(console, "  Ctrl-C stops it.")
    console.file.flush()


@command(group, panel=SERVER)
def mcp(call: Call, tools: Tools = "core") -> None:
    """Serve MCP on standard input and output, for agents that start the server themselves."""
    from ..mcp.stdio import serve_stdio

    serve_stdio(call.shared, call.environ, tools=tools)


def _require_installed(extra: str) -> None:
    from importlib.util import find_spec

    if missing := [name for name in ("fastapi", "fastmcp", "uvicorn") if find_spec(name) is None]:
        raise BackendMissing(
            f"The server needs {missing[0]}, which is not installed.",
            hint=f"Install it with `{install_command(extra)}`.",
        )


@command(token_group)
def create(
    call: Call,
    *,
    role: Annotated[
        str, typer.Option(help="Role; an admin may also write shared scopes.", **one_of(ROLES))
    ] = "member",
    grant: Annotated[
        list[str] | None,
        typer.Option(metavar="SCOPE", help="Shared scope it may write; may be repeated."),
    ] = None,
    days: Annotated[
        float | None, typer.Option(help="Days until it expires; default: never.")
    ] = None,
    name: Annotated[str, typer.Option(help="Name of the token, such as ada's laptop.")] = "",
    person: Annotated[
        bool, typer.Option("--person", help="For a person, whose changes need no confirmation.")
    ] = False,
) -> None:
    """Create a token for the user of --org and --user. It is shown only once."""
    named = {d: value for d in DIMENSIONS if (value := call.shared.get(d)) is not None}
    context = Context.of({**named, "role": role, "grants": frozenset(grant or ())})
    with _with_url_only(call).book() as book:
        if person or role != "member":
            require_person(
                book.source, f"make a token for {'a person' if person else f'an {role}'}"
            )
        made = Tokens(book.server_state).create(
            context, now=datetime.now(UTC), days=days, name=name, person=person
        )
    call.show(made, render_issued)


def render_issued(console: Console, made: IssuedToken) -> None:
    """A new token, shown only once."""
    say(console, made.secret, "bold")
    scope = text_format.line(str(made.token.context.scope))
    say(console, f"For {scope}, {_role(made.token)}, {_until(made.token)}.")
    if made.token.person:
        say(console, "A person's: changes made with it need no confirmation. Give it to no agent.")
    aside(console, "It is shown only once. From now on every caller needs a token.")
    aside(console, f"Revoke: commonplace token revoke {made.token.id}")


@command(token_group, "list")
def list_tokens(call: Call) -> None:
    """List tokens: user, role and expiry."""
    with _with_url_only(call).book() as book:
        tokens = Tokens(book.server_state)
        required = tokens.required()
        call.show(tokens.list(), lambda out, found: render_tokens(out, found, required))


def render_tokens(console: Console, found: Sequence[Token], required: bool) -> None:
    """One row for each token."""
    if not found and not required:
        say(console, "There are no tokens. Create one: commonplace token create --user NAME")
        return
    if not found:
        _warn_locked(console)
        return
    rows = (
        (
            token.id,
            text_format.line(token.name),
            text_format.line(str(token.context.scope)),
            _role(token),
            text_format.line(", ".join(sorted(token.context.grants))),
            _until(token),
        )
        for token in found
    )
    headers = ("Id", "Name", "User", "Role", "May also write", "Expiry")
    table(console, headers, rows, prose=("Name", "May also write"))


def _warn_locked(console: Console) -> None:
    say(console, "No token is left, but the book requires one: the server admits nobody.")
    aside(console, "Create one: commonplace token create --user NAME")
    aside(console, "Require none, as the only user: commonplace token off")


def _role(token: Token) -> str:
    return f"{token.context.role}, a person" if token.person else token.context.role


def _until(token: Token) -> str:
    if token.expires is None:
        return "never expires"
    day = token.expires.date().isoformat()
    return f"until {day}" if token.live(datetime.now(UTC)) else f"expired on {day}"


@command(token_group)
def revoke(
    call: Call, id: Annotated[str, typer.Argument(help="Id of the token; see `token list`.")]
) -> None:
    """Revoke a token at once."""
    with _with_url_only(call).book() as book:
        require_person(book.source, "revoke a token")
        tokens = Tokens(book.server_state)
        gone = tokens.revoke(id)
        call.show(gone, lambda out, one: render_revoked(out, one, left=_count_live(tokens)))


def render_revoked(console: Console, token: Token, *, left: int) -> None:
    """A revoked token."""
    say(console, f"Revoked {token.id}, for {text_format.line(str(token.context.scope))}.")
    if not left:
        _warn_locked(console)


@command(token_group)
def off(
    call: Call,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
) -> None:
    """Revoke all tokens and require none: callers on this machine are the owner again."""
    with _with_url_only(call).book() as book:
        require_person(book.source, "turn tokens off")
        tokens = Tokens(book.server_state)
        if not yes and (count := _count_live(tokens)):
            _confirm(count, call)
        call.show(tokens.disable(), render_off)


def render_off(console: Console, done: TokensDisabled) -> None:
    """The number of revoked tokens, and who may call the server now."""
    count = text_format.counted(done.revoked, "token", "tokens")
    callers = (
        "every caller on this machine is the owner."
        if done.single_user
        else "the server admits nobody until there is a token."
    )
    say(console, f"Revoked {count}; none is left: {callers}")


def _count_live(tokens: Tokens) -> int:
    now = datetime.now(UTC)
    return sum(token.live(now) for token in tokens.list())


def _confirm(count: int, call: Call) -> None:
    let_in = "1 token lets" if count == 1 else f"{count} tokens let"
    if call.json or not sys.stdin.isatty():
        raise BadInput(
            f"Nothing was revoked: {let_in} callers in.", hint="Add --yes to revoke them all."
        )
    typer.confirm(f"{let_in} callers in; revoke them all?", abort=True, err=True)


def _with_url_only(call: Call) -> Call:
    """Options such as --user name the token's user here, not the caller."""
    url = call.shared.get("url")
    return call.but(shared={"url": url} if url else {})
