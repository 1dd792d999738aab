"""A socket in the state folder, by which only the person that it belongs to can ask.

A port is anybody's once its server is gone: whoever takes it hears what is asked there, and what
they answer is taken for memories. A socket is a file, in a folder that nobody else may write.
"""

from __future__ import annotations

import os
import secrets
import socket
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator

LONGEST = 103
"""Bytes that the path of a socket may have on every system."""
BEGINS, ENDS = "server-", ".sock"


@contextmanager
def listening_in(root: str) -> Generator[socket.socket | None]:
    """A socket of our own in the root of state; None on systems and in folders without any."""
    if not hasattr(socket, "AF_UNIX"):
        yield None
        return
    os.makedirs(root, mode=0o700, exist_ok=True)
    _remove_stale(root)
    path = os.path.join(root, f"{BEGINS}{secrets.token_hex(3)}{ENDS}")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as own:
        try:
            yield own if _bound(own, path) else None
        finally:
            _remove(path)


def _bound(own: socket.socket, path: str) -> bool:
    if len(os.fsencode(path)) > LONGEST:
        return False
    try:
        own.bind(path)
        os.chmod(path, 0o600)
        own.listen()  # Not before: until now nobody could connect.
    except OSError:
        return False  # Some file systems have no sockets.
    return True


def _remove_stale(root: str) -> None:
    """Remove what servers left behind that were killed."""
    for name in os.listdir(root):
        if not (name.startswith(BEGINS) and name.endswith(ENDS)):
            continue
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.setblocking(False)
            try:
                line.connect(os.path.join(root, name))
            except ConnectionRefusedError:
                _remove(os.path.join(root, name))
            except OSError:
                continue  # Somebody listens, and has no time.


def _remove(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)
