"""The characters that a memory may hold: no terminal codes, control characters or half letters."""

from __future__ import annotations

import re

FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
"""Characters that no memory may hold: what a terminal obeys, and half of a pair of surrogates."""
_SEQUENCE = re.compile(
    "\x1b(?:"
    r"\[[0-?]*[ -/]*[@-~]"  # Colours, and where the cursor goes.
    "|[\\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\\\)"  # Titles and links, up to their end.
    "|[ -/]*[0-~]"
    ")"
)


def plain_text(text: str) -> str:
    """The text without terminal codes and control characters."""
    return FORBIDDEN.sub("", _SEQUENCE.sub("", text))
