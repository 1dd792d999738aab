"""A server process, started as in the tests."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tests.doors.machines import Machine

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def served(url: str, room: str, **environ: str) -> Iterator[Machine]:
    """Serve a book with its state in `room` while the block lasts."""
    machine = Machine(url, Path(room), **environ)
    try:
        yield machine.begun()
    finally:
        machine.end()
