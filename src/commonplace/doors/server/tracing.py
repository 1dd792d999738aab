"""Traces for OpenTelemetry: a span for each request, and one for each tool inside it.

A span has names that are ours and nothing a caller said: no query, no text, no tenant. Where traces
go is said by OpenTelemetry's own variables, such as OTEL_EXPORTER_OTLP_ENDPOINT; without one, and
without the extra `otel`, spans cost nothing worth measuring.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from opentelemetry import propagate, trace
from opentelemetry.trace import SpanKind, StatusCode

from ... import __version__
from ...model.errors import BackendMissing
from .rest import VERBS

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from opentelemetry.context import Context
    from opentelemetry.trace import Tracer
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

ADDRESSES = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
SERVICE = "commonplace"
HERE = "commonplace.trace"
"""Where a request keeps the trace that it belongs to."""
_NOWHERE: Tracer = trace.NoOpTracer()
_sending: list[Tracer] = []
"""Our own tracer, for as long as traces are sent."""
PATHS = frozenset({"/mcp", "/health", "/metrics", *(f"/v1/{verb}" for verb in VERBS)})


def wanted(environ: Mapping[str, str]) -> bool:
    """Whether the environment says where traces go."""
    off = environ.get("OTEL_SDK_DISABLED", "").lower() == "true"
    return not off and any(environ.get(name) for name in ADDRESSES)


@contextmanager
def tracing(environ: Mapping[str, str] = os.environ) -> Generator[None]:
    """Send traces for as long as the block lasts, if the environment says where they go."""
    if not wanted(environ):
        yield
        return
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise BackendMissing(
            "Traces are asked for, and what sends them is not installed.",
            hint="Run: pip install 'commonplace[otel]'",
        ) from error
    about = {SERVICE_NAME: environ.get("OTEL_SERVICE_NAME", SERVICE), SERVICE_VERSION: __version__}
    provider = TracerProvider(resource=Resource.create(about))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    # Kept to ourselves: spans that libraries make by themselves tell queries and texts of errors.
    _sending.append(provider.get_tracer(SERVICE, __version__))
    try:
        yield
    finally:
        _sending.clear()
        provider.shutdown()


def traced(app: ASGIApp) -> ASGIApp:
    """The app, with a span around each of its requests; a caller's own trace is gone on with."""

    async def spanned(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        path = scope["path"] if scope["path"] in PATHS else "other"
        method = scope["method"] if scope["method"] in ("GET", "POST", "HEAD") else "other"
        told = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        with _tracer().start_as_current_span(
            f"{method} {path}",
            context=propagate.extract(told),
            kind=SpanKind.SERVER,
            attributes={"http.request.method": method, "http.route": path},
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            scope[HERE] = trace.set_span_in_context(span)

            async def sending(message: Message) -> None:
                if message["type"] == "http.response.start":
                    span.set_attribute("http.response.status_code", message["status"])
                    if message["status"] >= 500:
                        span.set_status(StatusCode.ERROR)
                await send(message)

            await app(scope, receive, sending)

    return spanned


@contextmanager
def span(name: str) -> Generator[None]:
    """A span around some work inside a request; what went wrong is told by its class alone."""
    with _tracer().start_as_current_span(
        name, context=_of_request(), record_exception=False, set_status_on_exception=False
    ) as open_span:
        try:
            yield
        except Exception as error:
            open_span.set_attribute("error.type", type(error).__name__)
            open_span.set_status(StatusCode.ERROR)
            raise


def _of_request() -> Context | None:
    """The trace of the request that is being answered: MCP answers it in a task of its own."""
    from fastmcp.server.dependencies import get_http_request

    try:
        return get_http_request().scope.get(HERE)
    except RuntimeError:
        return None  # Over standard input there is no request.


def _tracer() -> Tracer:
    return _sending[0] if _sending else _NOWHERE
