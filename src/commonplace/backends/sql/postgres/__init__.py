"""A book in a PostgreSQL database, shared by many servers."""
