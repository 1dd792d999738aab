"""Markdown notes: a memory as a note, a note as a memory, and where notes lie in a vault."""
