"""The one way in: every request is sized, told apart and counted before anything reads it."""

from __future__ import annotations

import math
import threading

from mcp.server.transport_security import RequestBodyLimitMiddleware
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers

from ...model.errors import CommonplaceError
from ...model.scope import Context
from .callers import Caller
from .problems import fit_for, of_error, problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from starlette.responses import Response
    from starlette.types import ASGIApp, Receive, Scope, Send

    from ...ports.server_state import ServerState
    from .callers import Callers


PER_SECOND = 20.0
BURST_SECONDS = 10
MAX_BODY_BYTES = 4 * 1024 * 1024
"""The longest memory there may be fits in, in any script."""


class Rate:
    """So many requests a second for each caller, and a burst after a pause.

    A caller's share is at the front desk. It is fetched a second's worth at a time, so that most
    requests ask nobody.
    """

    def __init__(self, desk: ServerState, per_second: float = PER_SECOND) -> None:
        self._desk = desk
        self._per_second = per_second
        self._at_hand: dict[str, int] = {}
        self._turn = threading.Lock()

    def wait_s(self, caller: str) -> float:
        """Take one request from a caller's share: 0, or how long until there is one to take."""
        with self._turn:
            if self._at_hand.get(caller, 0) > 0:
                self._at_hand[caller] -= 1
                return 0.0
        taken = self._desk.take(
            caller,
            max(1, int(self._per_second)),
            per_second=self._per_second,
            most=max(1.0, self._per_second * BURST_SECONDS),
        )
        if taken.amount < 1:
            return (1 - taken.left) / self._per_second
        with self._turn:
            self._at_hand[caller] = self._at_hand.get(caller, 0) + taken.amount - 1
        return 0.0


# The one way in: every request is sized, told apart and counted before anything reads it.


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
