"""Tests, in the same rooms as the code."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
"""The folder of the project."""
