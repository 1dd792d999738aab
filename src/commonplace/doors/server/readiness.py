"""Whether a server should be sent requests: it can reach its book, and is not about to end.

Asked by proxies and orchestrators, without a token; so it says what is wrong in general words only.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...errors import CommonplaceError

FRESH_S = 1.0
"""For so long an answer is given again: strangers cannot keep the database busy by asking."""
WAIT_S = 3.0
ENDING = "This server is about to end."
SLOW = "The book does not answer in time."
AWAY = "The book cannot be reached, or is not set up for this version."
router = APIRouter(tags=["watching"])
log = logging.getLogger("commonplace.server")


class Readiness:
    """Looks whether the book answers, on a thread of its own that no request can keep busy."""

    def __init__(self, check: Callable[[], object]) -> None:
        self._check = check
        self._thread = ThreadPoolExecutor(1, "readiness")
        self._looking: asyncio.Future[str] | None = None
        self._began = 0.0
        self.ending = False
        """Set when the server was told to stop: it still answers, and callers should move on."""

    async def trouble(self) -> str:
        """Why no requests should come here; empty when they may."""
        if self.ending:
            return ENDING
        stale = time.monotonic() - self._began > FRESH_S
        if self._looking is None or (self._looking.done() and stale):
            self._began = time.monotonic()
            loop = asyncio.get_running_loop()
            self._looking = loop.run_in_executor(self._thread, self._look)
        done, _ = await asyncio.wait({self._looking}, timeout=WAIT_S)
        return self._looking.result() if done else SLOW

    def sending_away(self, app: ASGIApp) -> ASGIApp:
        """The app, asking callers to connect anew, elsewhere, once it is about to end."""

        async def answering(scope: Scope, receive: Receive, send: Send) -> None:
            async def sending(message: Message) -> None:
                if self.ending and message["type"] == "http.response.start":
                    headers = [*message.get("headers", ()), (b"connection", b"close")]
                    message = {**message, "headers": headers}
                await send(message)

            await app(scope, receive, sending)

        return answering

    def _look(self) -> str:
        try:
            self._check()
        except CommonplaceError as error:
            log.warning("Not ready: %s", error)
            return AWAY
        return ""


@router.head("/health/ready", include_in_schema=False)
@router.get("/health/ready", operation_id="ready")
async def ready(request: Request) -> JSONResponse:
    """Whether requests should be sent here: 200 if so, 503 if not. Needs no token."""
    trouble = await request.app.state.readiness.trouble()
    if trouble:
        return JSONResponse({"status": "not ready", "why": trouble}, 503)
    return JSONResponse({"status": "ready", "why": ""})
