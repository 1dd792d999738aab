"""Say which extra an adapter needs when its framework is not installed."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from ...errors import BackendMissing

if TYPE_CHECKING:
    from collections.abc import Generator


@contextmanager
def needing(package: str, *, extra: str) -> Generator[None]:
    """Import a framework; one that is missing is named together with the command to install it."""
    try:
        yield
    except ImportError as error:
        raise BackendMissing(
            f"This adapter needs the package {package}, which is not installed.",
            hint=f"Install it with `pip install 'commonplace[{extra}]'`.",
        ) from error
