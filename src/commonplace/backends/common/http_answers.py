"""What an HTTP endpoint answers, read whole or not at all."""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from http.client import HTTPResponse


def whole(response: HTTPResponse, *, deadline: float, most_bytes: int) -> bytes:
    """The body; an OSError when it drips in beyond the deadline, never ends or is cut short."""
    parts: list[bytes] = []
    size = 0
    while part := response.read1(1 << 16):
        parts.append(part)
        size += len(part)
        if time.monotonic() > deadline or size > most_bytes:
            raise TimeoutError
    if response.length:
        raise ConnectionError
    return b"".join(parts)
