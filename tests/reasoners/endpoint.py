"""A real chat-completions endpoint on loopback, whose answers and moods a test sets."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Endpoint(ThreadingHTTPServer):
    """Gives the next answer in line; a text in angle brackets is a mood instead."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers: list[object] = []
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
        self.released = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    @property
    def asked(self) -> str:
        """Everything that was sent, as text."""
        return json.dumps(self.requests, ensure_ascii=False)


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
        self.server.keys.append(self.headers["Authorization"] or self.headers["x-api-key"])
        answer = self.server.answers.pop(0) if self.server.answers else "no more answers"
        mood = str(answer)
        if mood.startswith("<"):
            getattr(self, f"_{mood.strip('<>')}")()
        elif self.path.endswith("/messages"):
            self._message(answer, body)
        else:
            self._completion(answer, body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def _completion(self, answer: object, body: dict[str, Any]) -> None:
        text = answer if isinstance(answer, str) else json.dumps(answer)
        message: dict[str, Any] = {"role": "assistant", "content": text}
        if "tools" in body and not isinstance(answer, str):
            call = {"name": body["tools"][0]["function"]["name"], "arguments": text}
            message["content"] = None
            message["tool_calls"] = [{"id": "call-1", "type": "function", "function": call}]
        self._choice(message, "tool_calls" if "tools" in body else "stop")

    def _message(self, answer: object, body: dict[str, Any]) -> None:
        """The same in Anthropic's protocol."""
        name = body["tools"][0]["name"]
        used = {"type": "tool_use", "id": "toolu_1", "name": name, "input": answer}
        value = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": [used],
            "stop_reason": "tool_use",
            "stop_sequence": None,
            "usage": {"input_tokens": 100, "output_tokens": 20},
        }
        self._send(200, json.dumps(value).encode())

    def _refusing(self) -> None:
        self._choice({"role": "assistant", "content": None, "refusal": "I cannot help."}, "stop")

    def _filtered(self) -> None:
        self._choice({"role": "assistant", "content": None}, "content_filter")

    def _slow(self) -> None:
        self.server.released.wait(30)

    def _dripping(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "1000000")
        self.end_headers()
        while not self.server.released.is_set():
            try:
                self.wfile.write(b" ")
            except OSError:
                return
            time.sleep(0.02)

    def _malformed(self) -> None:
        self._send(200, b'{"choices": [{"mess')

    def _strange(self) -> None:
        self._send(200, b'{"choices": "none", "usage": 3}')

    def _broken(self) -> None:
        self._send(400, json.dumps({"error": f"bad request: {self.server.requests[-1]}"}).encode())

    def _unauthorized(self) -> None:
        self._send(401, json.dumps({"error": f"wrong key {self.server.keys[-1]}"}).encode())

    def _choice(self, message: dict[str, Any], reason: str) -> None:
        choice = {"index": 0, "message": message, "finish_reason": reason}
        value = {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": "test",
            "choices": [choice],
            "usage": self.server.usage,
        }
        self._send(200, json.dumps(value).encode())

    def _send(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
