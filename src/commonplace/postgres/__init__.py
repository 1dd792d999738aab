"""PostgreSQL as every backend here uses it: one schema per book, walls in the database itself."""
