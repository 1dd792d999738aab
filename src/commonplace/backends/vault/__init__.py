"""Memories as markdown notes in a folder."""
