"""Texts that follow from their tags, so that a checker knows each one without being told it."""

from __future__ import annotations

import random

FORMS = ("plain", "plain", "plain", "lines", "letters", "short")
LARGE = "large"
_LARGE_WORDS = 7_800
"""Enough for a text that a vault keeps as an attachment."""
_SYLLABLES = tuple(first + last for first in "bdfghjklmnprstvwz" for last in "aeiou")
_LETTERS = ("Grüße", "Ωμέγα", "東京", "naïve", "Übergröße", "дом", "🌱")


def text_of(tag: str) -> str:
    """The text of a tag, which ends with the form of the text: `3-a-7-lines`."""
    chance = random.Random(tag)  # noqa: S311 (no secret)
    form = tag.rpartition("-")[2]
    if form == "short":
        return f"{_words(chance, 4)}."
    if form == "lines":
        parts = (_words(chance, 7), "---", f"- {_words(chance, 5)}", f"key: {_words(chance, 3)}")
        return "\n\n".join(parts) + "\n\nand the end of it."
    if form == "letters":
        return f"{_words(chance, 5)} {' '.join(chance.sample(_LETTERS, 3))} {_words(chance, 5)}"
    if form == LARGE:
        return "\n".join(_words(chance, 12) for _ in range(_LARGE_WORDS // 12)) + "\nthe end"
    return f"{_words(chance, 14)}."


def _words(chance: random.Random, count: int) -> str:
    # Made-up words: no two texts are alike, so that no save merges with another one.
    return " ".join(
        "".join(chance.choices(_SYLLABLES, k=chance.randint(2, 4))) for _ in range(count)
    )
