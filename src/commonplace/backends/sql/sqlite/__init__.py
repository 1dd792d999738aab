"""A book in one SQLite file."""
