"""Ask a running server, over a bare socket: it holds the book open, so it answers sooner.

The server says where it listens in a file of the state folder. Whatever is wrong with file,
server or answer, the book can still be opened here.
"""

from __future__ import annotations

import json
import os

from ...registry import split
from .asking import Handed
from .rendering import MOST_CHARACTERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ...scope import Context
    from ...settings import Settings

PLACE = "server.json"
TIMEOUT_S = 0.15
"""Leaves time to open the book here instead."""
MOST_BYTES = 1_000_000


class Unanswered(Exception):
    """No server, or none that gave an answer to be used."""


def ask_server(
    prompt: str | None, chosen: Settings, who: Context, already: Sequence[str]
) -> Handed:
    """What the server says a prompt calls for, or a session begins with. Raises Unanswered."""
    place = os.path.join(chosen.state, PLACE)
    if not os.path.exists(place):
        raise Unanswered
    try:
        with open(place, encoding="utf-8") as file:
            known = json.load(file)
        if known["book"] != _whole(chosen.url or ""):
            raise Unanswered
        handed = _asked(known, prompt, who, already)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Unanswered from error
    if len(handed.text) > MOST_CHARACTERS:
        raise Unanswered  # It knows no host's limits, and we do.
    return handed


def _whole(url: str) -> str:
    """A URL as the server names its book."""
    scheme, address = split(url)
    local = scheme in ("vault", "sqlite")
    return f"{scheme}:{os.path.realpath(os.path.expanduser(address)) if local else address}"


def _asked(
    known: Mapping[str, Any], prompt: str | None, who: Context, already: Sequence[str]
) -> Handed:
    if prompt is None:
        said = _post(known, "/v1/session_start", {}, str(who.scope))
    else:
        said = _post(known, "/v1/prompt", {"text": prompt, "already": already}, str(who.scope))
    return Handed(said["text"], tuple(item["id"] for item in said["items"]))


def _post(known: Mapping[str, Any], path: str, body: Mapping[str, Any], scope: str) -> Any:
    host, _, port = known["url"].removeprefix("http://").strip("/").rpartition(":")
    content = json.dumps(body).encode("ascii")
    head = (
        f"POST {path} HTTP/1.1\r\n"
        f"Host: {host}:{port}\r\n"
        f"Authorization: Bearer {known['token']}\r\n"
        f"Commonplace-Context: {_quoted(scope)}\r\n"
        "Content-Type: application/json\r\n"
        f"Content-Length: {len(content)}\r\n"
        "Connection: close\r\n\r\n"
    )
    answer = _exchange(host, int(port), head.encode("ascii") + content)
    status, _, rest = answer.partition(b"\r\n")
    headers, _, content = rest.partition(b"\r\n\r\n")
    if status.split(b" ")[1:2] != [b"200"] or b"chunked" in headers.lower():
        raise Unanswered
    return json.loads(content)


def _exchange(host: str, port: int, said: bytes) -> bytes:
    # `socket` itself makes enums and imports selectors, which takes longer than the question.
    import _socket

    line = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    try:
        line.settimeout(TIMEOUT_S)
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
