"""What the indexes on SQLite and PostgreSQL share."""
