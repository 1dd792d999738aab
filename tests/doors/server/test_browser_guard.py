"""Requests that a web page of another origin caused reach nothing; programs and own pages go on."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from starlette.types import Message, Scope

from commonplace import BadInput
from commonplace.doors.server.browser_guard import BrowserGuard
from tests.doors.serving import Served, book_in, serving

OWN, PORT = "127.0.0.1", 8765
OWN_HOST = f"{OWN}:{PORT}"
JSON = {"content-type": "application/json"}
TYPED = {"sec-fetch-site": "none", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}


def status(
    method: str = "GET",
    path: str = "/v1/list",
    headers: dict[str, str] | list[tuple[str, str]] | None = None,
    *,
    host: str = OWN_HOST,
    kind: str = "http",
    scheme: str = "",
    server: tuple[str, int | None] = (OWN, PORT),
    allowed: tuple[str, ...] = (),
) -> int:
    """The status of a request behind the guard; 200 when it got through."""
    given = [*headers.items()] if isinstance(headers, dict) else headers or []
    sent: list[Message] = []

    async def passed(scope: Scope, receive: Any, send: Any) -> None:
        sent.append({"status": 200})

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "http.request"}

    hosts = [("host", host)] if host else []
    scope: Scope = {
        "type": kind,
        "method": method,
        "path": path,
        "scheme": scheme or ("http" if kind == "http" else "ws"),
        "server": server,
        "headers": [(name.encode(), value.encode()) for name, value in [*hosts, *given]],
    }
    asyncio.run(BrowserGuard(passed, allowed_hosts=allowed)(scope, receive, send))
    return int(sent[0].get("status", 0))


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1:8765", "localhost:8765", "LOCALHOST:8765", "[::1]:8765",
    ],
)  # fmt: skip
def test_own_names_at_the_own_port_are_answered(host: str) -> None:
    assert status(host=host) == 200


@pytest.mark.parametrize(
    "host",
    [
        "", "evil.com", "evil.com:8765", "[::1].evil.com", "[::1].evil.com:8765", "[::1]evil:8765",
        "127.0.0.1.evil.com", "127.0.0.1.evil.com:8765", "localhost.:8765", "127.0.0.1.:8765",
        "localhost", "127.0.0.1", "localhost:80", "localhost:8766", "localhost:08765",
        "localhost:8765x", "localhost:", "localhost:99999", "localhost:-1", "user@localhost:8765",
        "localhost:8765@evil.com", "evil.com/localhost:8765", "localhost:8765,evil.com", "[::1",
        "::1:8765", " localhost:8765", "127.1:8765", "0x7f.1:8765", "[::ffff:127.0.0.1]:8765",
        "localhost\x00:8765", "*", "*:8765",
    ],
)  # fmt: skip
def test_any_other_host_is_refused(host: str) -> None:
    assert status(host=host) == 421
    assert status(host=host, allowed=("memory.example",)) == 421


def test_two_hosts_are_refused() -> None:
    assert status(headers=[("host", OWN_HOST)]) == 421
    assert status(headers=[("host", "evil.com")]) == 421


def test_the_address_of_the_connection_and_the_unix_socket_are_own() -> None:
    assert status(host="192.168.1.4:8765", server=("192.168.1.4", PORT)) == 200
    assert status(host="192.168.1.5:8765", server=("192.168.1.4", PORT)) == 421
    assert status(host="[fd00::4]:8765", server=("fd00::4", PORT)) == 200
    assert status(host="10.0.0.4:8765", server=("::ffff:10.0.0.4", PORT)) == 200
    assert status(host="localhost", server=("/run/server.sock", None)) == 200
    assert status(host="evil.com", server=("/run/server.sock", None)) == 421
    assert status(host="localhost", server=(OWN, 80)) == 200


def test_a_name_of_a_proxy_is_allowed_at_its_usual_ports_or_the_named_one() -> None:
    named = ("Memory.Example", "localhost:9000")
    for host in ("memory.example", "memory.example:443", "memory.example:8765", "localhost:9000"):
        assert status(host=host, allowed=named) == 200, host
    for host in ("memory.example:9000", "localhost:9001", "a.memory.example", "memory.example."):
        assert status(host=host, allowed=named) == 421, host


def test_behind_a_proxy_with_tls_the_own_page_is_known_by_its_https_origin() -> None:
    allowed = ("memory.example",)

    def asked(origin: str, **more: Any) -> int:
        headers = {"origin": origin, "sec-fetch-site": "same-origin", **JSON}
        return status("POST", "/v1/save", headers, host="memory.example", allowed=allowed, **more)

    # Whether or not the proxy says that it was asked by https.
    assert asked("https://memory.example") == asked("https://memory.example", scheme="https") == 200
    assert asked("http://memory.example", scheme="https") == 403
    assert asked("https://memory.example:8443") == asked("https://evil.example") == 403
    headers = {"origin": "https://memory.example"}
    opened = status(headers=headers, host="memory.example", allowed=allowed, kind="websocket")
    assert opened == 200


@pytest.mark.parametrize("name", ["*", "*.example", "", "a b", "http://memory.example", "x:0", "."])
def test_a_name_that_is_no_host_cannot_be_allowed(name: str) -> None:
    with pytest.raises(BadInput, match="is not a host name"):
        status(allowed=(name,))


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"])
@pytest.mark.parametrize("path", ["/", "/v1/list", "/mcp", "/metrics", "/health", "/favicon.ico"])
@pytest.mark.parametrize(
    "headers",
    [
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {**TYPED, "sec-fetch-site": "cross-site"},
        {"sec-fetch-site": ""},
        {"sec-fetch-site": "same-origin, cross-site"},
        {"sec-fetch-site": "none", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty"},
        {"sec-fetch-site": "none", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe"},
        {"origin": "null"},
        {"origin": "http://evil.com"},
        {"origin": "http://127.0.0.1:9999"},
        {"origin": "http://127.0.0.1"},
        {"origin": "http://localhost:8765"},
        {"origin": "https://127.0.0.1:8765"},
        {"origin": "http://127.0.0.1:8765/"},
        {"origin": "http://127.0.0.1:8765.evil.com"},
        {"origin": "http://evil.com", "sec-fetch-site": "same-origin"},
        {"origin": "http://127.0.0.1:8765", "sec-fetch-site": "same-site"},
    ],
    ids=lambda given: " ".join(given.values()) or "empty",
)  # fmt: skip
def test_another_origin_is_refused_everywhere(
    method: str, path: str, headers: dict[str, str]
) -> None:
    assert status(method, path, {**headers, **JSON}) == 403


def test_two_origins_are_refused() -> None:
    assert status(headers=[("origin", f"http://{OWN_HOST}"), ("origin", "http://evil.com")]) == 403
    assert status(headers=[("sec-fetch-site", "same-origin"), ("sec-fetch-site", "none")]) == 403


def test_own_pages_and_programs_are_answered() -> None:
    own = {"origin": f"http://{OWN_HOST}", "sec-fetch-site": "same-origin", **JSON}
    # Node's fetch, which the TypeScript SDK of MCP uses, sends this and no other Sec-Fetch header.
    node = {"sec-fetch-mode": "cors", "user-agent": "node", **JSON}
    for headers in (own, node, JSON):
        assert status("POST", "/v1/save", headers) == 200
        assert status("GET", "/v1/recall", headers) == 200
        assert status("POST", "/mcp", headers) == 200


def test_a_typed_address_opens_pages_and_runs_no_verb() -> None:
    for path in ("/", "/inbox", "/v1/openapi.json", "/metrics", "/health"):
        assert status("GET", path, TYPED) == 200, path
    for path in ("/v1/recall", "/v1/list", "/v1", "/mcp", "/mcp/"):
        assert status("GET", path, TYPED) == 403, path
    assert status("POST", "/login", {**TYPED, **JSON}) == 403


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize(
    "media_type",
    [
        "", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
        "text/json", "application/json+x", "text/plain; application/json",
    ],
)  # fmt: skip
def test_a_change_is_json_even_without_a_body(method: str, media_type: str) -> None:
    headers = {"content-type": media_type} if media_type else {}
    own = {**headers, "origin": f"http://{OWN_HOST}"}
    for path in ("/v1/maintain", "/mcp"):
        assert status(method, path, headers) == status(method, path, own) == 415
    # The panel's own page sends forms, files and polls.
    assert status(method, "/login", headers) == 415
    assert status(method, "/login", own) == 200
    assert (
        status(method, "/v1/maintain", {"content-type": "Application/JSON; charset=utf-8"}) == 200
    )


def test_a_websocket_needs_the_own_origin() -> None:
    def opened(**headers: str) -> int:
        return status("GET", "/_nicegui_ws/socket.io/", headers, kind="websocket")

    assert opened(origin=f"http://{OWN_HOST}") == 200
    for origin in ("null", "http://127.0.0.1:9999", "http://localhost:8765", "http://evil.com"):
        assert opened(origin=origin) == 0, origin
    assert opened() == 0


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with book_in(tmp_path_factory.mktemp("guarded")) as book, serving(book) as one:
        yield one


def test_a_refused_request_is_counted_nowhere(served: Served) -> None:
    def counted() -> list[str]:
        lines = httpx.get(f"{served.url}/metrics").text.splitlines()
        return [line for line in lines if "rest" in line and "bucket" not in line]

    httpx.get(f"{served.url}/v1/status")
    before = counted()
    foreign = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}
    refused = httpx.get(f"{served.url}/v1/recall", params={"query": "tea"}, headers=foreign)
    assert (refused.status_code, refused.json()["code"]) == (403, "foreign_page")
    assert "access-control-allow-origin" not in refused.headers
    assert httpx.post(f"{served.url}/v1/maintain").status_code == 415
    assert counted() == before
    assert served.book.retrievals() == []


def test_a_refused_page_links_to_itself_and_nowhere_else(served: Served) -> None:
    headers = {**TYPED, "sec-fetch-site": "cross-site"}
    host, _, port = served.url.removeprefix("http://").partition(":")
    for path, link in (
        ("/memory/tea?q=1", "/memory/tea"),
        ("//evil.com/a", "/evil.com/a"),
        ("/%22%3E%3Cscript%3E", "/%22%3E%3Cscript%3E"),
        ("/\\evil.com", "/%5Cevil.com"),
    ):
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        asked = f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n{lines}\r\n"
        with socket.create_connection((host, int(port)), timeout=20) as line:
            line.sendall(asked.encode())
            said = line.makefile("rb").read().decode()
        assert said.startswith("HTTP/1.1 403 ")
        assert "frame-ancestors 'none'" in said
        assert f'<a href="{link}">' in said
