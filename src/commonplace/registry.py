"""Which backend answers to which URL; others join through entry points.

A backend is named by a URL scheme and found by import path, so that nothing is imported before a
URL asks for it.
"""

from __future__ import annotations

import os

from .model.errors import BackendMissing
from .model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

GROUP = "commonplace.backends"


class Backend(Value):
    """How to reach one backend, and what to say when it is not installed."""

    scheme: str
    path: str
    """module:function; called with (address, settings, create), it returns a book's `BookParts`."""
    install: str = ""
    ahead: str = ""
    """module:function that begins work on an address before the backend itself is loaded."""


BACKENDS = {
    backend.scheme: backend
    for backend in (
        Backend(
            "vault",
            "commonplace.books.vault:open_vault",
            ahead="commonplace.backends.vault.prefetch_scan:begin",
        ),
        Backend("sqlite", "commonplace.books.sqlite:open_sqlite"),
        Backend(
            "postgresql",
            "commonplace.books.postgres:open_postgres",
            install="pip install 'commonplace[postgres]'",
        ),
    )
}
INDEXES = {
    "milvus": Backend(
        "milvus",
        "commonplace.books.milvus:open_milvus_index",
        install="pip install 'commonplace[milvus]'",
    )
}
"""Search indexes that can take the place of a store's own; called with (address, name)."""
ALIASES = {"postgres": "postgresql"}
"""Other names that people know a backend by."""
LOCAL = ("vault", "sqlite")
"""Backends whose address is a path of this machine."""
_HOW = ("", "password", "connections")
"""Options of an address that say how a book is reached, and not which it is."""


def split(url: str) -> tuple[str, str]:
    """A URL's scheme and the rest; a bare path is a vault."""
    scheme, colon, address = url.partition(":")
    # A single letter before the colon is a Windows drive, not a scheme.
    if not colon or len(scheme) == 1 or "/" in scheme or "\\" in scheme:
        return "vault", url
    return ALIASES.get(scheme, scheme), address


def local_path(address: str) -> str:
    """The path that the address of a local book means."""
    plain = address.removeprefix("//") if address[:3] == "//~" else address
    return os.path.realpath(os.path.expanduser(plain))


def absolute(url: str) -> str:
    """A URL that names the same book from every folder: as it is written, if it does so already."""
    scheme, address = split(url)
    if scheme not in LOCAL or address.startswith(("/", "~")) or os.path.isabs(address):
        return url
    return f"{scheme}:{os.path.abspath(address)}"


def whole(url: str) -> str:
    """The one spelling that a book is known by: its path in full, and no password."""
    scheme, address = split(url)
    if scheme in LOCAL:
        return f"{scheme}:{local_path(address)}"
    place, _, query = address.partition("?")
    user, at, server = place.rpartition("@")
    options = [one for one in query.split("&") if one.partition("=")[0] not in _HOW]
    asked = f"?{'&'.join(options)}" if options else ""
    return f"{scheme}:{user.partition(':')[0]}{at}{server}{asked}"


def find(scheme: str, among: Mapping[str, Backend] = BACKENDS) -> Callable[..., Any]:
    """The opener for a scheme, or an error that names it and says what to install."""
    backend = among.get(scheme) or _entry_point(scheme)
    if backend is None:
        raise BackendMissing(
            f"No backend is called {scheme!r}.",
            hint=f"Known ones are {', '.join(sorted(among))}; others join by entry point.",
        )
    try:
        return _load(backend.path)
    except ImportError as error:
        raise BackendMissing(
            f"The backend {scheme!r} is not installed.",
            hint=f"Run: {backend.install}" if backend.install else "Reinstall commonplace.",
        ) from error


def begin_ahead(url: str) -> None:
    """For a command that is just starting: let slow work on the book begin meanwhile."""
    scheme, address = split(url)
    if (backend := BACKENDS.get(scheme)) is not None and backend.ahead:
        _load(backend.ahead)(address)


def _load(path: str) -> Callable[..., Any]:
    # The builtin, because importlib takes longer to import than most of what it would import.
    module, _, name = path.partition(":")
    return getattr(__import__(module, fromlist=[name]), name)


def _entry_point(scheme: str) -> Backend | None:
    # Reading installed packages is slow, so it is asked last.
    from importlib.metadata import entry_points

    for point in entry_points(group=GROUP, name=scheme):
        return Backend(scheme, point.value)
    return None
