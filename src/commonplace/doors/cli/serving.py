"""Commands that serve the book to agents and programs."""

import os
import sys
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from ... import settings
from ...errors import BackendMissing
from .call import Call, console
from .declare import command, one_of
from .declare import group as make_group
from .draw import servers
from .opening import open_for
from .setting_up import init

if TYPE_CHECKING:
    from ..server.running import Options, Serving

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
    from ..server import running

    if not (call.json or call.shared.get("url") or settings.load(call.environ).url):
        init(call)
    chosen = settings.load(call.environ)
    names = tuple(allow_host or ())
    options = running.Options(
        host, port, tools, rate, names, chosen.tidy_hours, workers, linger, panel
    )
    _run(call, chosen.state, options)
    if not call.json:
        console(stderr=True).print("Stopped.")


def _run(call: Call, root: str, options: "Options") -> None:
    from ..hooks.options import laid_over
    from ..server import running

    def began(one: "Serving") -> None:
        call.show(one, servers.serving)
        sys.stdout.flush()  # Whoever started it waits for this, and it goes on.

    # What waits for this book is looked through, also when only an option names it.
    environ = laid_over({"url": call.shared.get("url")}, call.environ)
    if options.workers == 1:
        with call.book(background=True) as book:
            running.serve(book, root, options, began=began, environ=environ)
    else:
        opened = partial(open_for, dict(call.shared), environ, background=True)
        running.serve_by_several(opened, root, options, began=began, environ=environ)


@command(group, panel=PANEL)
def mcp(call: Call, tools: Tools = "core") -> None:
    """Speak MCP over standard input and output, for hosts that start it themselves."""
    _require_installed()
    from ..server.mcp import run_stdio

    with _where_the_host_works(call).book(background=True) as book:
        run_stdio(book, tools=tools)


def _where_the_host_works(call: Call) -> Call:
    """The same, in the project that hooks of that host are in; an option wins over it."""
    from ..hooks import whose

    folder = ""
    with suppress(OSError):  # It may be gone.
        folder = os.getcwd()
    project = settings.load(call.environ).hook_project
    here = whose.context(call.environ, project, folder).project
    return call.but(shared={**call.shared, "project": call.shared.get("project") or here})


def _require_installed() -> None:
    from importlib.util import find_spec

    if missing := [name for name in ("fastapi", "fastmcp", "uvicorn") if find_spec(name) is None]:
        raise BackendMissing(
            f"The server needs {missing[0]}, which is not installed.",
            hint="Install it with `pip install 'commonplace[server]'`.",
        )
