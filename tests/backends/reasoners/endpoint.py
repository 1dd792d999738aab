"""A real chat-completions endpoint on loopback, whose answers and moods a test sets."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from typing import Any

from tests import endpoint


class Endpoint(endpoint.Endpoint):
    """Gives the next answer in line; a text in angle brackets is a mood instead."""

    def __init__(self) -> None:
        super().__init__(_Handler)
        self.answers: list[object] = []
        self.usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}

    @property
    def asked(self) -> str:
        """Everything that was sent, as text."""
        return json.dumps(self.requests, ensure_ascii=False)


def running() -> AbstractContextManager[Endpoint]:
    return endpoint.serving(Endpoint())


class _Handler(endpoint.Handler):
    server: Endpoint  # pyright: ignore[reportIncompatibleVariableOverride]

    def answer(self, body: dict[str, Any]) -> None:
        answer = self.server.answers.pop(0) if self.server.answers else "no more answers"
        mood = str(answer)
        if mood.startswith("<"):
            getattr(self, f"_{mood.strip('<>')}")()
        elif self.path.endswith("/messages"):
            self._message(answer, body)
        else:
            self._completion(answer, body)

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
        self.send(200, json.dumps(value).encode())

    def _refusing(self) -> None:
        self._choice({"role": "assistant", "content": None, "refusal": "I cannot help."}, "stop")

    def _filtered(self) -> None:
        self._choice({"role": "assistant", "content": None}, "content_filter")

    def _slow(self) -> None:
        self.stay_silent()

    def _dripping(self) -> None:
        self.drip()

    def _malformed(self) -> None:
        self.send(200, b'{"choices": [{"mess')

    def _strange(self) -> None:
        self.send(200, b'{"choices": "none", "usage": 3}')

    def _broken(self) -> None:
        self.send(400, json.dumps({"error": f"bad request: {self.server.requests[-1]}"}).encode())

    def _unauthorized(self) -> None:
        self.send(401, json.dumps({"error": f"wrong key {self.server.keys[-1]}"}).encode())

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
        self.send(200, json.dumps(value).encode())
