"""Memories in a database: records, index, ledger and server state on SQLite or PostgreSQL."""
