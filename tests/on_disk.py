"""What lies on the disk below a folder, while other processes may still be at work there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path


def contents(folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Every path below a folder, and what it holds if it is a file that is still there."""
    for path in folder.rglob("*"):
        try:
            yield path, path.read_bytes() if path.is_file() else b""
        except FileNotFoundError:  # such as the companions of a database that was closed
            continue


def all_bytes(folder: Path) -> bytes:
    """What all files below a folder hold."""
    return b"".join(held for _, held in contents(folder))
