"""Access to the panel: sign-in by token, the person's view of the book, and the content policy."""

from __future__ import annotations

import asyncio
import html
import re
import secrets
from contextlib import suppress
from http.cookies import CookieError, SimpleCookie
from typing import TypeVar
from urllib.parse import parse_qs

from mcp.server.transport_security import RequestBodyLimitMiddleware
from nicegui import __version__ as nicegui_version
from nicegui import ui
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse

from ...model.errors import CommonplaceError, NotAllowed
from ..server.callers import OWNER, proxy_headers, shows_token

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from ...book import Commonplace
    from ..server.callers import Caller, Callers
    from ..server.gate import RateLimit
    from ..server.wrong_tokens import WrongTokens


T = TypeVar("T")
GATE_PATHS = frozenset({"v1", "mcp", "health", "metrics"})
ASSETS = (f"/_nicegui/{nicegui_version}/", "/favicon.ico")
"""Scripts, styles and fonts, which need no sign-in."""
SOCKET_PATH = "/_nicegui_ws/socket.io/"
"""The only websocket of the panel; NiceGUI fails at other addresses beside it."""
MAX_UPLOAD_BYTES = 64 * 1024 * 1024
"""Largest file to import, packed or unpacked."""


class PanelGate:
    """Passes REST, MCP and health requests to the gate, and signed-in people to the panel."""

    def __init__(
        self,
        gate: ASGIApp,
        panel: ASGIApp,
        *,
        book: Commonplace,
        callers: Callers,
        rate: RateLimit,
        wrong_tokens: WrongTokens,
    ) -> None:
        self._gate = gate
        self._panel = panel
        self._assets = GZipMiddleware(panel)
        self._pages = GZipMiddleware(
            with_content_policy(RequestBodyLimitMiddleware(panel, MAX_UPLOAD_BYTES))
        )
        self._book = book
        self._callers = callers
        self._rate = rate
        self._wrong_tokens = wrong_tokens

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one connection."""
        if scope["type"] == "lifespan" or GATE_PATHS.intersection(scope["path"].split("/")[1:2]):
            await self._gate(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._websocket(scope, receive, send)
        elif scope["path"].startswith(ASSETS):
            await self._assets(scope, receive, send)
        elif scope["path"] in LOGIN_PATHS:
            request = Request(scope, receive)
            response = await login_response(request, self._callers, self._wrong_tokens)
            await response(scope, receive, send)
        else:
            await self._page(scope, receive, send)

    async def _page(self, scope: Scope, receive: Receive, send: Send) -> None:
        caller = await self._caller(scope)
        if caller is None:
            response = (
                RedirectResponse(LOGIN_PATH, 303)
                if scope["method"] == "GET"
                else PlainTextResponse("Sign in first.", 401)
            )
            await response(scope, receive, send)
        elif caller.limited and self._rate.wait_s(caller.id):
            await PlainTextResponse("Too many requests; wait a second.", 429)(scope, receive, send)
        else:
            self._attach_session(scope)
            await self._pages(scope, receive, send)

    async def _websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] != SOCKET_PATH or await self._caller(scope) is None:
            await send({"type": "websocket.close", "code": 1008})
            return
        await self._panel(scope, receive, send)

    def _attach_session(self, scope: Scope) -> None:
        headers = _credentials(scope)
        session = PanelSession(self._book, lambda: self._callers.identify(headers))
        scope.setdefault("state", {})["panel_session"] = session

    async def _caller(self, scope: Scope) -> Caller | None:
        credentials = _credentials(scope)
        try:
            caller = await self._callers.identify_async(credentials)
        except CommonplaceError:
            return None
        if caller is None and shows_token(credentials):
            await self._wrong_tokens.slow_down(scope)
        return caller


def _credentials(scope: Scope) -> dict[str, str]:
    """The proxy headers of a request, and the token in its cookie as an authorization header."""
    headers = Headers(scope=scope)
    credentials = proxy_headers(headers)
    cookies: SimpleCookie = SimpleCookie()
    with suppress(CookieError):
        cookies.load(headers.get("cookie", ""))
        kept = cookies.get(COOKIE)
        if kept and kept.value:
            credentials["authorization"] = f"Bearer {kept.value}"
    return credentials


class PanelSession:
    """The book as the signed-in person may see it; failures are shown as notices."""

    def __init__(self, book: Commonplace, identify: Callable[[], Caller | None]) -> None:
        self._book = book
        self._identify = identify
        self._error: ui.notification | None = None
        """The notice of an error that may still be on the page."""

    @property
    def book(self) -> Commonplace:
        """The book for this person; NotAllowed once their token is revoked."""
        caller = self._identify()
        if caller is None:
            raise NotAllowed("You are no longer signed in.", hint="Reload the page to sign in.")
        local = caller.id == OWNER
        return self._book.as_context(caller.context, source="panel", on_this_machine=local)

    @property
    def on_this_machine(self) -> bool:
        """Whether the person is this machine's user, who may see what its files say."""
        caller = self._identify()
        return caller is not None and caller.id == OWNER

    async def ask(self, work: Callable[[Commonplace], T]) -> T:
        """Call the book on a thread, so that other pages go on meanwhile."""
        return await asyncio.to_thread(lambda: work(self.book))

    async def attempt(self, work: Callable[[Commonplace], T]) -> T | None:
        """Call the book; on failure show a notice and return None."""
        client = ui.context.client
        try:
            return await self.ask(work)
        except CommonplaceError as error:
            # The clicked element may have been redrawn meanwhile; the page still exists.
            with client:
                notify_error(error)
            return None

    def show_error(self, error: CommonplaceError) -> None:
        """Show an error and its hint as a notice, in place of an earlier one."""
        self.dismiss_error()
        self._error = ui.notification(
            error.sentence.replace("`", ""),
            caption=error.hint.replace("`", ""),  # A notice is plain text.
            type="negative",
            position="bottom",
            timeout=8,
            # White: the colour of links, which a close button has, cannot be read on red.
            actions=[{"label": "Close", "color": "white"}],
        )

    def dismiss_error(self) -> None:
        """Take the notice of an error away: what was tried again succeeded."""
        if self._error is not None and not self._error.is_deleted:
            self._error.dismiss()
        self._error = None


def notify_error(error: CommonplaceError) -> None:
    """Show an error and its hint as a notice on the page of this event."""
    panel_session().show_error(error)


def panel_session() -> PanelSession:
    """The session of the page that is being built."""
    return ui.context.client.request.state.panel_session


COOKIE = "commonplace_panel"
LOGIN_PATH, LOGOUT_PATH = "/login", "/logout"
LOGIN_PATHS = (LOGIN_PATH, LOGOUT_PATH)
DAYS = 30
MAX_FORM_BYTES = 4_096
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
<p class="{kind}">{text}</p>
<form method="post" action="/login">
<input type="password" name="token" aria-label="Token" placeholder="cpt_…" autofocus required
 autocomplete="current-password"><button>Sign in</button></form></main></body></html>"""
SIGN_IN_TEXT = (
    "Sign in with a token. Create one with <code>commonplace token create --user NAME</code>."
)


async def login_response(request: Request, callers: Callers, wrong_tokens: WrongTokens) -> Response:
    """Show the form, check the submitted token, or sign out."""
    if request.url.path == LOGOUT_PATH:
        signed_out = RedirectResponse(LOGIN_PATH, 303)
        signed_out.delete_cookie(COOKIE)
        return signed_out
    if request.method != "POST":
        return _page(SIGN_IN_TEXT)
    token = await _submitted_token(request)
    try:
        headers = {"authorization": f"Bearer {token}"}
        caller = await callers.identify_async(headers) if token else None
    except CommonplaceError as error:
        return _page(html.escape(str(error)), 401)
    if caller is None:
        if wait_s := await wrong_tokens.slow_down(request.scope):
            return _page(
                f"Too many wrong tokens; wait {wait_s} s.", 429, {"retry-after": f"{wait_s}"}
            )
        return _page("This token is unknown or expired.", 401)
    signed_in = RedirectResponse("/", 303)
    signed_in.set_cookie(
        COOKIE,
        token,
        max_age=DAYS * 86_400,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return signed_in


async def _submitted_token(request: Request) -> str:
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MAX_FORM_BYTES:
            return ""
    fields = parse_qs(body.decode("utf-8", "replace"))
    token = fields.get("token", [""])[0].strip()
    return token if token.isascii() and token.isprintable() and ";" not in token else ""


def _page(text: str, status: int = 200, later: Mapping[str, str] | None = None) -> HTMLResponse:
    page = PAGE.format(text=text, kind="info" if status == 200 else "wrong")
    headers = {**HEADERS, "content-security-policy": LOGIN_POLICY, **(later or {})}
    return HTMLResponse(page, status, headers)


PANEL_POLICY = (
    "default-src 'none'; script-src 'self' 'nonce-{nonce}' 'unsafe-eval'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; "
    "connect-src 'self'; manifest-src 'self'; worker-src 'self' blob:; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'; object-src 'none'"
)
"""Vue compiles templates in the browser, hence `unsafe-eval`; a script in the text of a memory has
no nonce and does not run."""
HEADERS = {
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}
_SCRIPT = re.compile(rb"<script\b")


def with_content_policy(app: ASGIApp) -> ASGIApp:
    """The app, with the content policy on each of its HTML pages."""

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
    # Texts of memories arrive with every < escaped, so these are the page's own scripts.
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
