"""The search index as SQL tables: written once, for SQLite and PostgreSQL."""
