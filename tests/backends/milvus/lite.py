"""One file of Milvus Lite for all tests of a process; each index has its own collections there.

With a `milvus://…` address in COMMONPLACE_TEST_MILVUS the same tests run on that server.
"""

from __future__ import annotations

import atexit
import os
import tempfile
from functools import cache
from itertools import count

from commonplace.backends.milvus.address import MilvusAddress
from commonplace.backends.milvus.vectors import MilvusVectors

_numbers = count()


@cache
def address() -> MilvusAddress:
    if server := os.environ.get("COMMONPLACE_TEST_MILVUS"):
        return MilvusAddress.parse(server)
    room = tempfile.TemporaryDirectory(prefix="commonplace-milvus-")
    made = MilvusAddress.parse(f"milvus:{room.name}/index.db")
    # Starting Lite takes longer than a test: one connection keeps it running.
    keeper = MilvusVectors(made, "keeper")
    keeper.collections()
    atexit.register(room.cleanup)
    atexit.register(keeper.close)
    return made


class _DroppedWhenClosed(MilvusVectors):
    def close(self) -> None:
        for collection in self.collections():
            self.drop(collection)
        super().close()


def new_engine() -> MilvusVectors:
    """An engine without any collection, which leaves none behind."""
    return _DroppedWhenClosed(address(), f"index_{os.getpid()}_{next(_numbers)}")
