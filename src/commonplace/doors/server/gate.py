"""The one way in: every request is sized, told apart and counted before anything reads it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from mcp.server.transport_security import RequestBodyLimitMiddleware
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers

from ...errors import CommonplaceError
from ...scope import Context
from .callers import Caller
from .discretion import fit_for
from .limits import MAX_BODY_BYTES
from .problems import of_error, problem

if TYPE_CHECKING:
    from starlette.responses import Response
    from starlette.types import ASGIApp, Receive, Scope, Send

    from .callers import Callers
    from .limits import Rate

OPEN = frozenset({"/health", "/health/ready"})
"""Say only whether the server runs, so that whatever watches it needs no token."""
STRANGER = Context(role="member")
"""Who asks, as long as nobody knows."""


class Gate:
    """Lets a request in with its caller attached, or answers it with what is wrong."""

    def __init__(self, app: ASGIApp, *, callers: Callers, rate: Rate) -> None:
        # Counts the bytes of a body that came without its length, too.
        self._app = RequestBodyLimitMiddleware(app, MAX_BODY_BYTES)
        self._open_app = app
        self._callers = callers
        self._rate = rate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one connection."""
        if scope["type"] == "lifespan" or scope.get("path") in OPEN:
            await self._open_app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = Headers(scope=scope)
        if self._callers.far:
            let_in = await run_in_threadpool(self._let_in, headers)
        else:
            let_in = self._let_in(headers)
        if not isinstance(let_in, Caller):
            await let_in(scope, receive, send)
            return
        scope.setdefault("state", {})["caller"] = let_in
        await self._app(scope, receive, send)

    def _let_in(self, headers: Headers) -> Caller | Response:
        length = headers.get("content-length", "0")
        if length.isdecimal() and int(length[:20]) > MAX_BODY_BYTES:
            return problem(
                413,
                "too_large",
                f"A request has at most {MAX_BODY_BYTES:,} bytes.",
                "Split it, or save a summary and link the document.",
            )
        try:
            caller = self._callers.identify(headers)
            if caller is not None:
                return self._rationed(caller)
        except CommonplaceError as error:
            return of_error(fit_for(error, STRANGER))
        except UnicodeDecodeError:
            return problem(422, "bad_scope", "The context header is not UTF-8.")
        return problem(
            401,
            "not_authenticated",
            "This book needs a token, and this one is missing, unknown or expired.",
            "Send `Authorization: Bearer …`; `commonplace token create` makes one.",
            headers={"www-authenticate": 'Bearer realm="commonplace"'},
        )

    def _rationed(self, caller: Caller) -> Caller | Response:
        wait_s = self._rate.wait_s(caller.id) if caller.limited else 0.0
        if not wait_s:
            return caller
        seconds = str(math.ceil(wait_s))
        return problem(
            429,
            "too_many",
            "This token has asked too often.",
            f"Wait {seconds} s.",
            headers={"retry-after": seconds},
        )
