"""How near two vectors of signed bytes are."""

from __future__ import annotations

import math


def cosine(one: bytes, other: bytes) -> float:
    left, right = (memoryview(vector).cast("b").tolist() for vector in (one, other))
    product = sum(a * b for a, b in zip(left, right, strict=True))
    return product / math.sqrt(sum(a * a for a in left) * sum(b * b for b in right))
