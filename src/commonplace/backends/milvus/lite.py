"""Files of Milvus Lite that this process serves to itself: each is let go of with its last user."""

from __future__ import annotations

from _thread import allocate_lock
from collections import Counter

_users: Counter[str] = Counter()
_turn = allocate_lock()


def hold(path: str) -> None:
    """Count one more user of a file."""
    with _turn:
        _users[path] += 1


def let_go(path: str) -> None:
    """Count one user less; after the last one other processes may have the file."""
    with _turn:
        _users[path] -= 1
        if _users[path] > 0:
            return
        del _users[path]
        from milvus_lite.server_manager import (  # pyright: ignore[reportMissingTypeStubs]
            server_manager_instance,
        )

        server_manager_instance.release_server(path)
