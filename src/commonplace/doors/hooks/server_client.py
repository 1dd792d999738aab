"""Ask a running server for context, over a bare socket; its book is open, so it answers sooner.

A file in the state folder has the server's address. If file, server or answer is unusable, the
hook opens the book itself. If the server is gone, no other program that took its port may get the
question or give an answer.
"""

from __future__ import annotations

import os

from ...model.quick_json import parse_json, quote_json
from ...model.value import Value
from ...registry import canonical_url
from .caller_context import digest_settings_hash
from .host_events import MOST_CHARACTERS, MOST_TOKENS
from .prefetch import SERVER_FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Callable, Mapping
    from typing import Any

    from ...model.scope import Context
    from ...settings import Settings


MOST_BYTES = 1_000_000
UNUSABLE = (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError)
"""Raised while reading a broken file or answer."""


class HookQuestion(Value):
    """A question of a hook, and its caller."""

    settings: Settings
    who: Context
    agent: str | None = None
    """The name by which a session's start finds the agent's role and overrides."""
    prompt: str | None = None
    """None at the start of a session."""
    private: bool = False
    """Whether no log may have the prompt, because the user asked not to keep it."""
    already: tuple[str, ...] = ()
    """Ids of memories that the session was given before."""
    folder: str = ""
    """Where the session works."""
    server_s: float = 0.12
    """Seconds for the server, so that there is time left to open the book here."""


class ServerUnavailable(Exception):
    """There is no server, or its answer is unusable."""


def ask_server(
    question: HookQuestion,
) -> Callable[[], tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """Send a question to the server.

    The result waits for the answer: the text, and the ids of the memories in it. The server works
    until the result is called. Both raise ServerUnavailable.
    """
    place = os.path.join(question.settings.state, SERVER_FILE)
    if not os.path.exists(place):
        raise ServerUnavailable
    try:
        with open(place, encoding="utf-8") as file:
            known = parse_json(file.read())
        if known["book"] != canonical_url(question.settings.url or ""):
            raise ServerUnavailable
        if known["digest"] != digest_settings_hash(question.settings.digest):
            raise ServerUnavailable  # Its settings are older.
        connection = _send(known, question)
    except UNUSABLE as error:
        raise ServerUnavailable from error
    return lambda: _read_answer(connection)


def _read_answer(connection: socket) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    try:
        said = parse_json(_receive(connection))
        text, ids = said["text"], tuple(item["id"] for item in said["items"])
        if len(text) <= MOST_CHARACTERS and said["tokens"] <= MOST_TOKENS:
            return text, ids, (said["id"],) if said.get("id") else ()
    except UNUSABLE as error:
        raise ServerUnavailable from error
    raise ServerUnavailable  # Too long: the server does not know the hosts' limits.


def _send(known: Mapping[str, Any], question: HookQuestion) -> socket:
    """Send the question; the result is the socket for the answer."""
    path, content = _request(question)
    head = (
        f"POST {path} HTTP/1.1\r\n"
        f"Host: {known['url'].removeprefix('http://')}\r\n"
        f"Authorization: Bearer {known['token']}\r\n"
        f"Commonplace-Context: {_percent_encoded(str(question.who.scope).encode())}\r\n"
        f"Commonplace-Folder: {_percent_encoded(os.fsencode(question.folder))}\r\n"
        "Content-Type: application/json\r\n"
        f"Content-Length: {len(content)}\r\n"
        "Connection: close\r\n\r\n"
    )
    connection = _connect(known, question)
    connection.sendall((head + content).encode("ascii"))
    return connection


def _connect(known: Mapping[str, Any], question: HookQuestion) -> socket:
    # Importing `socket` builds enums and imports selectors, which takes longer than the question.
    import _socket

    if "socket" in known and hasattr(_socket, "AF_UNIX"):
        # A socket file in the state folder, where no other user can listen.
        connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        connection.settimeout(question.server_s)
        connection.connect(os.path.join(question.settings.state, known["socket"]))
        return connection
    _check_alive(known["pid"])
    host, _, port = known["url"].removeprefix("http://").strip("/").rpartition(":")
    connection = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    connection.settimeout(question.server_s)
    connection.connect((host, int(port)))
    return connection


def _check_alive(pid: int) -> None:
    """Raise unless the process runs as this user: another may have taken a dead server's port."""
    if pid <= 0:
        raise ServerUnavailable
    if os.name == "posix":  # On Windows, os.kill would end the process.
        os.kill(pid, 0)


def _request(question: HookQuestion) -> tuple[str, str]:
    """The path and the JSON of a question."""
    if question.prompt is None:
        named = "" if question.agent is None else f'"agent": {quote_json(question.agent)}'
        return "/v1/session_start", f"{{{named}}}"
    already = ", ".join(map(quote_json, question.already))
    return "/v1/prompt", f'{{"text": {quote_json(question.prompt)}, "already": [{already}]}}'


def _receive(connection: socket) -> bytes:
    parts: list[bytes] = []
    try:
        while part := connection.recv(65_536):
            parts.append(part)
            if sum(map(len, parts)) > MOST_BYTES:
                raise ServerUnavailable
    finally:
        connection.close()
    headers, _, content = b"".join(parts).partition(b"\r\n\r\n")
    if headers.split(b" ")[1:2] != [b"200"] or b"chunked" in headers.lower():
        raise ServerUnavailable
    return content


def _percent_encoded(text: bytes) -> str:
    """A scope or a path as a header value."""
    plain = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/-_.~")
    return "".join(chr(byte) if byte in plain else f"%{byte:02X}" for byte in text)
