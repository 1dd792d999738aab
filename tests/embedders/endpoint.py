"""A real embeddings endpoint on loopback, whose mood a test sets."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Endpoint(ThreadingHTTPServer):
    """Answers each request by the next mood in line, and well when none is left."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.moods: list[str] = []
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.released = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


@contextmanager
def running() -> Iterator[Endpoint]:
    endpoint = Endpoint()
    thread = threading.Thread(target=endpoint.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield endpoint
    finally:
        endpoint.released.set()
        endpoint.shutdown()
        thread.join()
        endpoint.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: Endpoint  # pyright: ignore[reportIncompatibleVariableOverride]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append(body)
        self.server.keys.append(self.headers["Authorization"])
        mood = self.server.moods.pop(0) if self.server.moods else "well"
        getattr(self, f"_{mood}")(body["input"])

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def _well(self, texts: list[str]) -> None:
        rows = [{"index": at, "embedding": [len(text), -0.5, 0.0]} for at, text in enumerate(texts)]
        self._answer(200, {"data": rows[::-1]})

    def _busy(self, texts: list[str]) -> None:
        self._answer(429, {"error": f"slow down, you sent {texts}"})

    def _broken(self, texts: list[str]) -> None:
        self._answer(503, {})

    def _unauthorized(self, texts: list[str]) -> None:
        self._answer(401, {"error": f"wrong key {self.headers['Authorization']}"})

    def _malformed(self, texts: list[str]) -> None:
        self._send(200, b'{"data": [{"index": 0, "embed')

    def _strange(self, texts: list[str]) -> None:
        self._answer(200, ["no", "data"])

    def _short(self, texts: list[str]) -> None:
        self._answer(200, {"data": []})

    def _wider(self, texts: list[str]) -> None:
        self._answer(200, {"data": [{"index": 0, "embedding": [0.1] * 7}]})

    def _endless(self, texts: list[str]) -> None:
        self._send(200, b'{"data": [{"index": 0, "embedding": [NaN, 1, 2]}]}')

    def _slow(self, texts: list[str]) -> None:
        self.server.released.wait(30)

    def _dripping(self, texts: list[str]) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "1000000")
        self.end_headers()
        while not self.server.released.is_set():
            try:
                self.wfile.write(b" ")
            except OSError:
                return
            time.sleep(0.02)

    def _dying(self, texts: list[str]) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b'{"data": [')
        self.close_connection = True

    def _answer(self, status: int, value: object) -> None:
        self._send(status, json.dumps(value).encode())

    def _send(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
