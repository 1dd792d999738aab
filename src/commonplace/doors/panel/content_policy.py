"""What a page of the panel may load and run: its own scripts, and nothing from anywhere else."""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING

from starlette.datastructures import MutableHeaders

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
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
    headers["content-security-policy"] = POLICY.format(nonce=nonce)
    headers.update(HEADERS)
    await send({**start, "headers": headers.raw})
    await send({"type": "http.response.body", "body": html})


def _is_page(start: Message) -> bool:
    headers = MutableHeaders(raw=list(start["headers"]))
    return headers.get("content-type", "").startswith("text/html")
