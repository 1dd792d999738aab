"""Which of many texts are alike, found without comparing every one with every other."""

from __future__ import annotations

import math
from collections import Counter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Set
    from typing import TypeVar

    K = TypeVar("K", bound=Hashable)

_EXACT = 1e-9
"""Products of shares and counts are exact but for this."""


def candidates(words: Mapping[K, Set[str]], *, least: float = 0.5) -> Iterator[tuple[K, K]]:
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
        # What comes later is no shorter, and so has more in common with this if they are alike.
        for word in ordered[: len(own) - math.ceil(least * len(own) - _EXACT) + 1]:
            holders.setdefault(word, []).append(key)
