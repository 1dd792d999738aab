"""A stand-in for a model behind the Messages API: one answer, and a note of what it was told."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Model:
    """Where it listens, and every request it got."""

    def __init__(self, answer: str) -> None:
        self.answer = answer
        self.heard: list[dict[str, Any]] = []
        self.url = ""

    @property
    def said_to_it(self) -> str:
        """All the text that any request held."""
        return "\n".join(_texts(self.heard))


@contextmanager
def model(answer: str) -> Iterator[Model]:
    """A model that always gives this answer."""
    made = Model(answer)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            told = json.loads(self.rfile.read(int(self.headers["content-length"])))
            made.heard.append(told)
            self._send("text/event-stream" if told.get("stream") else "application/json", told)

        def do_GET(self) -> None:
            self.send_error(404)

        def do_HEAD(self) -> None:
            self.send_error(404)

        def log_message(self, format: str, *args: Any) -> None:
            pass

        def _send(self, kind: str, told: dict[str, Any]) -> None:
            body = _streamed(answer) if told.get("stream") else json.dumps(_whole(answer)).encode()
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        made.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield made
        server.shutdown()
        thread.join()


def _whole(answer: str) -> dict[str, Any]:
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "stand-in",
        "content": [{"type": "text", "text": answer}], "stop_reason": "end_turn",
        "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
    }  # fmt: skip


def _streamed(answer: str) -> bytes:
    empty = {**_whole(answer), "content": [], "stop_reason": None}
    ended = {"stop_reason": "end_turn", "stop_sequence": None}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": empty},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "text_delta", "text": answer},
        },
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": ended, "usage": {"output_tokens": 3}},
        {"type": "message_stop"},
    ]
    return "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events).encode()


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)
