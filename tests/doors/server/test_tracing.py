"""Traces: a span for each request and tool, sent where the environment says, with no word of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from commonplace.books.open import open_book
from commonplace.doors.server.tracing import is_enabled
from commonplace.settings import Settings
from tests.trace_collector import attributes, collector, spans

PARENT = "0af7651916cd43dd8448eb211c80319c"


@contextmanager
def served(room: Path, **environ: str) -> Iterator[str]:
    """A server as a process of its own: a process has one tracer for good."""
    settings = Settings(state=str(room / "state"), embedder="none")
    open_book(f"sqlite:{room / 'book.db'}", settings=settings, background=False).close()
    given = {
        **os.environ,
        "COMMONPLACE_URL": f"sqlite:{room / 'book.db'}",
        "COMMONPLACE_STATE": str(room / "state"),
        "COMMONPLACE_CONFIG": str(room / "config.yaml"),
        "COMMONPLACE_EMBEDDER": "none",
        **environ,
    }
    serve = [sys.executable, "-m", "commonplace", "serve", "--port", "0", "--json"]
    process = subprocess.Popen(serve, env=given, stdout=subprocess.PIPE, text=True)
    try:
        place = room / "state" / "server.json"
        while not place.exists() and process.poll() is None:
            time.sleep(0.05)
        url = json.loads(place.read_text())["url"]
        while True:
            try:
                httpx.get(f"{url}/health")
                break
            except httpx.TransportError:
                time.sleep(0.05)
        yield url
    finally:
        process.terminate()
        process.communicate(timeout=30)


def test_requests_and_tools_are_traced_without_a_word_of_what_was_said(tmp_path: Path) -> None:
    call = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "memory_search", "arguments": {"query": "violins of Cremona"}},
    }
    accept = {"accept": "application/json, text/event-stream"}
    with collector() as (address, got):
        with served(tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT=address, COMMONPLACE_OTEL="1") as url:
            params = {"query": "violins of Cremona"}
            trace = {"traceparent": f"00-{PARENT}-b7ad6b7169203331-01"}
            httpx.get(f"{url}/v1/recall", params=params, headers=trace).raise_for_status()
            httpx.get(f"{url}/violins")
            httpx.post(f"{url}/mcp", json=call, headers=accept).raise_for_status()
        # What was not sent yet is, when the server ends.
        found = spans(got)
    by_name = {span.name: span for span in found}
    assert {"GET /v1/recall", "POST /mcp", "memory_search"} <= by_name.keys()
    assert by_name["GET /v1/recall"].trace_id.hex() == PARENT
    assert by_name["memory_search"].trace_id == by_name["POST /mcp"].trace_id
    assert attributes(by_name["GET /v1/recall"])["http.response.status_code"] == 200
    verbs = {span.parent_span_id: attributes(span) for span in found if "memory" in span.name}
    for span in (by_name["GET /v1/recall"], by_name["memory_search"]):
        assert verbs[span.span_id]["gen_ai.operation.name"] == "search_memory"
    assert b"iolin" not in b"".join(got)
    assert b"Cremona" not in b"".join(got)
    assert ExportTraceServiceRequest.FromString(got[0]).resource_spans[0].resource.attributes


@pytest.mark.parametrize(
    ("environ", "traced"),
    [
        ({}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}, True),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:4318/v1/traces"}, True),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x", "OTEL_SDK_DISABLED": "true"}, False),
    ],
)
def test_traces_go_nowhere_unless_the_environment_says_where(
    environ: dict[str, str], traced: bool
) -> None:
    assert is_enabled(environ) is traced
