"""The one way in: every request is sized, told apart and counted before anything reads it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from mcp.server.transport_security import RequestBodyLimitMiddleware
from starlette.datastructures import Headers

from ...errors import CommonplaceError
from .callers import Caller
from .limits import MAX_BODY_BYTES
from .problems import of_error, problem

if TYPE_CHECKING:
    from starlette.responses import Response
    from starlette.types import ASGIApp, Receive, Scope, Send

    from .callers import Callers
    from .limits import Rate

OPEN = frozenset({"/health"})
"""Says only that the server runs, so that whatever watches it needs no token."""


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
        except (CommonplaceError, UnicodeDecodeError) as error:
            if isinstance(error, CommonplaceError):
                return of_error(error)
            return problem(422, "bad_scope", "The context header is not UTF-8.")
        if caller is None:
            return problem(
                401,
                "not_authenticated",
                "This book needs a token, and this one is missing, unknown or expired.",
                "Send `Authorization: Bearer …`; `commonplace token create` makes one.",
                headers={"www-authenticate": 'Bearer realm="commonplace"'},
            )
        return self._rationed(caller)

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
