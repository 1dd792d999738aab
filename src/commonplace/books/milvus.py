"""Open `milvus:` URLs: a vector engine behind the index of whichever store holds the book."""

from __future__ import annotations

from importlib.util import find_spec

from .. import registry
from .parts import require_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..ports.vector_engine import VectorEngine


def open_milvus_vectors(address: str, name: str) -> VectorEngine:
    """Collections of a Milvus server, or of Milvus Lite in a file; contacts nothing yet."""
    # Importing the driver takes over a second, so it is only looked for.
    if find_spec("pymilvus") is None:
        require_module("pymilvus", registry.VECTOR_ENGINES["milvus"])
    from ..backends.milvus.address import MilvusAddress, collection_name
    from ..backends.milvus.vectors import MilvusVectors

    return MilvusVectors(MilvusAddress.parse(f"milvus:{address}"), collection_name(name))
