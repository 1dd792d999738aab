"""The port for session stores: short-lived entries of one conversation."""

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
    """One entry of a session."""

    id: str
    content: str
    at: datetime
    role: str = "observation"
    """observation, user, assistant, tool, decision, …"""
    importance: float = 0.5
    """0 to 1; from 0.7 on an entry outlives routine ones and is saved when the work ends."""


class SessionStore(Protocol):
    """Bounded, expiring and searchable entries of sessions.

    A session is named by its scope and id together: two users with one id have two sessions.
    """

    capabilities: frozenset[str]

    @property
    def status(self) -> str:
        """The location of the sessions and whether it can be reached, for a person."""
        ...

    def append(self, session: str, entries: Sequence[SessionEntry], *, now: datetime) -> None:
        """Add or replace entries durably, and evict entries past the limits."""
        ...

    def entries(
        self, session: str, *, now: datetime, limit: int | None = None
    ) -> list[SessionEntry]:
        """The entries of a session, oldest first; with a limit, the newest ones."""
        ...

    def search(
        self, session: str, query: str, *, now: datetime, limit: int = 10
    ) -> list[SessionEntry]:
        """The entries that match a query best, best first."""
        ...

    def put_state(self, session: str, name: str, value: str, *, now: datetime) -> None:
        """Store a named text with the session, such as a task's plan."""
        ...

    def state(self, session: str, name: str, *, now: datetime) -> str | None:
        """A named text of the session."""
        ...

    def sessions(self, prefix: str = "", *, now: datetime) -> list[str]:
        """The names of live sessions, the most recently used first."""
        ...

    def end(self, session: str) -> None:
        """Delete a session."""
        ...

    def sweep(self, *, now: datetime) -> int:
        """Delete expired sessions and entries; returns the number of sessions."""
        ...

    def wipe(self, tenant: Tenant) -> int:
        """Delete every session of a tenant permanently; returns their number."""
        ...

    def close(self) -> None:
        """Close files and connections."""
        ...
