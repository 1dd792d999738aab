"""The server as one ASGI app: REST, MCP, health and metrics behind the gate, the panel beside."""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from fastapi import APIRouter, FastAPI, Request
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ... import __version__
from ...book import Commonplace
from ...model.errors import CommonplaceError, NotAllowed
from . import mcp, problems, rest
from .browser_guard import BrowserGuard
from .callers import Callers, Tokens
from .gate import PER_SECOND, Gate, RateLimit
from .metrics import Metrics
from .tracing import trace_requests
from .turns import Turns
from .wrong_tokens import WrongTokens

API_DESCRIPTION = """\
A memory for AI agents. The path is the verb: `POST /v1/recall` with its arguments as JSON. Verbs
that only read also answer `GET`. Failures are problem details with a `hint`."""
METRICS_ROLES = ("owner", "admin")
CACHE_S = 1.0
"""How long a readiness result is reused, so that callers cannot keep the database busy."""
WAIT_S = 3.0
ENDING = "The server is stopping."
SLOW = "The book does not answer in time."
UNREACHABLE = "The book cannot be reached, or is not set up for this version."
health_router = APIRouter(tags=["monitoring"])
log = logging.getLogger("commonplace.server")


class Readiness:
    """Checks whether the book answers, on a thread of its own."""

    def __init__(self, check: Callable[[], object]) -> None:
        self._check = check
        self._thread = ThreadPoolExecutor(1, "readiness")
        self._checking: asyncio.Future[str] | None = None
        self._began = 0.0
        self.ending = False
        """Set at the stop signal: the server still answers, and callers should move on."""

    async def problem(self) -> str:
        """Why no requests should be sent here; empty when ready."""
        if self.ending:
            return ENDING
        stale = time.monotonic() - self._began > CACHE_S
        if self._checking is None or (self._checking.done() and stale):
            self._began = time.monotonic()
            loop = asyncio.get_running_loop()
            self._checking = loop.run_in_executor(self._thread, self._run_check)
        done, _ = await asyncio.wait({self._checking}, timeout=WAIT_S)
        return self._checking.result() if done else SLOW

    def close_connections_when_ending(self, app: ASGIApp) -> ASGIApp:
        """The app, sending `Connection: close` once the server is stopping."""

        async def wrapped(scope: Scope, receive: Receive, send: Send) -> None:
            async def send_closing(message: Message) -> None:
                if self.ending and message["type"] == "http.response.start":
                    headers = [*message.get("headers", ()), (b"connection", b"close")]
                    message = {**message, "headers": headers}
                await send(message)

            await app(scope, receive, send_closing)

        return wrapped

    def _run_check(self) -> str:
        try:
            self._check()
        except CommonplaceError as error:
            log.warning("Not ready: %s", error)
            return UNREACHABLE
        return ""


def build_app(
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
    """The app over one open book; `key` identifies the owner.

    With `strict`, a caller without credentials is refused even while the book has no tokens.
    """
    callers = Callers(Tokens(book.server_state), owner=book.context, key=key, strict=strict)
    metrics = Metrics(book)
    app = build_routes(book, tools=tools)
    app.state.metrics = metrics
    app.state.readiness = readiness = readiness or Readiness(book.server_state.check)
    rate = RateLimit(book.server_state, per_second)
    wrong_tokens = WrongTokens()
    gate: ASGIApp = Gate(app, callers=callers, rate=rate, wrong_tokens=wrong_tokens)
    if panel:
        from ..panel.access import PanelGate
        from ..panel.mount import mount

        mount(app)
        gate = PanelGate(
            gate, app, book=book, callers=callers, rate=rate, wrong_tokens=wrong_tokens
        )
    # Inside the guard: a request that a foreign web page caused is neither counted nor traced.
    guarded = BrowserGuard(
        trace_requests(metrics.count_requests(gate)), allowed_hosts=allowed_hosts
    )
    return readiness.close_connections_when_ending(guarded)


def build_routes(book: Commonplace, *, tools: str = "core") -> FastAPI:
    """The routes behind the gate."""
    turns = Turns(book)
    mcp_app = mcp.http_app(book, turns, tools=tools)
    app = FastAPI(
        title="Commonplace",
        version=__version__,
        description=API_DESCRIPTION,
        openapi_url="/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=mcp_app.lifespan,
    )
    app.state.book, app.state.turns = book, turns
    # Before the verbs, because a request is compared with one route after another.
    app.router.routes.append(Route(mcp.PATH, endpoint=mcp_app))
    # Explicit, because the panel would take the path for one of its pages.
    app.router.routes.append(Route(f"{mcp.PATH}/", endpoint=RedirectResponse(mcp.PATH, 307)))
    app.include_router(health_router)
    app.include_router(rest.router())
    problems.install_handlers(app)
    return app


@health_router.head("/health", include_in_schema=False)
@health_router.get("/health", operation_id="health")
def health() -> dict[str, str]:
    """Whether the server runs. Needs no token and says nothing about the book."""
    return {"status": "ok", "version": __version__}


@health_router.get("/metrics", operation_id="metrics", response_class=Response)
def metrics(request: Request) -> Response:
    """Metrics for Prometheus, see docs/monitoring.md. For the owner and admins."""
    if request.state.caller.context.role not in METRICS_ROLES:
        raise NotAllowed("Metrics are for the owner and admins.", hint="Use an admin's token.")
    return Response(request.app.state.metrics.render(), media_type=CONTENT_TYPE_LATEST)


def method_not_allowed() -> None:
    """Explicit, because the panel would take the path for one of its pages."""
    raise HTTPException(405, headers={"allow": "GET, HEAD"})


for _path in ("/health", "/metrics"):
    health_router.add_api_route(
        _path,
        method_not_allowed,
        methods=["POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
        include_in_schema=False,
    )


@health_router.head("/health/ready", include_in_schema=False)
@health_router.get("/health/ready", operation_id="ready")
async def ready(request: Request) -> JSONResponse:
    """Whether to send requests here: 200 if so, 503 if not. Needs no token."""
    problem = await request.app.state.readiness.problem()
    if problem:
        return JSONResponse({"status": "not ready", "why": problem}, 503)
    return JSONResponse({"status": "ready", "why": ""})
