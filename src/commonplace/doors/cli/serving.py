"""Commands that serve the book to agents and programs."""

from typing import Annotated

import typer

from ... import settings
from ...errors import BackendMissing
from .call import Call, console
from .declare import command, one_of
from .declare import group as make_group
from .draw import servers
from .setting_up import init

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
) -> None:
    """Serve the book until Ctrl-C: the panel, MCP and REST."""
    _require_installed()
    from ..server import running

    if not (call.json or call.shared.get("url") or settings.load(call.environ).url):
        init(call)
    chosen = settings.load(call.environ)
    options = running.Options(host, port, tools, rate, tuple(allow_host or ()), chosen.tidy_hours)
    with call.book(background=True) as book:
        running.serve(
            book,
            chosen.state,
            options,
            began=lambda one: call.show(one, servers.serving),
            environ=call.environ,
        )
    if not call.json:
        console(stderr=True).print("Stopped.")


@command(group, panel=PANEL)
def mcp(call: Call, tools: Tools = "core") -> None:
    """Speak MCP over standard input and output, for hosts that start it themselves."""
    _require_installed()
    from ..server.mcp import run_stdio

    with call.book(background=True) as book:
        run_stdio(book, tools=tools)


def _require_installed() -> None:
    from importlib.util import find_spec

    if missing := [name for name in ("fastapi", "fastmcp", "uvicorn") if find_spec(name) is None]:
        raise BackendMissing(
            f"The server needs {missing[0]}, which is not installed.",
            hint="Install it with `pip install 'commonplace[server]'`.",
        )
