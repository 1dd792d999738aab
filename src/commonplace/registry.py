"""The backends by URL scheme; other packages add theirs through entry points.

A backend is named by a URL scheme and found by import path, so that nothing is imported before a
URL asks for it.
"""

from __future__ import annotations

import os

from .locations import is_marked_large
from .model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from .model.errors import BackendMissing

GROUP = "commonplace.backends"


class Backend(Value):
    """Import path and packages of one backend."""

    scheme: str
    path: str
    """module:function; called with (address, settings, create), it returns a book's `BookParts`."""
    extra: str = ""
    """Extra of our distribution with the packages that it needs."""
    ahead: str = ""
    """module:function that starts reading an address before the backend is loaded."""


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
            extra="postgres",
        ),
    )
}
VECTOR_ENGINES = {
    "milvus": Backend(
        "milvus",
        "commonplace.books.milvus:open_milvus_vectors",
        extra="milvus",
    )
}
"""Engines that store the vectors of a store's own index; called with (address, name)."""
ALIASES = {"postgres": "postgresql"}
"""Other names of a scheme."""
LOCAL = ("vault", "sqlite")
"""Schemes whose address is a local path."""
_CONNECTION_OPTIONS = ("", "password", "connections")
"""Options of an address that do not identify the book."""


def split(url: str) -> tuple[str, str]:
    """A URL's scheme and the rest; a bare path is a vault."""
    scheme, colon, address = url.partition(":")
    # A single letter before the colon is a Windows drive, not a scheme.
    if not colon or len(scheme) == 1 or "/" in scheme or "\\" in scheme:
        return "vault", url
    return ALIASES.get(scheme, scheme), address


def local_path(address: str) -> str:
    """The absolute path of a local address."""
    plain = address.removeprefix("//") if address[:3] == "//~" else address
    return os.path.realpath(os.path.expanduser(plain))


def absolute_url(url: str) -> str:
    """The URL with a relative local path made absolute."""
    scheme, address = split(url)
    if scheme not in LOCAL or address.startswith(("/", "~")) or os.path.isabs(address):
        return url
    return f"{scheme}:{os.path.abspath(address)}"


def canonical_url(url: str) -> str:
    """The one spelling of a book's URL: the real path, and no password."""
    scheme, address = split(url)
    if scheme in LOCAL:
        return f"{scheme}:{local_path(address)}"
    place, _, query = address.partition("?")
    user, at, server = place.rpartition("@")
    options = [one for one in query.split("&") if one.partition("=")[0] not in _CONNECTION_OPTIONS]
    asked = f"?{'&'.join(options)}" if options else ""
    return f"{scheme}:{user.partition(':')[0]}{at}{server}{asked}"


def find(scheme: str, among: Mapping[str, Backend] = BACKENDS) -> Callable[..., Any]:
    """The opener of a scheme; raises BackendMissing with the install command."""
    # Imported here, because the scan that a hook starts first needs no errors.
    from .model.errors import BackendMissing

    backend = among.get(scheme) or _entry_point(scheme)
    if backend is None:
        raise BackendMissing(
            f"No backend is called {scheme!r}.",
            hint=f"Known ones are {', '.join(sorted(among))}; other packages can add more.",
        )
    try:
        return _load(backend.path)
    except ImportError as error:
        raise backend_missing(backend) from error


def backend_missing(backend: Backend) -> BackendMissing:
    """The error for a backend whose packages are not installed, with the install command."""
    from .distribution import install_command
    from .model.errors import BackendMissing

    known = f"Run: {install_command(backend.extra)}" if backend.extra else ""
    return BackendMissing(
        f"The backend {backend.scheme!r} is not installed.",
        hint=known or "Install the package that adds it.",
    )


def start_prefetch(url: str, state: str) -> None:
    """Start reading the book in the background while the command is still importing.

    Nothing would be read of a book that the state folder marks as large.
    """
    scheme, address = split(url)
    backend = BACKENDS.get(scheme)
    if backend and backend.ahead and not is_marked_large(state, local_path(address)):
        _load(backend.ahead)(address)


def _load(path: str) -> Callable[..., Any]:
    # The builtin, because importlib takes longer to import than most of what it would import.
    module, _, name = path.partition(":")
    return getattr(__import__(module, fromlist=[name]), name)


def _entry_point(scheme: str) -> Backend | None:
    # Reading the installed packages is slow, so this comes last.
    from importlib.metadata import entry_points

    for point in entry_points(group=GROUP, name=scheme):
        return Backend(scheme, point.value)
    return None
