"""Whether the server runs, and how much it does."""

import time

from fastapi import APIRouter, Request
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram
from prometheus_client.exposition import generate_latest
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ... import __version__
from ...errors import NotAllowed

router = APIRouter(tags=["watching"])
WATCHERS = ("owner", "admin")


@router.head("/health", include_in_schema=False)
@router.get("/health", operation_id="health")
def health() -> dict[str, str]:
    """Answers as long as the server runs; needs no token and says nothing about the book."""
    return {"status": "ok", "version": __version__}


@router.get("/metrics", operation_id="metrics", response_class=Response)
def metrics(request: Request) -> Response:
    """Counters for Prometheus; for the owner and admins."""
    if request.state.caller.context.role not in WATCHERS:
        raise NotAllowed("Metrics are for the owner and admins.", hint="Use an admin's token.")
    told = generate_latest(request.app.state.metrics.registry)
    return Response(told, media_type=CONTENT_TYPE_LATEST)


class Metrics:
    """Requests by door and outcome, and how long they took."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "commonplace_http_requests", "Requests.", ("door", "status"), registry=self.registry
        )
        self.seconds = Histogram(
            "commonplace_http_request_seconds", "How long.", ("door",), registry=self.registry
        )

    def counting(self, app: ASGIApp) -> ASGIApp:
        """The app, with each of its requests counted."""

        async def counted(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http":
                await app(scope, receive, send)
                return
            began, status = time.perf_counter(), 500
            door = _door(scope["path"])

            async def sending(message: Message) -> None:
                nonlocal status
                if message["type"] == "http.response.start":
                    status = message["status"]
                await send(message)

            try:
                await app(scope, receive, sending)
            finally:
                self.requests.labels(door, str(status)).inc()
                self.seconds.labels(door).observe(time.perf_counter() - began)

        return counted


def _door(path: str) -> str:
    """Only known paths become labels: a caller must not be able to make new series."""
    first = path.split("/", 2)[1] if path.startswith("/") else ""
    return {"mcp": "mcp", "v1": "rest"}.get(first, "other")
