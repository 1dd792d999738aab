"""A real embeddings endpoint on loopback, whose mood a test sets."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from typing import Any

from tests import endpoint


class Endpoint(endpoint.Endpoint):
    """Answers each request by the next mood in line, and well when none is left."""

    def __init__(self) -> None:
        super().__init__(_Handler)
        self.moods: list[str] = []


def running() -> AbstractContextManager[Endpoint]:
    return endpoint.serving(Endpoint())


class _Handler(endpoint.Handler):
    server: Endpoint  # pyright: ignore[reportIncompatibleVariableOverride]

    def answer(self, body: dict[str, Any]) -> None:
        mood = self.server.moods.pop(0) if self.server.moods else "well"
        getattr(self, f"_{mood}")(body["input"])

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
        self.send(200, b'{"data": [{"index": 0, "embed')

    def _strange(self, texts: list[str]) -> None:
        self._answer(200, ["no", "data"])

    def _short(self, texts: list[str]) -> None:
        self._answer(200, {"data": []})

    def _wider(self, texts: list[str]) -> None:
        self._answer(200, {"data": [{"index": 0, "embedding": [0.1] * 7}]})

    def _endless(self, texts: list[str]) -> None:
        self.send(200, b'{"data": [{"index": 0, "embedding": [NaN, 1, 2]}]}')

    def _slow(self, texts: list[str]) -> None:
        self.stay_silent()

    def _dripping(self, texts: list[str]) -> None:
        self.drip()

    def _dying(self, texts: list[str]) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b'{"data": [')
        self.close_connection = True

    def _answer(self, status: int, value: object) -> None:
        self.send(status, json.dumps(value).encode())
