"""The whole server as one ASGI app: MCP and REST behind one gate, room for a panel beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import FastAPI
from fastmcp.server.http import HostOriginGuardMiddleware
from starlette.responses import RedirectResponse
from starlette.routing import Route

from ... import __version__
from . import health, mcp, problems, rest
from .callers import Callers
from .gate import Gate
from .limits import PER_SECOND, Rate
from .metrics import Metrics
from .readiness import Readiness
from .readiness import router as ready
from .tokens import Tokens
from .tracing import traced

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.types import ASGIApp

    from ...book import Commonplace

ABOUT = """\
A memory for AI agents. The path is the verb: `POST /v1/recall` with its arguments as JSON. Verbs
that only read answer `GET`, too. Failures are problem details with a `hint`."""


def build(
    book: Commonplace,
    *,
    key: str,
    tools: str = "core",
    per_second: float = PER_SECOND,
    allowed_hosts: Sequence[str] = (),
    panel: bool = False,
    readiness: Readiness | None = None,
    strict: bool = False,
) -> ASGIApp:
    """The app over one open book; `key` is what its owner shows to be known as such.

    Where it is `strict`, nobody is taken for the owner without that, tokens or not.
    """
    callers = Callers(Tokens(book.desk), owner=book.context, key=key, strict=strict)
    metrics = Metrics(book)
    app = inner(book, tools=tools)
    app.state.metrics = metrics
    app.state.readiness = readiness = readiness or Readiness(book.desk.check)
    rate = Rate(book.desk, per_second)
    gate: ASGIApp = Gate(app, callers=callers, rate=rate)
    if panel:
        from ..panel.entrance import Entrance
        from ..panel.mounting import mount

        mount(app)
        gate = Entrance(
            gate, app, book=book, callers=callers, rate=rate, allowed_hosts=allowed_hosts
        )
    # Outermost: a page that a browser was tricked into loading gets no further than this.
    guard = HostOriginGuardMiddleware(gate, allowed_hosts=list(allowed_hosts), mode="strict")
    return traced(readiness.sending_away(metrics.counting(guard)))


def inner(book: Commonplace, *, tools: str = "core") -> FastAPI:
    """What lies behind the gate."""
    speaking = mcp.http_app(book, tools=tools)
    app = FastAPI(
        title="Commonplace",
        version=__version__,
        description=ABOUT,
        openapi_url="/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=speaking.lifespan,
    )
    app.state.book = book
    app.include_router(health.router)
    app.include_router(ready)
    app.include_router(rest.router())
    app.router.routes.append(Route(mcp.PATH, endpoint=speaking))
    # Said here and not left to the router, because the panel would take the path for a page.
    onward = RedirectResponse(mcp.PATH, 307)
    app.router.routes.append(Route(f"{mcp.PATH}/", endpoint=onward))
    problems.install(app)
    return app
