"""The whole server as one ASGI app: MCP and REST behind one gate, room for a panel beside them."""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from fastapi import APIRouter, FastAPI, Request
from fastmcp.server.http import HostOriginGuardMiddleware
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ... import __version__
from ...book import Commonplace
from ...model.errors import CommonplaceError, NotAllowed
from . import mcp, problems, rest
from .callers import Callers, Tokens
from .gate import PER_SECOND, Gate, Rate
from .metrics import Metrics
from .tracing import traced

health_router = APIRouter(tags=["watching"])
WATCHERS = ("owner", "admin")


@health_router.head("/health", include_in_schema=False)
@health_router.get("/health", operation_id="health")
def health() -> dict[str, str]:
    """Answers as long as the server runs; needs no token and says nothing about the book."""
    return {"status": "ok", "version": __version__}


@health_router.get("/metrics", operation_id="metrics", response_class=Response)
def metrics(request: Request) -> Response:
    """Figures for Prometheus, see docs/monitoring.md; for the owner and admins."""
    if request.state.caller.context.role not in WATCHERS:
        raise NotAllowed("Metrics are for the owner and admins.", hint="Use an admin's token.")
    return Response(request.app.state.metrics.told(), media_type=CONTENT_TYPE_LATEST)


def not_so() -> None:
    """Said here, because the panel would take the path for a page that it does not know."""
    raise HTTPException(405, headers={"allow": "GET, HEAD"})


for _path in ("/health", "/metrics"):
    health_router.add_api_route(
        _path,
        not_so,
        methods=["POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
        include_in_schema=False,
    )


# Whether a server should be sent requests: it can reach its book, and is not about to end.


FRESH_S = 1.0
"""For so long an answer is given again: strangers cannot keep the database busy by asking."""
WAIT_S = 3.0
ENDING = "This server is about to end."
SLOW = "The book does not answer in time."
AWAY = "The book cannot be reached, or is not set up for this version."
readiness_router = APIRouter(tags=["watching"])
log = logging.getLogger("commonplace.server")


class Readiness:
    """Looks whether the book answers, on a thread of its own that no request can keep busy."""

    def __init__(self, check: Callable[[], object]) -> None:
        self._check = check
        self._thread = ThreadPoolExecutor(1, "readiness")
        self._looking: asyncio.Future[str] | None = None
        self._began = 0.0
        self.ending = False
        """Set when the server was told to stop: it still answers, and callers should move on."""

    async def trouble(self) -> str:
        """Why no requests should come here; empty when they may."""
        if self.ending:
            return ENDING
        stale = time.monotonic() - self._began > FRESH_S
        if self._looking is None or (self._looking.done() and stale):
            self._began = time.monotonic()
            loop = asyncio.get_running_loop()
            self._looking = loop.run_in_executor(self._thread, self._look)
        done, _ = await asyncio.wait({self._looking}, timeout=WAIT_S)
        return self._looking.result() if done else SLOW

    def sending_away(self, app: ASGIApp) -> ASGIApp:
        """The app, asking callers to connect anew, elsewhere, once it is about to end."""

        async def answering(scope: Scope, receive: Receive, send: Send) -> None:
            async def sending(message: Message) -> None:
                if self.ending and message["type"] == "http.response.start":
                    headers = [*message.get("headers", ()), (b"connection", b"close")]
                    message = {**message, "headers": headers}
                await send(message)

            await app(scope, receive, sending)

        return answering

    def _look(self) -> str:
        try:
            self._check()
        except CommonplaceError as error:
            log.warning("Not ready: %s", error)
            return AWAY
        return ""


@readiness_router.head("/health/ready", include_in_schema=False)
@readiness_router.get("/health/ready", operation_id="ready")
async def ready(request: Request) -> JSONResponse:
    """Whether requests should be sent here: 200 if so, 503 if not. Needs no token."""
    trouble = await request.app.state.readiness.trouble()
    if trouble:
        return JSONResponse({"status": "not ready", "why": trouble}, 503)
    return JSONResponse({"status": "ready", "why": ""})


# The whole server as one ASGI app: MCP and REST behind one gate, room for a panel beside them.


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
    callers = Callers(Tokens(book.server_state), owner=book.context, key=key, strict=strict)
    metrics = Metrics(book)
    app = inner(book, tools=tools)
    app.state.metrics = metrics
    app.state.readiness = readiness = readiness or Readiness(book.server_state.check)
    rate = Rate(book.server_state, per_second)
    gate: ASGIApp = Gate(app, callers=callers, rate=rate)
    if panel:
        from ..panel.access import Entrance
        from ..panel.mount import mount

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
    app.include_router(health_router)
    app.include_router(readiness_router)
    app.include_router(rest.router())
    app.router.routes.append(Route(mcp.PATH, endpoint=speaking))
    # Said here and not left to the router, because the panel would take the path for a page.
    onward = RedirectResponse(mcp.PATH, 307)
    app.router.routes.append(Route(f"{mcp.PATH}/", endpoint=onward))
    problems.install(app)
    return app
