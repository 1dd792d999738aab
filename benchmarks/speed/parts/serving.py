"""A real server in a process of its own, as the tests start theirs."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tests.doors.machines import Machine

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def served(url: str, room: str, **environ: str) -> Iterator[Machine]:
    """Serve a book whose state is kept in a room, for as long as the block lasts."""
    machine = Machine(url, Path(room), **environ)
    try:
        yield machine.begun()
    finally:
        machine.end()
