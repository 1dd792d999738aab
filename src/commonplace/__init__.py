"""Commonplace: a memory for AI agents, in plain markdown."""
