"""One person with the panel open: whose eyes the book is seen through, on every question anew."""

from __future__ import annotations

import asyncio
import html
import re
import secrets
from contextlib import suppress
from http.cookies import CookieError, SimpleCookie
from typing import TypeVar
from urllib.parse import parse_qs

from fastmcp.server.http import HostOriginGuardMiddleware
from mcp.server.transport_security import RequestBodyLimitMiddleware
from nicegui import __version__ as nicegui_version
from nicegui import ui
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse

from ...model.errors import CommonplaceError, NotAllowed
from ..server.callers import relayed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from ...book import Commonplace
    from ..server.callers import Caller, Callers
    from ..server.gate import Rate


T = TypeVar("T")


class Visit:
    """Asks the book as the person who is signed in, and says failures in plain words."""

    def __init__(self, book: Commonplace, identify: Callable[[], Caller | None]) -> None:
        self._book = book
        self._identify = identify

    @property
    def book(self) -> Commonplace:
        """The book as this person may see it; a token that was revoked meanwhile ends the visit."""
        caller = self._identify()
        if caller is None:
            raise NotAllowed("You are no longer signed in.", hint="Reload the page to sign in.")
        return self._book.as_context(caller.context, source="panel")

    async def ask(self, work: Callable[[Commonplace], T]) -> T:
        """Ask the book beside the page, so that other pages go on meanwhile."""
        return await asyncio.to_thread(lambda: work(self.book))

    async def attempt(self, work: Callable[[Commonplace], T]) -> T | None:
        """Ask the book; what went wrong is shown to the person, and the answer is None."""
        client = ui.context.client
        try:
            return await self.ask(work)
        except CommonplaceError as error:
            # What was clicked may have been redrawn meanwhile; the page is still there.
            with client:
                tell(error)
            return None


def tell(error: CommonplaceError) -> None:
    """Show a failure: what happened, and the next thing to do."""
    ui.notify(
        error.sentence,
        caption=error.hint,
        type="negative",
        position="bottom",
        timeout=8000,
        close_button="Close",
    )


def visit() -> Visit:
    """The visit that the page being built belongs to."""
    return ui.context.client.request.state.visit


# What a page of the panel may load and run: its own scripts, and nothing from anywhere else.


PANEL_POLICY = (
    "default-src 'none'; script-src 'self' 'nonce-{nonce}' 'unsafe-eval'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; "
    "connect-src 'self'; manifest-src 'self'; worker-src 'self' blob:; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'; object-src 'none'"
)
"""The page's own code is compiled in the browser, hence `unsafe-eval`; a script or a handler that
came with a text has no nonce and does not run."""
HEADERS = {
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}
_SCRIPT = re.compile(rb"<script\b")


def policed(app: ASGIApp) -> ASGIApp:
    """The app, with each of its HTML pages bound to the policy."""

    async def bound(scope: Scope, receive: Receive, send: Send) -> None:
        page: list[Message] = []
        body: list[bytes] = []

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start" and _is_page(message):
                page.append(message)
            elif page and message["type"] == "http.response.body":
                body.append(message.get("body", b""))
                if not message.get("more_body"):
                    await _send_page(page[0], b"".join(body), send)
            else:
                await send(message)

        await app(scope, receive, sending)

    return bound


async def _send_page(start: Message, html: bytes, send: Send) -> None:
    nonce = secrets.token_urlsafe(16)
    # Texts of memories reach the page with every < escaped: these are the page's own.
    html = _SCRIPT.sub(b'<script nonce="%s"' % nonce.encode(), html)
    headers = MutableHeaders(raw=list(start["headers"]))
    headers["content-length"] = str(len(html))
    headers["content-security-policy"] = PANEL_POLICY.format(nonce=nonce)
    headers.update(HEADERS)
    await send({**start, "headers": headers.raw})
    await send({"type": "http.response.body", "body": html})


def _is_page(start: Message) -> bool:
    headers = MutableHeaders(raw=list(start["headers"]))
    return headers.get("content-type", "").startswith("text/html")


# Signing in with a token, where the book needs one; a page without any script.


COOKIE = "commonplace_panel"
PATH, OUT = "/login", "/logout"
PATHS = (PATH, OUT)
DAYS = 30
LONGEST = 4_096
LOGIN_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'"
)
PAGE = """\
<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Sign in · Commonplace</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root {{ color-scheme: light dark; --paper: light-dark(#faf8f4, #191817);
  --ink: light-dark(#24211d, #ebe6dc); --quiet: light-dark(#6d665c, #a39b8e);
  --line: light-dark(#ddd6c9, #3a3733); --accent: light-dark(#2e5e4e, #8fc3ae); }}
body {{ background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif;
  display: grid; place-items: center; min-height: 100vh; margin: 0; }}
main {{ width: min(24rem, 88vw); }}
h1 {{ font: 600 2rem/1.2 Georgia, serif; margin: 0 0 .25rem; }}
p {{ color: var(--quiet); margin: 0 0 1.5rem; }}
.wrong {{ color: light-dark(#a3341f, #f0917c); }}
input, button {{ font: inherit; box-sizing: border-box; width: 100%; padding: .7rem .9rem;
  border-radius: .5rem; border: 1px solid var(--line); background: transparent; color: inherit; }}
button {{ margin-top: .75rem; background: var(--accent); color: var(--paper); border: 0;
  cursor: pointer; font-weight: 600; }}
code {{ font-size: .9em; }}
</style></head><body><main><h1>Commonplace</h1>
<p class="{kind}">{words}</p>
<form method="post" action="/login">
<input type="password" name="token" aria-label="Token" placeholder="cpt_…" autofocus required
 autocomplete="current-password"><button>Sign in</button></form></main></body></html>"""
ASKED = "This book needs a token. <code>commonplace token create --user NAME</code> makes one."


async def login_answer(request: Request, callers: Callers, rate: Rate) -> Response:
    """Show the form, check what was entered, or sign out."""
    if request.url.path == OUT:
        gone = RedirectResponse(PATH, 303)
        gone.delete_cookie(COOKIE)
        return gone
    if request.method != "POST":
        return _page(ASKED)
    if rate.wait_s("signing in"):
        return _page("Too many attempts; wait a moment.", 429)
    token = await _entered(request)
    try:
        shown = {"authorization": f"Bearer {token}"}
        known = await callers.recognize(shown) if token else None
    except CommonplaceError as error:
        return _page(html.escape(str(error)), 401)
    if known is None:
        return _page("This token is unknown or expired.", 401)
    let_in = RedirectResponse("/", 303)
    let_in.set_cookie(
        COOKIE,
        token,
        max_age=DAYS * 86_400,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return let_in


async def _entered(request: Request) -> str:
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LONGEST:
            return ""
    fields = parse_qs(body.decode("utf-8", "replace"))
    token = fields.get("token", [""])[0].strip()
    return token if token.isascii() and token.isprintable() and ";" not in token else ""


def _page(words: str, status: int = 200) -> HTMLResponse:
    shown = PAGE.format(words=words, kind="asked" if status == 200 else "wrong")
    return HTMLResponse(shown, status, {**HEADERS, "content-security-policy": LOGIN_POLICY})


# Memories as files to take away, and files as memories to take in.


MOST_BYTES = 64 * 1024 * 1024
"""The largest file that is taken in, packed or unpacked."""


# The panel's way in: the token in a cookie, the same site for websockets, and a strict policy.


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
        elif scope["path"] in PATHS:
            request = Request(scope, receive)
            answer = await login_answer(request, self._callers, self._rate)
            await answer(scope, receive, send)
        else:
            await self._page(scope, receive, send)

    async def _page(self, scope: Scope, receive: Receive, send: Send) -> None:
        caller = await self._caller(scope)
        if caller is None:
            turned = (
                RedirectResponse(PATH, 303)
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
        kept = cookies.get(COOKIE)
        if kept and kept.value:
            shown["authorization"] = f"Bearer {kept.value}"
    return shown
