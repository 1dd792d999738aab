"""Tests, in the same rooms as the code."""

from pathlib import Path

from commonplace import Commonplace

ROOT = Path(__file__).parents[1]
"""The folder of the project."""


def as_person(book: Commonplace) -> Commonplace:
    """The same open book for a person; tests open books as the library does, for an agent."""
    return book.as_context(book.context, source="person")
