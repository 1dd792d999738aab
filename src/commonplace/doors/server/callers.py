"""Who is asking: from the token alone, or the owner where no token is needed."""

from __future__ import annotations

import hmac
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import unquote

from starlette.concurrency import run_in_threadpool

from ...errors import NotAllowed
from ...scope import Context, Scope
from ...value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .tokens import Tokens

CONTEXT_HEADER = "commonplace-context"
"""Where the owner stands, such as /project/mech-fighters; percent-encoded beyond ASCII."""
OWNER = "owner"
BY_A_PROXY = frozenset({"forwarded", "via", "x-real-ip"})
"""Headers, beside all that begin with x-forwarded-, which say that somebody else is asking."""


class Caller(Value):
    """One caller, and the name its requests are counted under."""

    id: str
    context: Context

    @property
    def limited(self) -> bool:
        """Whether its requests are rationed; the owner would only ration itself."""
        return self.id != OWNER


def relayed(headers: Mapping[str, str]) -> dict[str, str]:
    """What a proxy has added to a request that it passes on."""
    return {
        name: value
        for name, value in headers.items()
        if name in BY_A_PROXY or name.startswith("x-forwarded-")
    }


class Callers:
    """Tells callers by what they show."""

    def __init__(self, tokens: Tokens, *, owner: Context, key: str, strict: bool = False) -> None:
        self._tokens = tokens
        self._strict = strict
        """Whether nobody is taken for the owner without showing it, tokens or not."""
        self._owner = owner
        self._key = key

    @property
    def far(self) -> bool:
        """Whether telling a caller takes a round trip, for which nothing else should wait."""
        return self._tokens.far

    async def recognize(self, headers: Mapping[str, str]) -> Caller | None:
        """As `identify`, without keeping others waiting meanwhile."""
        if self.far:
            return await run_in_threadpool(self.identify, headers)
        return self.identify(headers)

    def identify(self, headers: Mapping[str, str]) -> Caller | None:
        """The caller of a request; None when it must show a token and shows no good one."""
        scheme, _, shown = headers.get("authorization", "").partition(" ")
        if shown and scheme.lower() != "bearer":
            return None
        shown = shown.strip()
        if hmac.compare_digest(shown.encode(), self._key.encode()):
            return Caller(OWNER, self._standing(headers))
        if shown:
            token = self._tokens.find(shown, datetime.now(UTC))
            return token and self._member(Caller(token.id, token.context), headers)
        # On this machine is then the proxy; where its caller is nobody can know.
        if self._strict or relayed(headers) or self._tokens.required():
            return None
        return Caller(OWNER, self._standing(headers))

    def _standing(self, headers: Mapping[str, str]) -> Context:
        """The owner sees the whole book, or stands where it says it does."""
        if CONTEXT_HEADER not in headers:
            return self._owner
        scope = Scope.parse(unquote(headers[CONTEXT_HEADER], errors="strict"))
        return Context.of(dict(scope.pairs))

    @staticmethod
    def _member(caller: Caller, headers: Mapping[str, str]) -> Caller:
        if CONTEXT_HEADER in headers:
            raise NotAllowed(
                "A token already says who is asking.", hint=f"Leave out {CONTEXT_HEADER}."
            )
        return caller
