"""Our own provider of traces, which sends them by OTLP over HTTP."""

from __future__ import annotations

import os

from ...model.errors import BackendMissing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from opentelemetry.sdk.trace import TracerProvider

SERVICE = "commonplace"
PACKAGES = ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http")
TIMEOUTS = ("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT")
LAST_S = 1.0
"""A command that has answered waits no longer than this for a collector."""


def require_telemetry() -> None:
    """Raise BackendMissing where the packages of the extra are not installed; imports none."""
    from importlib.util import find_spec

    for name in PACKAGES:
        try:
            found = find_spec(name)
        except ModuleNotFoundError:
            found = None
        if found is None:
            raise _missing()


def own_provider(
    version: str, environ: Mapping[str, str] | None = None, *, ends_soon: bool = False
) -> TracerProvider:
    """A provider that sends traces where OpenTelemetry's variables say."""
    environ = os.environ if environ is None else environ
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise _missing() from error
    about = {SERVICE_NAME: environ.get("OTEL_SERVICE_NAME", SERVICE), SERVICE_VERSION: version}
    provider = TracerProvider(resource=Resource.create(about))
    # OpenTelemetry itself would wait ten seconds, and try again meanwhile.
    limited = ends_soon and not any(environ.get(name) for name in TIMEOUTS)
    exporter = OTLPSpanExporter(timeout=LAST_S if limited else None)
    # Not set as the global provider: spans of libraries contain queries and error texts.
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return provider


def _missing() -> BackendMissing:
    from ...distribution import install_command

    return BackendMissing(
        "The packages that send traces are not installed.",
        hint=f"Run: {install_command('otel')}",
    )
