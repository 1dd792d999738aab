"""The guard before every route: requests that another web page caused reach nothing.

A browser says with `Origin` and `Sec-Fetch-Site` which page caused a request, and `Host` says which
name that page used. Programs send neither of the first two. Node sends `Sec-Fetch-Mode` alone.
"""

from __future__ import annotations

import html
import ipaddress
import re
from urllib.parse import quote

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse

from ...model.errors import BadInput
from ...model.value import Value
from ...rules.server_address import MAX_PORT, is_port
from .problems import problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.responses import Response
    from starlette.types import ASGIApp, Receive, Scope, Send

LOCAL_NAMES = frozenset({"127.0.0.1", "localhost", "[::1]"})
API_PATHS = frozenset({"v1", "mcp"})
OPENAPI_PATH = "/v1/openapi.json"
READING_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
DEFAULT_PORTS = {"http": 80, "https": 443}
HTTP_SCHEMES = {"ws": "http", "wss": "https"}
"""The scheme of the page that may open a websocket of each scheme."""
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?)(?::([1-9][0-9]{0,4}))?")

PAGE = """\
<!doctype html><html lang="en"><head><meta charset="utf-8"><link rel="icon" href="data:,">
<title>Commonplace</title></head><body><p>{text}</p></body></html>"""
"""With an icon of its own, because a browser would ask the server for one."""
LINK = 'Another site opened this page, so nothing was done. <a href="{path}">Open it from here</a>.'
NO_PAGE = "This is an address for programs. Nothing was done."
PAGE_HEADERS = {
    "content-security-policy": "default-src 'none'; img-src data:; frame-ancestors 'none'",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}


class HostAddress(Value):
    """A host name, or an address with IPv6 in brackets, and the port if one is named."""

    name: str
    port: int | None = None

    def __str__(self) -> str:
        return self.name if self.port is None else f"{self.name}:{self.port}"


class BrowserGuard:
    """Refuses other host names, other origins, and bodies that a foreign form could send.

    A refusal happens before metrics, traces and tokens, so that a page cannot fill any of them.
    """

    def __init__(self, app: ASGIApp, *, allowed_hosts: Sequence[str] = ()) -> None:
        self._app = app
        self._allowed = frozenset(allowed_host(one) for one in allowed_hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one connection."""
        if scope["type"] == "lifespan" or (refusal := self._refusal(scope)) is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await refusal(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    def _refusal(self, scope: Scope) -> Response | None:
        """The answer to a request that must reach nothing; None for any other request."""
        headers = Headers(scope=scope)
        host = _parse_host(_only(headers, "host"))
        if host is None or not self._is_own_host(host, scope):
            return problem(
                421,
                "wrong_host",
                "The server does not know this host name or port.",
                "Start it with `commonplace serve --allow-host NAME`, or NAME:PORT.",
            )
        if not self._is_own_page(host, headers, scope):
            return _foreign(scope, headers)
        if scope["type"] == "http" and not _may_send_body(headers, scope):
            return problem(
                415,
                "not_json",
                "A request that may change something is JSON.",
                "Send `Content-Type: application/json`, also without a body.",
            )
        return None

    def _is_own_host(self, host: HostAddress, scope: Scope) -> bool:
        """Whether a caller used a name and port of this server; a Unix socket has no port."""
        address, own_port = scope.get("server") or ("", None)
        if host.name not in LOCAL_NAMES and host.name != _as_host_name(address):
            return self._is_allowed(host, own_port)
        used = host.port or DEFAULT_PORTS[_scheme(scope)]
        return own_port in (None, used) or self._is_allowed(host, own_port)

    def _is_allowed(self, host: HostAddress, own_port: int | None) -> bool:
        """Whether `--allow-host` names it; without a port, for a proxy's ports and our own."""
        if host in self._allowed:
            return True
        usual = host.port in (None, own_port, *DEFAULT_PORTS.values())
        return usual and HostAddress(host.name) in self._allowed

    def _is_own_page(self, host: HostAddress, headers: Headers, scope: Scope) -> bool:
        """Whether the cause is a page of this server, a typed address, or no browser at all."""
        origins = headers.getlist("origin")
        if scope["type"] == "websocket" and not origins:
            return False  # Only the panel has websockets, and a browser names the page.
        if any(not self._is_own_origin(origin, host, scope) for origin in origins):
            return False
        sites = headers.getlist("sec-fetch-site")
        return all(one == "same-origin" or _is_typed(one, headers, scope) for one in sites)

    def _is_own_origin(self, origin: str, host: HostAddress, scope: Scope) -> bool:
        if origin == f"{_scheme(scope)}://{host}":
            return True
        # A proxy that ends TLS may not tell the server that its callers use https.
        own_port = (scope.get("server") or ("", None))[1]
        return origin == f"https://{host}" and self._is_allowed(host, own_port)


def _may_send_body(headers: Headers, scope: Scope) -> bool:
    """Whether a request reads, is JSON, or is a form, upload or poll of the panel's own page.

    A browser sends JSON to another origin only after asking with OPTIONS, which is refused.
    """
    if scope["method"] in READING_METHODS:
        return True
    media_type = _only(headers, "content-type").partition(";")[0].strip().lower()
    own_page = "origin" in headers and not _is_api(scope["path"])
    return media_type == "application/json" or own_page


def _parse_host(text: str) -> HostAddress | None:
    """The host that a Host header or `--allow-host` names; None unless the text is exactly that."""
    match = _HOST.fullmatch(text.lower())
    if match is None or int(match[2] or 0) > MAX_PORT:
        return None
    return HostAddress(match[1], int(match[2]) if match[2] else None)


def allowed_host(text: str) -> HostAddress:
    """The host that `--allow-host` names."""
    host = _parse_host(text)
    name, colon, port = text.rpartition(":")
    if colon and "/" not in port and not is_port(port) and _parse_host(name):
        raise BadInput(
            f"{text[:80]!r} is not a host name with a port from 1 to 65535.",
            hint="Correct the port, or leave it out.",
        )
    if host is None:
        raise BadInput(
            f"{text[:80]!r} is not a host name.",
            hint="Use --allow-host with a name such as memory.example or memory.example:8443.",
        )
    return host


def _is_typed(site: str, headers: Headers, scope: Scope) -> bool:
    """Whether a person typed the address of a page; a verb runs only for programs and own pages."""
    return (
        site == "none"
        and scope["type"] == "http"
        and scope["method"] in READING_METHODS
        and _is_navigation(headers)
        and not _is_api(scope["path"])
    )


def _is_api(path: str) -> bool:
    return path != OPENAPI_PATH and not API_PATHS.isdisjoint(path.split("/")[1:2])


def _is_navigation(headers: Headers) -> bool:
    mode, dest = _only(headers, "sec-fetch-mode"), _only(headers, "sec-fetch-dest")
    return (mode, dest) == ("navigate", "document")


def _foreign(scope: Scope, headers: Headers) -> Response:
    """The refusal of a request that another site caused; for a person to read, a page."""
    if _is_navigation(headers):
        path = html.escape(quote("/" + scope["path"].lstrip("/")))
        text = NO_PAGE if _is_api(scope["path"]) else LINK.format(path=path)
        return HTMLResponse(PAGE.format(text=text), 403, PAGE_HEADERS)
    return problem(
        403,
        "foreign_page",
        "The request came from a web page of another origin.",
        "Use the panel, or a program that is not a web page.",
    )


def _only(headers: Headers, name: str) -> str:
    """The value of a header; empty when it is missing or given twice."""
    values = headers.getlist(name)
    return values[0] if len(values) == 1 else ""


def _scheme(scope: Scope) -> str:
    scheme = scope.get("scheme", "http")
    return HTTP_SCHEMES.get(scheme) or scheme


def _as_host_name(address: str) -> str:
    """An address of this machine as a Host header has it."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    mapped = found.ipv4_mapped
    return f"[{found}]" if mapped is None else str(mapped)
