"""Reads the body of an HTTP response, whole or not at all."""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from http.client import HTTPResponse


def whole(response: HTTPResponse, *, deadline: float, most_bytes: int) -> bytes:
    """The body; raises OSError when it passes the deadline, is too long or is cut short."""
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
