"""Ask a running server, over a bare socket: it holds the book open, so it answers sooner.

The server says where it listens in a file of the state folder. Whatever is wrong with file,
server or answer, the book can still be opened here.
"""

from __future__ import annotations

import json
import os

from ...registry import split
from .chosen import mark
from .early import SERVER
from .rendering import MOST_CHARACTERS, MOST_TOKENS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from .asking import Asked

MOST_BYTES = 1_000_000


class Unanswered(Exception):
    """No server, or none that gave an answer to be used."""


def ask_server(asked: Asked) -> tuple[str, tuple[str, ...]]:
    """What the server says a prompt calls for, or a session begins with: the text, and the ids
    of the memories in it. Raises Unanswered."""
    place = os.path.join(asked.settings.state, SERVER)
    if not os.path.exists(place):
        raise Unanswered
    try:
        with open(place, encoding="utf-8") as file:
            known = json.load(file)
        if known["book"] != _whole(asked.settings.url or ""):
            raise Unanswered
        if known["digest"] != mark(asked.settings.digest):
            raise Unanswered  # It was started before the person set something else.
        said = _answer(known, asked)
        text, ids = said["text"], tuple(item["id"] for item in said["items"])
        if len(text) <= MOST_CHARACTERS and said["tokens"] <= MOST_TOKENS:
            return text, ids
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Unanswered from error
    raise Unanswered  # Too long: it knows no host's limits, and we do.


def _whole(url: str) -> str:
    """A URL as the server names its book."""
    scheme, address = split(url)
    local = scheme in ("vault", "sqlite")
    return f"{scheme}:{os.path.realpath(os.path.expanduser(address)) if local else address}"


def _answer(known: Mapping[str, Any], asked: Asked) -> Mapping[str, Any]:
    if asked.prompt is None:
        return _post(known, "/v1/session_start", {}, asked)
    return _post(known, "/v1/prompt", {"text": asked.prompt, "already": asked.already}, asked)


def _post(known: Mapping[str, Any], path: str, body: Mapping[str, Any], asked: Asked) -> Any:
    host, _, port = known["url"].removeprefix("http://").strip("/").rpartition(":")
    content = json.dumps(body).encode("ascii")
    head = (
        f"POST {path} HTTP/1.1\r\n"
        f"Host: {host}:{port}\r\n"
        f"Authorization: Bearer {known['token']}\r\n"
        f"Commonplace-Context: {_quoted(str(asked.who.scope))}\r\n"
        "Content-Type: application/json\r\n"
        f"Content-Length: {len(content)}\r\n"
        "Connection: close\r\n\r\n"
    )
    answer = _exchange(host, int(port), head.encode("ascii") + content, asked.server_s)
    headers, _, content = answer.partition(b"\r\n\r\n")
    if headers.split(b" ")[1:2] != [b"200"] or b"chunked" in headers.lower():
        raise Unanswered
    return json.loads(content)


def _exchange(host: str, port: int, said: bytes, timeout_s: float) -> bytes:
    # `socket` itself makes enums and imports selectors, which takes longer than the question.
    import _socket

    line = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    try:
        line.settimeout(timeout_s)
        line.connect((host, port))
        line.sendall(said)
        parts: list[bytes] = []
        while part := line.recv(65_536):
            parts.append(part)
            if sum(map(len, parts)) > MOST_BYTES:
                raise Unanswered
        return b"".join(parts)
    finally:
        line.close()


def _quoted(scope: str) -> str:
    """Percent-encoded beyond plain letters, as a header must be."""
    plain = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/-_.~")
    return "".join(chr(byte) if byte in plain else f"%{byte:02X}" for byte in scope.encode())
