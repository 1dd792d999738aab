"""What a session holds while it lasts."""

from __future__ import annotations

from ..model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from typing import Protocol

    from ..model.scope import Tenant
else:
    Protocol = object


class SessionEntry(Value):
    """One thing noticed within a session."""

    id: str
    content: str
    at: datetime
    role: str = "observation"
    """observation, user, assistant, tool, decision, …"""
    importance: float = 0.5
    """0 to 1; from 0.7 on it outlives routine entries and is promoted when the work ends."""


class SessionStore(Protocol):
    """What one conversation remembers while it lasts: bounded, expiring, searchable.

    A session is named by its scope and its id together: two users with one id have two sessions.
    """

    capabilities: frozenset[str]

    @property
    def status(self) -> str:
        """Where sessions are and whether that can be reached, for a person."""
        ...

    def append(self, session: str, entries: Sequence[SessionEntry], *, now: datetime) -> None:
        """Add entries durably; an id that is there already is replaced. Evicts past the limits."""
        ...

    def entries(
        self, session: str, *, now: datetime, limit: int | None = None
    ) -> list[SessionEntry]:
        """What the session holds, oldest first; with a limit, the newest so many."""
        ...

    def search(
        self, session: str, query: str, *, now: datetime, limit: int = 10
    ) -> list[SessionEntry]:
        """The entries that share the most telling words with a query, best first."""
        ...

    def put_state(self, session: str, name: str, value: str, *, now: datetime) -> None:
        """Keep a named text with the session: working memory, a task's plan."""
        ...

    def state(self, session: str, name: str, *, now: datetime) -> str | None:
        """A named text as it was last kept."""
        ...

    def sessions(self, prefix: str = "", *, now: datetime) -> list[str]:
        """The names of live sessions, the most recently used first."""
        ...

    def end(self, session: str) -> None:
        """Release everything that a session holds."""
        ...

    def sweep(self, *, now: datetime) -> int:
        """Remove what has expired, and say how many sessions that were."""
        ...

    def wipe(self, tenant: Tenant) -> int:
        """Remove every session of a tenant for good, and say how many that were."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...
