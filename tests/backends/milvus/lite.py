"""One file of Milvus Lite for all tests of a process; each index has its own collections there.

With a `milvus://…` address in COMMONPLACE_TEST_MILVUS the same tests run on that server.
"""

from __future__ import annotations

import atexit
import os
import tempfile
from functools import cache
from itertools import count

from commonplace.backends.milvus import state
from commonplace.backends.milvus.address import MilvusAddress
from commonplace.backends.milvus.index import MilvusIndex

_numbers = count()


class GivenBack(MilvusIndex):
    """An index that another test gets, emptied, once it is closed: making one takes longer."""

    def close(self) -> None:
        # The collections stay, those of models too, though nothing says any more that they do.
        for collection in ("memories", *(model.collection for model in state.models(self._db))):
            self._db.delete_where(collection, "revision >= 0")
        self._db.delete_where("pieces", "owner >= 0")
        self._db.delete_where("state", "place >= 0")
        _free.append(self)


_free: list[GivenBack] = []


@cache
def address() -> MilvusAddress:
    if server := os.environ.get("COMMONPLACE_TEST_MILVUS"):
        return MilvusAddress.parse(server)
    room = tempfile.TemporaryDirectory(prefix="commonplace-milvus-")
    made = MilvusAddress.parse(f"milvus:{room.name}/index.db")
    # Starting the engine takes longer than a test: one index keeps it running.
    keeper = MilvusIndex(made, "keeper")
    atexit.register(room.cleanup)
    atexit.register(keeper.close)
    return made


def new_index() -> MilvusIndex:
    """An empty index."""
    if _free:
        return _free.pop()
    return GivenBack(address(), f"index_{os.getpid()}_{next(_numbers)}")
