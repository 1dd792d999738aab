"""What the driver raises, in our own words."""

from __future__ import annotations

import logging
from contextlib import contextmanager

import grpc
from pymilvus.exceptions import (  # pyright: ignore[reportMissingTypeStubs]
    ErrorCode,
    MilvusException,
)

from ...model.errors import BackendMissing, Busy, IndexUnavailable, Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator

    from ...model.errors import CommonplaceError

FAILURES = (MilvusException, grpc.RpcError, grpc.FutureTimeoutError)
_NO_COLLECTION = (ErrorCode.COLLECTION_NOT_FOUND, 4)
_NOT_LET_IN = (1800, 65, 2100)
_AWAY = ("connecting to server", "timeout", "Timeout", "unavailable", "UNAVAILABLE")

# Without this a library's own account of a failure would go to the screen beside ours.
for _library in ("milvus_lite", "pymilvus"):
    logging.getLogger(_library).addHandler(logging.NullHandler())


@contextmanager
def mapped() -> Generator[None]:
    """Let no error of the driver out."""
    try:
        yield
    except FAILURES as error:
        raise milvus_error(error) from error


def milvus_error(error: Exception) -> CommonplaceError:
    """The error of ours that says what an error of the driver means.

    Only an index that is not whole is called that, because whoever hears it starts the index again
    from nothing. A server that is away for a moment has lost nothing.
    """
    said = getattr(error, "message", "") or str(error)
    code = getattr(error, "code", None)
    if code in _NO_COLLECTION:
        return IndexUnavailable(
            "The search index in Milvus is not whole.", hint="Run `commonplace sync --rebuild`."
        )
    if code in _NOT_LET_IN:
        return Unavailable("Milvus does not let us in.", hint="Check user and password in `index`.")
    if "milvus-lite is required" in said:
        return BackendMissing("Milvus Lite is not installed.", hint="Run: pip install milvus-lite")
    if "local milvus failed" in said:
        return Busy(
            "The file of Milvus Lite cannot be opened; another process may have it.",
            hint="Milvus Lite serves one process at a time: use a server, or let the other end.",
        )
    away = any(word in said for word in _AWAY)
    if away or not isinstance(error, MilvusException) or not isinstance(code, int):
        return Unavailable(
            "Milvus cannot be reached.", hint="Check that the server in `index` is running."
        )
    line = said.strip().partition("\n")[0]
    return Unavailable(f"Milvus cannot do that: {line}", hint="Look at the log of the server.")
