"""Two measures of similarity: BM25 over visible texts, and vectors of signed bytes.

BM25 scores a text by the words of a question; a long text by its best window. The vector functions
make and average embeddings.
"""

from __future__ import annotations

import math

from ..model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence


K1 = 0.9
"""How quickly a repeated word stops counting for more."""
B = 0.75
"""How much a long text must say a word more often to count the same."""

STEPS = 64
_GROWTH = 1.15


def _scale() -> tuple[int, ...]:
    lengths = [0]
    while len(lengths) < STEPS:
        lengths.append(max(lengths[-1] + 1, round(lengths[-1] * _GROWTH)))
    return tuple(lengths)


LENGTHS = _scale()
"""Text lengths on a scale of 64 steps: exact when short, within 15 % when long."""


LONG_STEP = next(step for step, length in enumerate(LENGTHS) if length >= 300)
LONG = LENGTHS[LONG_STEP]
"""Texts of so many words are scored by their best window: a whole book says every word once."""
HALF = 30
"""Words in half a window. A window is two halves that follow each other; windows overlap by a half,
so that none cuts what belongs together."""


class Statistics(Value):
    """The visible texts as a whole: how many there are, and how many words they have together."""

    documents: int
    length: float

    @property
    def average(self) -> float:
        """The length of a typical text."""
        return max(1.0, self.length / max(1, self.documents))


def step(length: int) -> int:
    """The step of the scale that is nearest below a length."""
    low, high = 0, STEPS - 1
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if LENGTHS[middle] <= length else (low, middle - 1)
    return low


def rarity(documents: int, frequency: int) -> float:
    """The weight of a word by how many texts contain it; never negative."""
    frequency = min(frequency, documents)
    return math.log(1.0 + (documents - frequency + 0.5) / (frequency + 0.5))


def rarest(frequencies: Mapping[str, int], *, most: int, postings: int) -> list[str]:
    """The words worth reading, rarest first: some, and then as long as the reading stays short."""
    known = sorted((count, word) for word, count in frequencies.items() if count)
    chosen: list[str] = []
    for count, word in known[:most]:
        postings -= count
        if len(chosen) >= 2 and postings < 0:
            break
        chosen.append(word)
    return chosen


def norms(statistics: Statistics) -> Sequence[float]:
    """For each step of the scale, how much a text of that length must say a word."""
    return [K1 * (1 - B + B * length / statistics.average) for length in LENGTHS]


def scores(
    postings: Mapping[str, Mapping[int, float]],
    statistics: Statistics,
    norm: Callable[[int], float],
) -> dict[int, float]:
    """Each text's score, from how often each of all the texts that say a word says it."""
    found: dict[int, float] = {}
    for counts in postings.values():
        worth = rarity(statistics.documents, len(counts)) * (K1 + 1)
        for text, count in counts.items():
            found[text] = found.get(text, 0.0) + worth * count / (count + norm(text))
    return found


def best_window(
    said: Mapping[str, Mapping[int, float]], worth: Mapping[str, float], statistics: Statistics
) -> tuple[float, frozenset[str]]:
    """The score of a long text's best window, and the words of the question in that window.

    `said` counts each word in each numbered half; half -1 is the text's head, which belongs to
    every window.
    """
    norm = K1 * (1 - B + B * 2 * HALF / statistics.average)
    starts = {start for halves in said.values() for half in halves for start in (half - 1, half)}
    best, held = 0.0, frozenset[str]()
    for start in sorted(starts):
        score = 0.0
        words: list[str] = []
        for word, halves in said.items():
            window = {-1, start, start + 1}
            if count := sum(times for half, times in halves.items() if half in window):
                score += worth[word] * (K1 + 1) * count / (count + norm)
                words.append(word)
        if score > best:
            best, held = score, frozenset(words)
    return best, held


# Vectors of signed bytes, of which only the direction counts

LARGEST = 127


def cosine(one: bytes, other: bytes) -> float:
    """How near the directions of two vectors are; 0 if one has none."""
    a, b = memoryview(one).cast("b"), memoryview(other).cast("b")
    length = math.sqrt(_product(a, a) * _product(b, b))
    return _product(a, b) / length if length else 0.0


def mean(vectors: Sequence[bytes], weights: Sequence[float]) -> bytes:
    """The direction in the middle of several, each as heavy as its weight."""
    total = [0.0] * len(vectors[0])
    for vector, weight in zip(vectors, weights, strict=True):
        own = memoryview(vector).cast("b").tolist()
        length = sum(part * part for part in own) ** 0.5 or 1.0
        share = weight / length
        total = [sum + part * share for sum, part in zip(total, own, strict=True)]
    return quantized(total)


def _product(one: memoryview[int], other: memoryview[int]) -> int:
    # Imported here, because words are compared without it.
    from operator import mul

    return sum(map(mul, one, other))


def quantized(vector: Iterable[float]) -> bytes:
    """The same direction in signed bytes, using their whole range."""
    parts = list(vector)
    largest = max((abs(part) for part in parts), default=0.0) or 1.0
    from array import array

    return array("b", [round(part * LARGEST / largest) for part in parts]).tobytes()


def signed_bytes(values: Sequence[float]) -> bytes:
    """The same direction in whole numbers from -127 to 127; nothing but zeros stays zeros."""
    largest = max(map(abs, values), default=0)
    if not largest:
        return bytes(len(values))
    from array import array

    return array("b", [round(127 * (value / largest)) for value in values]).tobytes()
