"""Implementations of the ports: stores, indexes, ledgers, models, sources and backups."""
