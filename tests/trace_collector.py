"""A collector of traces on loopback, which takes them by OTLP over HTTP."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span


class Collecting(BaseHTTPRequestHandler):
    """Takes traces as a collector does."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        vars(self.server)["got"].append(body)
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def collector() -> Iterator[tuple[str, list[bytes]]]:
    got: list[bytes] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Collecting)
    vars(server)["got"] = got
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", got
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def spans(got: list[bytes]) -> list[Span]:
    return [
        span
        for body in got
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]


def attributes(span: Span) -> dict[str, str | int]:
    return {one.key: one.value.string_value or one.value.int_value for one in span.attributes}
