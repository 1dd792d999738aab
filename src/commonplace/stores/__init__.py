"""Stores of truth, one technology each."""
