"""Open `milvus:` URLs: a search index, beside whichever store holds the book."""

from __future__ import annotations

from .. import registry
from .parts import require_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..ports.search_index import SearchIndex


def open_milvus_index(address: str, name: str) -> SearchIndex:
    """Collections of a Milvus server, or of Milvus Lite in a file."""
    require_module("pymilvus", registry.INDEXES["milvus"])
    from ..backends.milvus.address import MilvusAddress, collection_name
    from ..backends.milvus.index import MilvusIndex

    return MilvusIndex(MilvusAddress.parse(f"milvus:{address}"), collection_name(name))
