"""The connection to Milvus, the files of Milvus Lite, and the driver's errors as our own."""

from __future__ import annotations

import logging
import socket
import sys
from _thread import allocate_lock
from collections import Counter
from contextlib import contextmanager
from urllib.parse import urlsplit

import grpc
from pymilvus import MilvusClient  # pyright: ignore[reportMissingTypeStubs]
from pymilvus.exceptions import (  # pyright: ignore[reportMissingTypeStubs]
    ErrorCode,
    MilvusException,
)

from ...model.errors import BackendMissing, Busy, Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator
    from typing import Any

    from ...model.errors import CommonplaceError
    from .address import MilvusAddress

CONNECT_S = 2.0
"""A server that does not take a connection in this time is away."""
LITE_OPTIONS = {"grpc.keepalive_time_ms": 2**31 - 1, "grpc.keepalive_permit_without_calls": False}
"""The driver pings every ten seconds; Lite hangs up on a client that pings that often."""
FAILURES = (MilvusException, grpc.RpcError, grpc.FutureTimeoutError)
_NO_COLLECTION = (ErrorCode.COLLECTION_NOT_FOUND, 4)
_NOT_LET_IN = (1800, 65, 2100)
_AWAY = ("connecting to server", "timeout", "Timeout", "unavailable", "UNAVAILABLE")
_open_files: Counter[str] = Counter()
"""How many connections this process has to each file of Milvus Lite."""
_turn = allocate_lock()

# Without this the libraries print a traceback of each failure beside our own message.
for _library in ("milvus_lite", "pymilvus"):
    logging.getLogger(_library).addHandler(logging.NullHandler())


def connect(address: MilvusAddress, timeout_s: float) -> Any:
    """A client of the driver; raises Unavailable or Busy."""
    if address.lite:
        with _turn:
            _open_files[address.uri] += 1
    try:
        with mapped():
            if not address.lite:
                _knock(address.uri)
            return MilvusClient(
                uri=address.uri,
                token=address.token,
                db_name=address.database,
                timeout=timeout_s,
                grpc_options=LITE_OPTIONS if address.lite else {},
            )
    except BaseException:
        release(address)
        raise


def disconnect(client: Any, address: MilvusAddress) -> None:
    """Close a client; the last one of a Lite file lets other processes have the file."""
    with mapped():
        client.close()
    release(address)


def release(address: MilvusAddress) -> None:
    """Count one connection less to a file of Milvus Lite, and close it after the last one."""
    if not address.lite:
        return
    with _turn:
        _open_files[address.uri] -= 1
        if _open_files[address.uri] > 0:
            return
        del _open_files[address.uri]
        # Not loaded where Lite is not installed or was never reached.
        if manager := sys.modules.get("milvus_lite.server_manager"):
            manager.server_manager_instance.release_server(address.uri)


@contextmanager
def mapped() -> Generator[None]:
    """Raise our own errors in place of the driver's."""
    try:
        yield
    except FAILURES as error:
        raise milvus_error(error) from error


def milvus_error(error: Exception) -> CommonplaceError:
    """Our error for an error of the driver."""
    said = getattr(error, "message", "") or str(error)
    code = getattr(error, "code", None)
    if code in _NO_COLLECTION:
        return Unavailable("Milvus has lost vectors.", hint="Run `commonplace sync`.")
    if code in _NOT_LET_IN:
        return Unavailable(
            "Milvus rejected the credentials.", hint="Check user and password in `index`."
        )
    if "milvus-lite is required" in said:
        return BackendMissing("Milvus Lite is not installed.", hint="Run: pip install milvus-lite")
    if "local milvus failed" in said:
        return _cannot_be_opened(said)
    away = any(word in said for word in _AWAY)
    if away or not isinstance(error, MilvusException) or not isinstance(code, int):
        return _cannot_be_reached()
    line = said.strip().partition("\n")[0]
    return Unavailable(f"Milvus refuses a request: {line}", hint="Look at the log of the server.")


def is_missing_collection(error: Exception) -> bool:
    """Whether Milvus said that a collection does not exist: never made, or dropped by others."""
    return getattr(error.__cause__, "code", None) in _NO_COLLECTION


def _knock(uri: str) -> None:
    """Fail fast: the driver itself tries for its whole timeout."""
    place = urlsplit(uri)
    try:
        socket.create_connection((place.hostname or "", place.port or 0), CONNECT_S).close()
    except OSError as error:
        raise _cannot_be_reached() from error


def _cannot_be_opened(said: str) -> Unavailable | Busy:
    if "not exists" in said:
        return Unavailable(
            "There is no folder for the file of Milvus Lite.", hint="Make it, or change `index`."
        )
    return Busy(
        "The file of Milvus Lite cannot be opened; another process may have it.",
        hint="Milvus Lite serves one process at a time: use a server, or let the other end.",
    )


def _cannot_be_reached() -> Unavailable:
    return Unavailable(
        "Milvus cannot be reached.", hint="Check that the server in `index` is running."
    )
