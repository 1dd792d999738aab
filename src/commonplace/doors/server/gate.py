"""The gate before REST and MCP: body size, caller and rate limit of every request."""

from __future__ import annotations

import math
import threading

from mcp.server.transport_security import RequestBodyLimitMiddleware
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers

from ...model.errors import CommonplaceError
from ...model.scope import Context
from .callers import Caller, shows_token
from .problems import problem, problem_from, redacted_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from starlette.responses import Response
    from starlette.types import ASGIApp, Receive, Scope, Send

    from ...ports.server_state import ServerState
    from .callers import Callers
    from .wrong_tokens import WrongTokens


PER_SECOND = 20.0
BURST_SECONDS = 10
MAX_BODY_BYTES = 4 * 1024 * 1024
"""Enough for the longest allowed memory in any script."""


class RateLimit:
    """Requests a second for each caller, with a burst after a pause.

    Permits are shared by all processes through the server state. They are fetched for a second at
    a time, so that most requests need no round trip.
    """

    def __init__(self, state: ServerState, per_second: float = PER_SECOND) -> None:
        self._state = state
        self._per_second = per_second
        self._permits: dict[str, int] = {}
        self._lock = threading.Lock()

    def wait_s(self, caller: str) -> float:
        """Take one permit of a caller; returns 0, or the time until the next permit."""
        with self._lock:
            if self._permits.get(caller, 0) > 0:
                self._permits[caller] -= 1
                return 0.0
        taken = self._state.take(
            caller,
            max(1, int(self._per_second)),
            per_second=self._per_second,
            most=max(1.0, self._per_second * BURST_SECONDS),
        )
        if taken.amount < 1:
            return (1 - taken.left) / self._per_second
        with self._lock:
            self._permits[caller] = self._permits.get(caller, 0) + taken.amount - 1
        return 0.0


PUBLIC_PATHS = frozenset({"/health", "/health/ready"})
"""Paths without a token: they only say whether the server runs."""
UNKNOWN_CALLER = Context(role="member")
"""Context of a request whose caller is not identified."""


class Gate:
    """Passes a request on with its caller attached, or answers with a problem."""

    def __init__(
        self, app: ASGIApp, *, callers: Callers, rate: RateLimit, wrong_tokens: WrongTokens
    ) -> None:
        # Also limits a body that came without its length.
        self._app = RequestBodyLimitMiddleware(app, MAX_BODY_BYTES)
        self._open_app = app
        self._callers = callers
        self._rate = rate
        self._wrong_tokens = wrong_tokens

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one connection."""
        if scope["type"] == "lifespan" or scope.get("path") in PUBLIC_PATHS:
            await self._open_app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = Headers(scope=scope)
        if self._callers.remote:
            admitted = await run_in_threadpool(self._admit, headers)
        else:
            admitted = self._admit(headers)
        if admitted is None:
            wrong = shows_token(headers)
            admitted = _unknown(await self._wrong_tokens.slow_down(scope) if wrong else 0)
        if not isinstance(admitted, Caller):
            await admitted(scope, receive, send)
            return
        scope.setdefault("state", {})["caller"] = admitted
        await self._app(scope, receive, send)

    def _admit(self, headers: Headers) -> Caller | Response | None:
        """The caller, or the answer to a request that is not admitted; None for a wrong token."""
        length = headers.get("content-length", "0")
        if length.isdecimal() and int(length[:20]) > MAX_BODY_BYTES:
            return problem(
                413,
                "too_large",
                f"The request is longer than {MAX_BODY_BYTES:,} bytes.",
                "Split it, or save a summary and link the document.",
            )
        try:
            caller = self._callers.identify(headers)
            return caller and self._rate_limited(caller)
        except CommonplaceError as error:
            return problem_from(redacted_for(error, UNKNOWN_CALLER))
        except UnicodeDecodeError:
            return problem(422, "bad_scope", "The context header is not UTF-8.")

    def _rate_limited(self, caller: Caller) -> Caller | Response:
        wait_s = self._rate.wait_s(caller.id) if caller.limited else 0.0
        if not wait_s:
            return caller
        seconds = str(math.ceil(wait_s))
        return problem(
            429,
            "too_many",
            "Too many requests with this token.",
            f"Wait {seconds} s.",
            headers={"retry-after": seconds},
        )


def _unknown(wait_s: int) -> Response:
    """The answer to a caller without a valid token, who waits after many wrong ones."""
    if wait_s:
        return problem(
            429,
            "too_many",
            "Too many wrong tokens.",
            f"Wait {wait_s} s; a right token is admitted at once.",
            headers={"retry-after": str(wait_s)},
        )
    return problem(
        401,
        "not_authenticated",
        "This book needs a token; yours is missing, unknown or expired.",
        "Send `Authorization: Bearer …`; create one with `commonplace token create`.",
        headers={"www-authenticate": 'Bearer realm="commonplace"'},
    )
