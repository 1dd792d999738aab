"""Decide whether two texts are the same, belong together or are apart, by words and vectors.

`similarity` means one thing everywhere: 0.95 and more is the same statement in other words, 0.8 to
0.95 the same statement with something added. For words it is the share of telling words that two
texts have in common; cosines are brought to that scale by what was measured for each embedder
(`benchmarks/quality/calibration.py`). Similarity alone never decides: see `differences`.
"""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise
from zlib import crc32

from ...language import words
from ...model.identity import normalized
from ...model.memory import LIVE
from ...model.text_cache import remembered
from ...model.value import Value
from ...notes.display import is_sealed
from . import differences
from .slots import same_slot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence, Set
    from typing import TypeVar

    from ...model.memory import Memory

    K = TypeVar("K", bound=Hashable)


SIGNATURE_WORDS = 3
REMEMBERED_WORDS = 50_000
NUMBER_WEIGHT, LONGEST = 36, 12
DOCUMENT_CHARACTERS = 20_000
"""A longer text is a document, which is kept whole and compared by its hash only."""


# A batch of saves asks several times about each of its texts.
@remembered()
def telling_terms(text: str) -> frozenset[str]:
    """The words of a text that tell it from others."""
    return words.telling_terms(text)


@remembered()
def signatures(text: str) -> tuple[int, ...]:
    """Up to three numbers; texts without any telling word have none."""
    low = sorted(map(_hashes.__getitem__, telling_terms(text)))[:SIGNATURE_WORDS]
    if len(low) < SIGNATURE_WORDS:
        return (_paired(low[0], low[-1]),) if low else ()
    one, two, three = low
    return _paired(one, two), _paired(two, three), _paired(one, three)


def memory_signatures(memory: Memory) -> tuple[int, ...]:
    """The signatures of a memory; none for one that is not compared (`merge.comparison_group`).

    Retired memories have none: many earlier versions would hide the current one.
    """
    if memory.status not in LIVE:
        return ()
    if memory.episode is not None or memory.key is not None:
        return ()
    if len(memory.content) > DOCUMENT_CHARACTERS or is_sealed(memory):
        return ()
    return signatures(memory.content)


def _paired(one: int, two: int) -> int:
    return (one << 31) ^ two


class _Hashes(dict[str, int]):
    """The hash of each word seen so far; texts repeat their words."""

    def __missing__(self, term: str) -> int:
        if len(self) >= REMEMBERED_WORDS:
            self.clear()
        weight = NUMBER_WEIGHT if term[0].isdigit() else min(len(term), LONGEST) ** 2
        self[term] = found = crc32(term.encode("utf-8", "surrogatepass")) // weight
        return found


_hashes = _Hashes()


# Similar pairs among many texts

_EXACT = 1e-9
"""Products of shares and counts are exact but for this."""


def similar_pairs(words: Mapping[K, Set[str]], *, least: float = 0.5) -> Iterator[tuple[K, K]]:
    """Pairs that have at least this share of their words in common, each pair once.

    Two texts so alike share so many words that they have one of their rarest in common: only texts
    that do are compared. Short ones go first, so that each meets only what is no longer than it.
    """
    frequency = Counter(word for own in words.values() for word in own)
    holders: dict[str, list[K]] = {}
    for key in sorted(words, key=lambda key: len(words[key])):
        own = words[key]
        ordered = sorted(own, key=lambda word: (frequency[word], word))
        shortest = math.ceil(least / (2 - least) * len(own) - _EXACT)
        near: dict[K, None] = {}
        for word in ordered[: len(own) - shortest + 1]:
            near |= dict.fromkeys(holders.get(word, ()))
        for other in near:
            theirs = words[other]
            needed = least * (len(own) + len(theirs)) - _EXACT
            if len(theirs) >= shortest and 2 * len(own & theirs) >= needed:
                yield other, key
        # Later texts are no shorter, so similar ones share more words with this text.
        for word in ordered[: len(own) - math.ceil(least * len(own) - _EXACT) + 1]:
            holders.setdefault(word, []).append(key)


# The verdict on two texts

SAME, MERGE = 0.95, 0.8
CLEARLY_APART = 0.75
"""Texts with less than this share of the limit in common are not looked at more closely."""
LONGEST_ALIGNED = 2_000
"""Texts with more words than this are compared by what they contain, not by its order."""


class CosineScale(Value):
    """The cosines of an embedder that mean a similarity of 0.8 and of 0.95."""

    merge: float
    same: float


SCALES: Mapping[str, CosineScale] = {
    "commonplace-1": CosineScale(0.87, 0.96),
    "hash-1": CosineScale(0.9, 0.95),
}
"""Measured by `benchmarks/quality/calibration.py`."""
UNMEASURED = CosineScale(0.9, 0.98)
"""Strict limits for models that nobody measured."""


class Compared(Value):
    """How a new text stands to a known one."""

    verdict: str
    """same, merge or apart."""
    similarity: float
    difference: str = ""
    """The difference between similar texts that are apart: number, name, negation, …"""


def scale_for_model(model: str | None, *, merge: float = 0.0, same: float = 0.0) -> CosineScale:
    """How to read a model's cosines; what a person has set goes first."""
    known = SCALES.get(model or "", UNMEASURED)
    return CosineScale(merge or known.merge, same or known.same)


def compare_texts(
    newer: str,
    older: str,
    *,
    cosine: float | None = None,
    by: CosineScale = UNMEASURED,
    same: float = SAME,
    merge: float = MERGE,
) -> Compared:
    """Whether the newer text repeats the older one, belongs together with it, or stands apart."""
    if normalized(newer) == normalized(older):
        return Compared("same", 1.0)
    meant = 0.0 if cosine is None else cosine_to_similarity(cosine, by)
    roughly = max(meant, overlap_share(telling_terms(newer), telling_terms(older)))
    near = roughly >= merge * CLEARLY_APART
    if not near or differences.is_wordless(newer) or differences.is_wordless(older):
        return Compared("apart", roughly)
    alike = max(meant, telling_share(newer, older))
    if alike < merge:
        return Compared("apart", alike)
    if different := differences.find_difference(newer, older):
        return Compared("apart", alike, different)
    if same_slot(newer, older):
        return Compared("apart", alike, "value")
    return _side_by_side(newer, older, meant, alike, same)


def _side_by_side(newer: str, older: str, meant: float, alike: float, same: float) -> Compared:
    """How two texts that are alike stand to each other, word by word."""
    one, other = differences.text_features(newer).terms, differences.text_features(older).terms
    in_step, swapped = _aligned(one, other)
    if (meant < same or not _latin(newer + older)) and (swapped or not in_step):
        # A word in another's place is a value that differs, and the same words in another order
        # are who did what to whom; unless both mean the same. Small models know few scripts, and
        # everything that is written in another looks the same to them.
        return Compared("apart", alike, "value" if swapped else "order")
    adds = not set(one) <= set(other)
    if alike >= same and in_step and not adds and not swapped:
        return Compared("same", alike)
    return Compared("merge", min(alike, same))


def telling_share(newer: str, older: str) -> float:
    """The share of telling words that two texts have in common."""
    one, other = (
        Counter(differences.text_features(newer).terms),
        Counter(differences.text_features(older).terms),
    )
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 0.0


def cosine_to_similarity(cosine: float, by: CosineScale) -> float:
    """A cosine as similarity: straight lines through what was measured."""
    points = ((0.0, 0.0), (by.merge, MERGE), (by.same, SAME), (1.0, 1.0))
    for (low, from_), (high, to) in pairwise(points):
        if cosine <= high:
            return from_ + (to - from_) * max(0.0, cosine - low) / ((high - low) or 1.0)
    return 1.0


def overlap_share(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of words that two texts have in common, each counted once."""
    total = len(one) + len(other)
    return 2 * len(one & other) / total if total else 0.0


def _latin(text: str) -> bool:
    """Whether nearly all letters are Latin ones."""
    if text.isascii():
        return True
    letters = [letter for letter in text if letter.isalpha()]
    return sum(letter < "\u0250" for letter in letters) >= 0.9 * len(letters)


def _aligned(one: Sequence[str], other: Sequence[str]) -> tuple[bool, bool]:
    """Whether what both say comes in one order, and whether a word stands in another's place."""
    if max(len(one), len(other)) > LONGEST_ALIGNED:
        return False, False
    from difflib import SequenceMatcher

    steps = SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
    matched = sum(end - start for what, start, end, _, _ in steps if what == "equal")
    in_step = matched == (Counter(one) & Counter(other)).total()
    said, known = set(one), set(other)
    swapped = any(
        what == "replace"
        and not known.issuperset(one[start:end])
        and not said.issuperset(other[from_:to])
        for what, start, end, from_, to in steps
    )
    return in_step, swapped
