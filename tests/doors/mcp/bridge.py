"""HTTP in front of a pipe, because the conformance suite speaks HTTP alone.

Each session has a process of its own; requests of the modern era, which knows none, share one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any

from tests.doors.mcp.pipe import MODERN, Pipe

STATUS = {-32700: 400, -32600: 400, -32602: 400, -32022: 400, -32601: 404}
"""The status that HTTP gives an error of the modern era."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    pipes: dict[str, Pipe]
    start: Any
    lock: Lock

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        session = self.headers.get("mcp-session-id", "")
        with self.lock:
            if message.get("method") == "initialize" and not session:
                session = str(len(self.pipes))
                self.pipes[session] = self.start()
            pipe = self.pipes[session]
            pipe.send(message)
            answer = {"jsonrpc": "2.0", **pipe.next()} if "id" in message else None
        modern = self.headers.get("mcp-protocol-version") == MODERN
        code = answer["error"]["code"] if answer and "error" in answer else 0
        self._reply(202 if answer is None else STATUS.get(code, 200) if modern else 200, answer)

    def do_GET(self) -> None:
        self._reply(405, None)

    def do_DELETE(self) -> None:
        self._reply(405, None)

    def _reply(self, status: int, answer: object) -> None:
        body = b"" if answer is None else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        if session := max((one for one in self.pipes if one), default="", key=int):
            self.send_header("mcp-session-id", session)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def bridged(environ: Mapping[str, str]) -> Iterator[str]:
    """The address of the bridge."""
    with ExitStack() as stack:

        def start() -> Pipe:
            return stack.enter_context(Pipe(environ, "--project", "none"))

        modern = start()
        modern.modern("server/discover")  # The first request decides the era.
        fields = {"pipes": {"": modern}, "start": staticmethod(start), "lock": Lock()}
        server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), fields))
        server.daemon_threads = True
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield "http://{}:{}/mcp".format(*server.server_address)
        finally:
            server.shutdown()
            thread.join()
            server.server_close()
