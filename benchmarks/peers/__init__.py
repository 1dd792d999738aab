"""Commonplace beside other memories, on the same data."""
