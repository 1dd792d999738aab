"""Ask a running server, over a bare socket: it holds the book open, so it answers sooner.

The server says where it listens in a file of the state folder. Whatever is wrong with file,
server or answer, the book can still be opened here. A server may be gone and its file still there:
then nobody else may hear what was asked, nor answer in its place.
"""

from __future__ import annotations

import os

from ...model.quick_json import parsed, quoted
from ...model.value import Value
from ...registry import whole
from .caller_context import mark
from .host_events import MOST_CHARACTERS, MOST_TOKENS
from .prefetch import SERVER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Callable, Mapping
    from typing import Any

    from ...model.scope import Context
    from ...settings import Settings


MOST_BYTES = 1_000_000


WRONG = (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError)
"""What reading a file or an answer that is not as it should be may raise."""


class ServerUnavailable(Exception):
    """No server, or none that gave an answer to be used."""


def ask_server(asked: HookQuestion) -> Callable[[], tuple[str, tuple[str, ...]]]:
    """Ask what a prompt calls for, or what a session begins with.

    The result waits for the answer: the text, and the ids of the memories in it. Until it is
    called, the server thinks while something else is done here. Both raise Unanswered.
    """
    place = os.path.join(asked.settings.state, SERVER)
    if not os.path.exists(place):
        raise ServerUnavailable
    try:
        with open(place, encoding="utf-8") as file:
            known = parsed(file.read())
        if known["book"] != whole(asked.settings.url or ""):
            raise ServerUnavailable
        if known["digest"] != mark(asked.settings.digest):
            raise ServerUnavailable  # It was started before the person set something else.
        line = _sent(known, asked)
    except WRONG as error:
        raise ServerUnavailable from error
    return lambda: _answer(line)


def _answer(line: socket) -> tuple[str, tuple[str, ...]]:
    try:
        said = parsed(_received(line))
        text, ids = said["text"], tuple(item["id"] for item in said["items"])
        if len(text) <= MOST_CHARACTERS and said["tokens"] <= MOST_TOKENS:
            return text, ids
    except WRONG as error:
        raise ServerUnavailable from error
    raise ServerUnavailable  # Too long: it knows no host's limits, and we do.


def _sent(known: Mapping[str, Any], asked: HookQuestion) -> socket:
    """A line to the server on which the question is on its way."""
    path, content = _question(asked)
    head = (
        f"POST {path} HTTP/1.1\r\n"
        "Host: localhost\r\n"
        f"Authorization: Bearer {known['token']}\r\n"
        f"Commonplace-Context: {_percent_encoded(str(asked.who.scope))}\r\n"
        "Content-Type: application/json\r\n"
        f"Content-Length: {len(content)}\r\n"
        "Connection: close\r\n\r\n"
    )
    line = _connected(known, asked)
    line.sendall((head + content).encode("ascii"))
    return line


def _connected(known: Mapping[str, Any], asked: HookQuestion) -> socket:
    # `socket` itself makes enums and imports selectors, which takes longer than the question.
    import _socket

    if "socket" in known and hasattr(_socket, "AF_UNIX"):
        # A file in a folder of ours, where nobody else can listen.
        line = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        line.settimeout(asked.server_s)
        line.connect(os.path.join(asked.settings.state, known["socket"]))
        return line
    _check_alive(known["pid"])
    host, _, port = known["url"].removeprefix("http://").strip("/").rpartition(":")
    line = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    line.settimeout(asked.server_s)
    line.connect((host, int(port)))
    return line


def _check_alive(pid: int) -> None:
    """Raise unless the process is there, and ours: anybody can take the port of one that died."""
    if pid <= 0:
        raise ServerUnavailable
    if os.name == "posix":  # Elsewhere, the same call would end it.
        os.kill(pid, 0)


def _question(asked: HookQuestion) -> tuple[str, str]:
    """Where the question goes, and what it says in JSON."""
    if asked.prompt is None:
        return "/v1/session_start", "{}"
    already = ", ".join(map(quoted, asked.already))
    return "/v1/prompt", f'{{"text": {quoted(asked.prompt)}, "already": [{already}]}}'


def _received(line: socket) -> bytes:
    parts: list[bytes] = []
    try:
        while part := line.recv(65_536):
            parts.append(part)
            if sum(map(len, parts)) > MOST_BYTES:
                raise ServerUnavailable
    finally:
        line.close()
    headers, _, content = b"".join(parts).partition(b"\r\n\r\n")
    if headers.split(b" ")[1:2] != [b"200"] or b"chunked" in headers.lower():
        raise ServerUnavailable
    return content


def _percent_encoded(scope: str) -> str:
    """Percent-encoded beyond plain letters, as a header must be."""
    plain = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/-_.~")
    return "".join(chr(byte) if byte in plain else f"%{byte:02X}" for byte in scope.encode())


# Ask the book what an agent should know: through a running server, or by opening it here.


class HookQuestion(Value):
    """A question to the book, and who asks."""

    settings: Settings
    who: Context
    prompt: str | None = None
    """None at the start of a session."""
    already: tuple[str, ...] = ()
    """Memories that the session holds."""
    server_s: float = 0.12
    """How long a server may take, so that there is time left to open the book here."""
