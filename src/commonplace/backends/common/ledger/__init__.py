"""The tables of a ledger, for SQLite and PostgreSQL."""
