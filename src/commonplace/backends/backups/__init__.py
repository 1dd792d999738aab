"""Backups of a book in a folder."""
