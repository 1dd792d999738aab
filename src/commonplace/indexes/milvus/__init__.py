"""Words, meaning and links in Milvus, with the same answers as the embedded index."""

from .index import MilvusIndex

__all__ = ["MilvusIndex"]
