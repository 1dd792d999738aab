"""Check the host and the port of a server's address before anything connects to it."""

from __future__ import annotations

from urllib.parse import urlsplit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

MAX_PORT = 65_535


def address_fault(url: str, schemes: Collection[str], *, host: bool = True) -> str:
    """Say what is wrong with a URL, in words such as `names no host`; empty if nothing is wrong.

    It quotes nothing, because a password may stand anywhere in an address. Without `host`, the
    address may leave it out, such as that of a unix socket.
    """
    if any(one.isspace() or not one.isprintable() for one in url):
        return "has blanks or signs that no address has"
    try:
        parts = urlsplit(url)
    except ValueError:
        return "has a host that cannot be read"
    if parts.scheme not in schemes:
        return f"does not begin with {' or '.join(f'{one}://' for one in schemes)}"
    # PostgreSQL takes several servers, separated by commas.
    for server in parts.netloc.rpartition("@")[2].split(","):
        name, port = _host_and_port(server)
        if host and not name:
            return "names no host"
        if port and not is_port(port):
            return f"has a port that is not a number from 1 to {MAX_PORT}"
    return ""


def is_port(text: str) -> bool:
    """Whether a text is the number of a port that can be called."""
    whole = text.isascii() and text.isdecimal() and len(text) <= len(str(MAX_PORT))
    return whole and 0 < int(text) <= MAX_PORT


def _host_and_port(server: str) -> tuple[str, str]:
    if server.startswith("["):  # An address of IPv6, whose own colons stand in brackets.
        name, _, rest = server[1:].partition("]")
        return name, rest.removeprefix(":")
    name, _, port = server.partition(":")
    return name, port
