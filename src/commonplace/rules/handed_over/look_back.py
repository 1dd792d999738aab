"""Know the questions for the last session."""

from __future__ import annotations

from ...language.vocabulary import LAST_SESSION
from ...model.lazy_pattern import lazy

SPOKEN_CHARACTERS = 400
"""A longer text is mostly pasted, and asks for something else."""


def asks_for_last_session(text: str) -> bool:
    """Whether a prompt asks where the last session stopped, what it decided or what it left."""
    if len(text) > SPOKEN_CHARACTERS:
        return False
    said = " ".join(text.lower().replace("’", "'").split())
    return any(piece in said and lazy(pattern).search(said) for piece, pattern in LAST_SESSION)
