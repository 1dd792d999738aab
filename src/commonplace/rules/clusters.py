"""Which of many things belong together, found without comparing every one with every other."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping, Set
    from typing import TypeVar

    K = TypeVar("K", bound=Hashable)

COMMON = 30
"""A word in more texts than this says nothing about any two of them."""


def candidates(words: Mapping[K, Set[str]], *, least: float = 0.5) -> Iterator[tuple[K, K]]:
    """Pairs that have at least this share of their words in common, each pair once.

    Texts so alike share one of their rarest words, so only those are looked up.
    """
    order = {key: place for place, key in enumerate(words)}
    holders: dict[str, list[K]] = {}
    for key, own in words.items():
        for word in own:
            holders.setdefault(word, []).append(key)
    for key, own in words.items():
        rarest = sorted(own, key=lambda word: (len(holders[word]), word))
        # Whatever is so alike has so many of these words that it cannot miss all of the rarest.
        telling = rarest[: len(rarest) - int(least / (2 - least) * len(rarest)) + 1]
        near = {
            other
            for word in telling
            if len(holders[word]) <= COMMON or len(own) <= 2
            for other in holders[word]
            if order[other] > order[key]
        }
        for other in sorted(near, key=order.__getitem__):
            shared = len(own & words[other])
            if 2 * shared >= least * (len(own) + len(words[other])):
                yield key, other


def grouped(pairs: Iterable[tuple[K, K]]) -> list[list[K]]:
    """Everything that is connected by pairs, in the order in which it was first named."""
    group_of: dict[K, list[K]] = {}
    for one, other in pairs:
        mine = group_of.setdefault(one, [one])
        theirs = group_of.setdefault(other, [other])
        if mine is not theirs:
            mine += theirs
            for key in theirs:
                group_of[key] = mine
    found: dict[int, list[K]] = {id(group): group for group in group_of.values()}
    return list(found.values())
