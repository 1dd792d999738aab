"""The store for sessions that a setting names."""

from __future__ import annotations

import os

from ..errors import BackendMissing, BadInput
from .local import LocalSessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..ports.sessions import SessionStore
    from ..rules.sessions import Limits

SCHEMES = ("redis", "rediss", "valkey", "valkeys", "unix")


def open_sessions(setting: str, *, state: str, book: str, limits: Limits) -> SessionStore:
    """`local`, or the address of a Redis or Valkey server, with its local store beside it."""
    path = os.path.join(state, "sessions.db")
    if setting == "local":
        return LocalSessions(path, limits)
    scheme, colon, rest = setting.partition(":")
    if not colon or scheme not in SCHEMES:
        raise BadInput(
            f"{scheme!r} is not a store for sessions.",
            hint="Set sessions to local, or to an address such as redis://localhost:6379/0.",
        )
    try:
        from .redis import RedisSessions
    except ImportError as error:
        raise BackendMissing(
            "The client for Redis is not installed.", hint="Run: pip install 'commonplace[redis]'"
        ) from error
    url = f"{scheme.replace('valkey', 'redis')}:{rest}"
    return RedisSessions(url, LocalSessions(path, limits), book=book, limits=limits)
