"""The bundled ranker: boosted trees in a file of the package, evaluated in plain Python.

All splits of one level of a tree are the same, so a tree is a few comparisons that hold for every
candidate. The candidates' answers to one comparison are the bytes of one long integer, and shifting
and adding such integers finds the leaves of all candidates at once.
"""

from __future__ import annotations

import math
import os
from bisect import bisect_left
from itertools import pairwise

from .model_file import ModelFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

FILE = os.path.join(os.path.dirname(__file__), "ranker.bin")
MODEL = "commonplace-1"
_ABOVE = [bytes(number > limit for number in range(256)) for limit in range(64)]
"""For each limit, the table that turns a number into whether it is above it."""


class BundledRanker:
    """Trees that multiply a score; made by `training/ranker.py`."""

    model = MODEL

    def __init__(self, path: str = FILE, *, columns: int) -> None:
        file = ModelFile(path)
        if not file.is_whole():
            raise ValueError(f"{path} is damaged")
        depth, width = file.counts("shape")
        if width != columns:
            raise ValueError(f"{path} was made for other numbers")
        limits, ends = file.floats("limits").tolist(), file.counts("limits.ends").tolist()
        self._limits = [limits[start:end] for start, end in pairwise([0, *ends])]
        numbers = file.counts("splits").tolist()
        splits = list(zip(numbers[::2], numbers[1::2], strict=True))
        leaves = file.floats("leaves").tolist()
        size = 1 << depth
        self._trees = [
            (splits[at * depth : (at + 1) * depth], leaves[at * size : (at + 1) * size])
            for at in range(len(leaves) // size)
        ]

    def factors(self, rows: Sequence[Sequence[float]]) -> list[float]:
        """A factor for the score of each candidate."""
        found = [
            bytes([bisect_left(limits, value) for value in column]) if limits else b""
            for limits, column in zip(self._limits, zip(*rows, strict=True), strict=True)
        ]
        answers = {
            (column, limit): int.from_bytes(found[column].translate(_ABOVE[limit]), "little")
            for splits, _ in self._trees
            for column, limit in splits
        }
        sums = [0.0] * len(rows)
        for splits, leaves in self._trees:
            places = 0
            for split in splits:
                places = (places << 1) + answers[split]
            sums = [
                so_far + leaves[place]
                for so_far, place in zip(sums, places.to_bytes(len(rows), "little"), strict=True)
            ]
        return [math.exp(value) for value in sums]


def bundled_ranker(columns: int) -> BundledRanker | None:
    """The ranker of the package; None if its file is missing, damaged or of another version."""
    try:
        return BundledRanker(columns=columns)
    except (OSError, ValueError, LookupError, TypeError):
        return None
