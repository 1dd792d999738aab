"""A real HTTP endpoint on loopback that keeps what it was asked; a test sets how it answers."""

from __future__ import annotations

import json
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar


class Endpoint(ThreadingHTTPServer):
    """An endpoint, and what it was asked."""

    daemon_threads = True

    def __init__(self, handler: type[Handler]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.released = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class Handler(BaseHTTPRequestHandler, ABC):
    """Ways of answering that every endpoint knows."""

    server: Endpoint  # pyright: ignore[reportIncompatibleVariableOverride]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append(body)
        self.server.keys.append(self.headers["Authorization"] or self.headers["x-api-key"])
        self.answer(body)

    @abstractmethod
    def answer(self, body: dict[str, Any]) -> None:
        """Answer what was asked."""

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def send(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def stay_silent(self) -> None:
        self.server.released.wait(30)

    def drip(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "1000000")
        self.end_headers()
        while not self.server.released.is_set():
            try:
                self.wfile.write(b" ")
            except OSError:
                return
            time.sleep(0.02)


E = TypeVar("E", bound=Endpoint)


@contextmanager
def serving(endpoint: E) -> Iterator[E]:
    thread = threading.Thread(target=endpoint.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield endpoint
    finally:
        endpoint.released.set()
        endpoint.shutdown()
        thread.join()
        endpoint.server_close()
