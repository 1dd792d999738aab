"""Vectors from hashed words and letters: no model, no dependency, the same on every machine.

It knows spelling, not meaning. Good for tests, and where any vector is better than none.
"""

from __future__ import annotations

import zlib

from ..rules.text.wordpiece import words
from .rounding import signed_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

WORDS_READ = 256
LETTERS = 3
SPELLING_WEIGHT = 0.25
"""What a run of letters counts against a whole word: enough that `deploys` is near `deploy`."""


class HashingEmbedder:
    """Each word and each run of three letters adds to or takes from one of the dimensions."""

    model = "hash-1"
    dimensions = 384
    unrelated = 0.0

    def ready(self) -> bool:
        """Always."""
        return True

    def embed(self, texts: Sequence[str], *, query: bool = False) -> list[bytes]:
        """One vector per text; the same text gives the same bytes everywhere."""
        return [self._embed(text) for text in texts]

    def close(self) -> None:
        """There is nothing to let go of."""

    def _embed(self, text: str) -> bytes:
        sums = [0.0] * self.dimensions
        for feature, weight in _features(text):
            # crc32 rather than hash(): that one differs from process to process.
            number = zlib.crc32(feature.encode())
            sums[(number >> 1) % self.dimensions] += weight if number & 1 else -weight
        return signed_bytes(sums)


def _features(text: str) -> Iterator[tuple[str, float]]:
    for word in words(text)[:WORDS_READ]:
        if not word[0].isalnum():
            continue
        yield word, 1.0
        framed = f"^{word}$"
        for start in range(len(framed) - LETTERS + 1):
            yield framed[start : start + LETTERS], SPELLING_WEIGHT
