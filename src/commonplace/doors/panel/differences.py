"""What changed from one version of a text to the next, line by line."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_LINES = 2_000


def differences(old: str, new: str) -> Iterator[tuple[str, str]]:
    """Pieces of both texts in reading order, each `same`, `gone` or `added`."""
    before, after = old.splitlines()[:MOST_LINES], new.splitlines()[:MOST_LINES]
    for kind, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            yield "same", "\n".join(before[a:b])
            continue
        if a < b:
            yield "gone", "\n".join(before[a:b])
        if c < d:
            yield "added", "\n".join(after[c:d])
