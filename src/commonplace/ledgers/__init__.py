"""Ledgers: audit chain, tombstones, counters and the retrieval log."""
