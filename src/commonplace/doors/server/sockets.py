"""The server's sockets: the TCP port for callers, and a unix socket for hooks of the same user."""

from __future__ import annotations

import ipaddress
import os
import secrets
import socket
from contextlib import contextmanager, suppress

from ...model.errors import BadInput, Unavailable
from ...rules.server_address import MAX_PORT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator

MAX_PATH_BYTES = 103
"""Longest socket path that every system accepts."""
PREFIX, SUFFIX = "server-", ".sock"


@contextmanager
def port_socket(host: str, port: int) -> Generator[socket.socket]:
    """A TCP socket that listens at a host and port."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (OSError, UnicodeError) as error:
        raise BadInput(
            f"{host!r} is not an address of this machine.", hint="See --host."
        ) from error
    with socket.socket(family, kind, protocol) as bound:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            bound.bind(address)
        except OSError as error:
            raise Unavailable(
                f"Port {port} of {host} cannot be used: {error.strerror}.",
                hint="Another server may run already; choose another port with --port.",
            ) from error
        bound.listen()  # From here on callers wait instead of being refused.
        yield bound


def check_port(port: int) -> None:
    """Raise BadInput unless a server can listen at the port."""
    if not 0 <= port <= MAX_PORT:
        raise BadInput(f"{port} is not a port.", hint="Use 1 to 65535, or 0 for any free port.")


def check_host(host: str) -> None:
    """Raise BadInput unless a text may be the name or the number of one host."""
    if not host.strip():
        raise BadInput("--host names no address.", hint="Name one, such as 127.0.0.1, or leave it.")
    with suppress(ValueError):
        ipaddress.ip_address(host)  # One of IPv6 has colons.
        return
    if "/" in host or ":" in host:
        raise BadInput(
            f"{host!r} is more than a host.", hint="Leave out http://; --port names the port."
        )


def is_loopback(host: str) -> bool:
    """Whether only this machine can connect to the host."""
    if host == "localhost":
        return True
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return False


def on_all_interfaces(bound: socket.socket) -> bool:
    """Whether the socket listens at every address of this machine."""
    return ipaddress.ip_address(bound.getsockname()[0]).is_unspecified


def local_url(bound: socket.socket) -> str:
    """The URL at which callers on this machine reach the socket."""
    host, port = bound.getsockname()[:2]
    if on_all_interfaces(bound):  # 0.0.0.0 and :: are no addresses to connect to.
        host = "::1" if ":" in host else "127.0.0.1"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@contextmanager
def unix_socket(root: str) -> Generator[socket.socket | None]:
    """A listening unix socket in the state folder; None where the system or folder has none."""
    if not hasattr(socket, "AF_UNIX"):
        yield None
        return
    os.makedirs(root, mode=0o700, exist_ok=True)
    _remove_stale(root)
    path = os.path.join(root, f"{PREFIX}{secrets.token_hex(3)}{SUFFIX}")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as bound:
        try:
            yield bound if _bind(bound, path) else None
        finally:
            _remove(path)


def _bind(bound: socket.socket, path: str) -> bool:
    if len(os.fsencode(path)) > MAX_PATH_BYTES:
        return False
    try:
        bound.bind(path)
        os.chmod(path, 0o600)
        bound.listen()  # After chmod: nobody else can connect before.
    except OSError:
        return False  # Some file systems have no sockets.
    return True


def _remove_stale(root: str) -> None:
    """Remove the sockets of servers that were killed."""
    for name in os.listdir(root):
        if not (name.startswith(PREFIX) and name.endswith(SUFFIX)):
            continue
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            probe.setblocking(False)
            try:
                probe.connect(os.path.join(root, name))
            except ConnectionRefusedError:
                _remove(os.path.join(root, name))
            except OSError:
                continue  # A server listens, and is busy.


def _remove(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)
