"""Keyword and link search over one SQLite file with FTS5."""

from .index import SqliteIndex

__all__ = ["SqliteIndex"]
