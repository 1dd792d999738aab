"""Hooks without their haste: for a person who tries them, and for programs that embed us."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .answering import answer as answered

if TYPE_CHECKING:
    from collections.abc import Mapping


def answer(host: str, event: str, said: bytes, environ: Mapping[str, str]) -> str:
    """What the host would hear, however long it takes."""
    parts: list[bytes] = []
    answered([host, event], said, environ, parts.append)
    return b"".join(parts).decode("ascii").lstrip("+")
