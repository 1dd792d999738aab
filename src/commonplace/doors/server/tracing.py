"""Traces for OpenTelemetry: a span for each request, and one for each tool inside it.

The spans of verbs are inside these, if the settings ask for them (`backends/telemetry/`). A span
made here holds only our own names: no query, text or tenant. OpenTelemetry's environment variables,
such as OTEL_EXPORTER_OTLP_ENDPOINT, say where traces go; without them spans cost next to nothing.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from opentelemetry import propagate, trace
from opentelemetry.trace import SpanKind, StatusCode

from ... import __version__
from ...books.services import trace_provider
from .rest import VERBS

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from opentelemetry.context import Context
    from opentelemetry.trace import Tracer
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

ADDRESSES = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
SERVICE = "commonplace"
TRACE_KEY = "commonplace.trace"
"""Key of the trace in the scope of a request."""
_NO_TRACER: Tracer = trace.NoOpTracer()
_sending: list[Tracer] = []
"""Our tracer, while traces are sent."""
PATHS = frozenset({"/mcp", "/health", "/metrics", *(f"/v1/{verb}" for verb in VERBS)})


def is_enabled(environ: Mapping[str, str]) -> bool:
    """Whether the environment has an address for traces."""
    off = environ.get("OTEL_SDK_DISABLED", "").lower() == "true"
    return not off and any(environ.get(name) for name in ADDRESSES)


@contextmanager
def send_traces(environ: Mapping[str, str] = os.environ) -> Generator[None]:
    """Send traces while the block lasts, if the environment has an address for them."""
    if not is_enabled(environ):
        yield
        return
    provider = trace_provider(environ)
    _sending.append(provider.get_tracer(SERVICE, __version__))
    try:
        yield
    finally:
        _sending.clear()
        provider.shutdown()


def trace_requests(app: ASGIApp) -> ASGIApp:
    """The app, with a span around each request that continues the caller's trace."""

    async def spanned(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        path = scope["path"] if scope["path"] in PATHS else "other"
        method = scope["method"] if scope["method"] in ("GET", "POST", "HEAD") else "other"
        headers = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]
        }
        with _tracer().start_as_current_span(
            f"{method} {path}",
            context=propagate.extract(headers),
            kind=SpanKind.SERVER,
            attributes={"http.request.method": method, "http.route": path},
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            scope[TRACE_KEY] = trace.set_span_in_context(span)

            async def sending(message: Message) -> None:
                if message["type"] == "http.response.start":
                    span.set_attribute("http.response.status_code", message["status"])
                    if message["status"] >= 500:
                        span.set_status(StatusCode.ERROR)
                await send(message)

            await app(scope, receive, sending)

    return spanned


@contextmanager
def tool_span(name: str) -> Generator[None]:
    """A span around a tool call; of an error it records the class only."""
    with _tracer().start_as_current_span(
        name, context=_request_trace(), record_exception=False, set_status_on_exception=False
    ) as open_span:
        try:
            yield
        except Exception as error:
            open_span.set_attribute("error.type", type(error).__name__)
            open_span.set_status(StatusCode.ERROR)
            raise


def _request_trace() -> Context | None:
    """The trace of the current request: MCP answers it in another task."""
    from fastmcp.server.dependencies import get_http_request

    try:
        return get_http_request().scope.get(TRACE_KEY)
    except RuntimeError:
        return None  # MCP over standard input has no request.


def _tracer() -> Tracer:
    return _sending[0] if _sending else _NO_TRACER
