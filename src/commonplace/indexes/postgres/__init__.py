"""Words, meaning and links in PostgreSQL, with the same answers as the embedded index."""

from .index import PostgresIndex

__all__ = ["PostgresIndex"]
