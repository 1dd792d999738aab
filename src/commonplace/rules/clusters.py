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
    that do are compared.
    """
    frequency = Counter(word for own in words.values() for word in own)
    holders: dict[str, list[K]] = {}
    for key, own in words.items():
        near: dict[K, None] = {}
        for word in _rarest(own, frequency, least):
            near |= dict.fromkeys(holders.setdefault(word, []))
            holders[word].append(key)
        for other in near:
            both = len(own) + len(words[other])
            if 2 * len(own & words[other]) >= least * both - _EXACT:
                yield other, key


def _rarest(own: Set[str], frequency: Mapping[str, int], least: float) -> list[str]:
    """So many of the rarest words that nothing alike enough can do without all of them."""
    shared = math.ceil(least / (2 - least) * len(own) - _EXACT)
    ordered = sorted(own, key=lambda word: (frequency[word], word))
    return ordered[: len(own) - shared + 1]
