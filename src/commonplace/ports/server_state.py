"""The port of the state that all servers of a book share: tokens, request rates and jobs."""

from __future__ import annotations

from ..model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from typing import Protocol
else:
    Protocol = object


class Taken(Value):
    """The amount taken from a bucket, and what is left in it."""

    amount: int
    left: float


class ServerState(Protocol):
    """Tokens of callers, buckets that limit their requests, and the last run of each job."""

    capabilities: frozenset[str]
    """`shared` where servers on several machines share it and each call takes a round trip."""

    def tokens_required(self) -> bool:
        """Whether callers need a token: true once one was ever made."""
        ...

    def put_token(self, id: str, text: str) -> None:
        """Store a new token, durably."""
        ...

    def token(self, id: str) -> str | None:
        """The text of a token; None without one of that id."""
        ...

    def tokens(self) -> dict[str, str]:
        """The text of every valid token, by its id."""
        ...

    def drop_token(self, id: str) -> None:
        """Revoke a token, for every server and from the next request on."""
        ...

    def drop_every_token(self) -> None:
        """Delete all tokens, after which callers need none."""
        ...

    def take(self, name: str, wanted: int, *, per_second: float, most: float) -> Taken:
        """Take up to `wanted` from a bucket that refills at `per_second` up to `most`."""
        ...

    def turn(
        self, name: str, *, every_s: float, at_once: bool = False
    ) -> AbstractContextManager[bool]:
        """Whether a job is due; no other caller gets it while the block lasts.

        A job that fails is due again. One that never ran is due `at_once`, or else after
        `every_s`.
        """
        ...

    def check(self) -> None:
        """Raise Unavailable when the book cannot be reached."""
        ...

    def close(self) -> None:
        """Let go of connections."""
        ...
