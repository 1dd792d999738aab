"""Signing in with a token, where the book needs one; a page without any script."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from starlette.responses import HTMLResponse, RedirectResponse

from ...errors import CommonplaceError
from .content_policy import HEADERS

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from ..server.callers import Callers
    from ..server.limits import Rate

COOKIE = "commonplace_panel"
PATH, OUT = "/login", "/logout"
PATHS = (PATH, OUT)
DAYS = 30
LONGEST = 4_096
POLICY = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'"
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


async def answer(request: Request, callers: Callers, rate: Rate) -> Response:
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
    return HTMLResponse(shown, status, {**HEADERS, "content-security-policy": POLICY})
