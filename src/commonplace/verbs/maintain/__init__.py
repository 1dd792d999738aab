"""Maintenance: expire, merge, resolve contradictions, and propose changes to a person."""
