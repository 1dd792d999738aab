"""The book's records in PostgreSQL."""

from .store import PostgresStore

__all__ = ["PostgresStore"]
