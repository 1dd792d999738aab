"""Which backend answers to which URL; others join through entry points.

A backend is named by a URL scheme and found by import path, so that nothing is imported before a
URL asks for it.
"""

from __future__ import annotations

import importlib

from .errors import BackendMissing
from .value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

GROUP = "commonplace.backends"


class Backend(Value):
    """How to reach one backend, and what to say when it is not installed."""

    scheme: str
    path: str
    """module:function; called with (address, settings, create), it returns a book's `Parts`."""
    install: str = ""


BACKENDS = {
    backend.scheme: backend
    for backend in (
        Backend("vault", "commonplace.assemble:vault"),
        Backend("sqlite", "commonplace.assemble:sqlite"),
    )
}


def split(url: str) -> tuple[str, str]:
    """A URL's scheme and the rest; a bare path is a vault."""
    scheme, colon, address = url.partition(":")
    # A single letter before the colon is a Windows drive, not a scheme.
    if not colon or len(scheme) == 1 or "/" in scheme or "\\" in scheme:
        return "vault", url
    return scheme, address


def find(scheme: str) -> Callable[..., Any]:
    """The opener for a scheme, or an error that names it and says what to install."""
    backend = BACKENDS.get(scheme) or _entry_point(scheme)
    if backend is None:
        raise BackendMissing(
            f"No backend is called {scheme!r}.",
            hint=f"Known ones are {', '.join(sorted(BACKENDS))}; others join by entry point.",
        )
    module, _, name = backend.path.partition(":")
    try:
        return getattr(importlib.import_module(module), name)
    except ImportError as error:
        raise BackendMissing(
            f"The backend {scheme!r} is not installed.",
            hint=f"Run: {backend.install}" if backend.install else "Reinstall commonplace.",
        ) from error


def _entry_point(scheme: str) -> Backend | None:
    # Reading installed packages is slow, so it is asked last.
    from importlib.metadata import entry_points

    for point in entry_points(group=GROUP, name=scheme):
        return Backend(scheme, point.value)
    return None
