"""Who may come in: tokens, rates and jobs that all processes of a server share."""

from __future__ import annotations

from ..model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from typing import Protocol
else:
    Protocol = object


class Taken(Value):
    """What a bucket gave, and what is left in it."""

    amount: int
    left: float


class ServerState(Protocol):
    """What all servers of one book agree on: who is let in, how often, and whose turn a job is."""

    capabilities: frozenset[str]
    """`shared` where servers on several machines share it, and asking takes a round trip."""

    def tokens_required(self) -> bool:
        """Whether callers need a token: so from the first that was ever made."""
        ...

    def put_token(self, id: str, text: str) -> None:
        """Keep a new token, durably."""
        ...

    def token(self, id: str) -> str | None:
        """A token as it was kept."""
        ...

    def tokens(self) -> dict[str, str]:
        """Every token that was not dropped, by its id."""
        ...

    def drop_token(self, id: str) -> None:
        """Forget a token, for every server and from the next request on."""
        ...

    def drop_every_token(self) -> None:
        """Forget all tokens, and that callers needed one."""
        ...

    def take(self, name: str, wanted: int, *, per_second: float, most: float) -> Taken:
        """Take up to so many from a bucket that fills by itself."""
        ...

    def turn(
        self, name: str, *, every_s: float, at_once: bool = False
    ) -> AbstractContextManager[bool]:
        """Whether a job is due and this caller's to do, for as long as the block lasts.

        One that fails is due again. One that was never done is done `at_once`, or else after its
        first such time.
        """
        ...

    def check(self) -> None:
        """Raise Unavailable when a server could not answer from the book right now."""
        ...

    def close(self) -> None:
        """Let go of connections."""
        ...
