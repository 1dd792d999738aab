"""Hooks: short programs that coding agents call at their events."""
