"""Arithmetic on meaning: a vector is signed bytes, and only its direction counts."""

from __future__ import annotations

from array import array

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

LARGEST = 127


def mean(vectors: Sequence[bytes], weights: Sequence[float]) -> bytes:
    """The direction in the middle of several, each as heavy as its weight."""
    total = [0.0] * len(vectors[0])
    for vector, weight in zip(vectors, weights, strict=True):
        own = memoryview(vector).cast("b").tolist()
        length = sum(part * part for part in own) ** 0.5 or 1.0
        share = weight / length
        total = [sum + part * share for sum, part in zip(total, own, strict=True)]
    return quantized(total)


def quantized(vector: Iterable[float]) -> bytes:
    """The same direction in signed bytes, using their whole range."""
    parts = list(vector)
    largest = max((abs(part) for part in parts), default=0.0) or 1.0
    return array("b", [round(part * LARGEST / largest) for part in parts]).tobytes()
