"""A stand-in for a model on loopback: one answer, perhaps a call of a tool before it, and a note of
what it was told.

It speaks as the hosts' own models do: Anthropic's Messages, OpenAI's Responses and Chat
Completions, and Gemini's generateContent.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Call = tuple[str, dict[str, Any]]
Answer = str | Call
RESULTS = ("tool_result", "function_call_output", "tool")
"""What marks the result of a tool in a request, whatever the protocol."""


class Model:
    """Where it listens, and every request it got."""

    def __init__(self, answer: str, call: Call | None) -> None:
        self.answer, self.call = answer, call
        self.heard: list[dict[str, Any]] = []
        self.url = ""

    @property
    def said_to_it(self) -> str:
        """All the text that any request held."""
        return "\n".join(_texts(self.heard))

    def asked(self, words: str) -> list[dict[str, Any]]:
        """The requests that hold these words and offer tools: those of the agent itself."""
        return [told for told in self.heard if words in str(told) and _tools(told)]

    def results(self) -> str:
        """What tools have answered."""
        found = [one for told in self.heard for one in _dicts(told) if _is_result(one)]
        return "\n".join(_texts(found))

    def answer_to(self, told: dict[str, Any]) -> Answer:
        """The call, once, where its tool is offered; else the answer."""
        if self.call is None or any(map(_is_result, _dicts(told))):
            return self.answer
        tool, arguments = self.call
        offered = next((name for name in _tools(told) if name.endswith(tool)), None)
        return (offered, arguments) if offered else self.answer


@contextmanager
def model(answer: str, *, call: Call | None = None) -> Iterator[Model]:
    """A model that always gives this answer, after one call of a tool if there is one."""
    made = Model(answer, call)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            told = json.loads(self.rfile.read(int(self.headers["content-length"])))
            made.heard.append(told)
            path = self.path.partition("?")[0]
            protocol = next((one for end, one in PROTOCOLS.items() if path.endswith(end)), None)
            if protocol is None:
                self.send_error(404)
                return
            streamed = told.get("stream") or path.endswith(":streamGenerateContent")
            body = protocol(made.answer_to(told), bool(streamed))
            self.send_response(200)
            self.send_header(
                "content-type", "text/event-stream" if streamed else "application/json"
            )
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self) -> None:
            self.send_error(404)

        def do_HEAD(self) -> None:
            self.send_error(404)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        made.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield made
        server.shutdown()
        thread.join()


def _messages(answer: Answer, streamed: bool) -> bytes:
    """Anthropic's Messages."""
    if isinstance(answer, str):
        block: dict[str, Any] = {"type": "text", "text": answer}
        empty: dict[str, Any] = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": answer}
        reason = "end_turn"
    else:
        name, arguments = answer
        block = {"type": "tool_use", "id": "toolu_1", "name": name, "input": arguments}
        empty = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(arguments)}
        reason = "tool_use"
    whole = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "stand-in",
        "content": [block], "stop_reason": reason, "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }  # fmt: skip
    if not streamed:
        return json.dumps(whole).encode()
    ended = {"stop_reason": reason, "stop_sequence": None}
    return _events(
        {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": empty},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": ended, "usage": {"output_tokens": 3}},
        {"type": "message_stop"},
    )


def _responses(answer: Answer, streamed: bool) -> bytes:
    """OpenAI's Responses."""
    if isinstance(answer, str):
        text = {"type": "output_text", "text": answer, "annotations": []}
        item: dict[str, Any] = {
            "type": "message", "role": "assistant", "id": "msg_1", "content": [text],
        }  # fmt: skip
    else:
        space, _, name = answer[0].rpartition("/")
        item = {
            "type": "function_call", "id": "fc_1", "call_id": "call_1", "name": name,
            "arguments": json.dumps(answer[1]), **({"namespace": space} if space else {}),
        }  # fmt: skip
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    whole = {"id": "resp_1", "object": "response", "output": [item], "usage": usage}
    if not streamed:
        return json.dumps(whole).encode()
    return _events(
        {"type": "response.created", "response": {"id": "resp_1"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": whole},
    )


def _completions(answer: Answer, streamed: bool) -> bytes:
    """OpenAI's Chat Completions."""
    said: dict[str, Any] = {"role": "assistant", "content": answer}
    reason = "stop"
    if not isinstance(answer, str):
        name, arguments = answer
        function = {"name": name, "arguments": json.dumps(arguments)}
        call = {"index": 0, "id": "call_1", "type": "function", "function": function}
        said, reason = {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    about = {"id": "chat_1", "created": 1, "model": "stand-in"}
    if not streamed:
        choice = {"index": 0, "message": said, "finish_reason": reason}
        whole = {**about, "object": "chat.completion", "choices": [choice], "usage": usage}
        return json.dumps(whole).encode()
    parts: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": said, "finish_reason": None}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage},
    ]
    lines = [json.dumps({**about, "object": "chat.completion.chunk", **one}) for one in parts]
    return "".join(f"data: {line}\n\n" for line in (*lines, "[DONE]")).encode()


def _gemini(answer: Answer, streamed: bool) -> bytes:
    """Gemini's generateContent."""
    part: dict[str, Any] = (
        {"text": answer}
        if isinstance(answer, str)
        else {"functionCall": {"name": answer[0], "args": answer[1]}}
    )
    whole = {
        "candidates": [
            {"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}
        ],
        "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
    }
    return (f"data: {json.dumps(whole)}\n\n" if streamed else json.dumps(whole)).encode()


PROTOCOLS = {
    "/messages": _messages,
    "/responses": _responses,
    "/chat/completions": _completions,
    ":generateContent": _gemini,
    ":streamGenerateContent": _gemini,
}
"""What is spoken at a path, by its end."""


def _events(*events: dict[str, Any]) -> bytes:
    return "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events).encode()


def _tools(told: dict[str, Any]) -> list[str]:
    """The names of the tools that a request offers; those of a namespace as `namespace/name`."""
    names: list[str] = []
    for one in told.get("tools") or ():
        for inner in one.get("functionDeclarations") or one.get("tools") or [one]:
            name = inner.get("function", inner).get("name", "")
            names.append(f"{one['name']}/{name}" if one.get("type") == "namespace" else name)
    return names


def _is_result(one: dict[str, Any]) -> bool:
    return "functionResponse" in one or any(one.get(name) in RESULTS for name in ("type", "role"))


def _dicts(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    if isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _dicts(one)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)
