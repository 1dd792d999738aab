"""The panel's way in: the token in a cookie, the same site for websockets, and a strict policy.

REST and MCP keep their own gate and never look at the cookie, so no page elsewhere can make a
browser ask them in somebody's name.
"""

from __future__ import annotations

from contextlib import suppress
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING

from fastmcp.server.http import HostOriginGuardMiddleware
from mcp.server.transport_security import RequestBodyLimitMiddleware
from nicegui import __version__ as nicegui_version
from starlette.datastructures import Headers
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse

from ...errors import CommonplaceError
from ..server.callers import relayed
from . import login
from .content_policy import policed
from .moving import MOST_BYTES
from .visit import Visit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from ...book import Commonplace
    from ..server.callers import Caller, Callers
    from ..server.limits import Rate

OTHER_DOORS = frozenset({"v1", "mcp", "health", "metrics"})
ASSETS = (f"/_nicegui/{nicegui_version}/", "/favicon.ico")
"""Scripts, styles and fonts that are the same for everybody."""


class Entrance:
    """Sends requests for other doors to their gate, and lets people with a token into the panel."""

    def __init__(
        self,
        gate: ASGIApp,
        panel: ASGIApp,
        *,
        book: Commonplace,
        callers: Callers,
        rate: Rate,
        allowed_hosts: Sequence[str] = (),
    ) -> None:
        self._gate = gate
        self._panel = panel
        self._assets = GZipMiddleware(panel)
        self._pages = GZipMiddleware(policed(RequestBodyLimitMiddleware(panel, MOST_BYTES)))
        self._book = book
        self._callers = callers
        self._rate = rate
        self._allowed_hosts = list(allowed_hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one connection."""
        if scope["type"] == "lifespan" or OTHER_DOORS.intersection(scope["path"].split("/")[1:2]):
            await self._gate(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._websocket(scope, receive, send)
        elif scope["path"].startswith(ASSETS):
            await self._assets(scope, receive, send)
        elif scope["path"] in login.PATHS:
            request = Request(scope, receive)
            answer = await login.answer(request, self._callers, self._rate)
            await answer(scope, receive, send)
        else:
            await self._page(scope, receive, send)

    async def _page(self, scope: Scope, receive: Receive, send: Send) -> None:
        caller = await self._caller(scope)
        if caller is None:
            turned = (
                RedirectResponse(login.PATH, 303)
                if scope["method"] == "GET"
                else PlainTextResponse("Sign in first.", 401)
            )
            await turned(scope, receive, send)
        elif caller.limited and self._rate.wait_s(caller.id):
            await PlainTextResponse("Too many pages at once; wait a second.", 429)(
                scope, receive, send
            )
        else:
            self._welcome(scope)
            await self._pages(scope, receive, send)

    async def _websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        if await self._caller(scope) is None or not await self._same_site(scope, receive):
            await send({"type": "websocket.close", "code": 1008})
            return
        await self._panel(scope, receive, send)

    def _welcome(self, scope: Scope) -> None:
        shown = _shown(scope)
        visit = Visit(self._book, lambda: self._callers.identify(shown))
        scope.setdefault("state", {})["visit"] = visit

    async def _caller(self, scope: Scope) -> Caller | None:
        try:
            return await self._callers.recognize(_shown(scope))
        except CommonplaceError:
            return None

    async def _same_site(self, scope: Scope, receive: Receive) -> bool:
        """The guard in front knows only HTTP, and the beginning of a websocket is just that."""
        passed = False

        async def inside(scope: Scope, receive: Receive, send: Send) -> None:
            nonlocal passed
            passed = True

        async def nowhere(message: Message) -> None:
            return

        guard = HostOriginGuardMiddleware(inside, allowed_hosts=self._allowed_hosts, mode="strict")
        scheme = {"ws": "http", "wss": "https"}.get(scope["scheme"], scope["scheme"])
        await guard({**scope, "type": "http", "scheme": scheme}, receive, nowhere)
        return passed


def _shown(scope: Scope) -> dict[str, str]:
    """What a browser shows of its person and how it came, as the other doors know it."""
    headers = Headers(scope=scope)
    shown = relayed(headers)
    cookies: SimpleCookie = SimpleCookie()
    with suppress(CookieError):
        cookies.load(headers.get("cookie", ""))
        kept = cookies.get(login.COOKIE)
        if kept and kept.value:
            shown["authorization"] = f"Bearer {kept.value}"
    return shown
