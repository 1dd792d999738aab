"""Questions that a book should be able to answer about itself, and some that it should not.

A question is a handful of a memory's rarest words in any order. A stranger's question mixes words
of several memories, so that each word is known and what they ask together is not.
"""

from __future__ import annotations

import random
from collections import Counter

from ..text.words import query

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

RAREST = 8
"""A question is made from so many of the rarest words …"""
ASKED = 5
"""… of which so many are asked: the others are what a person does not remember."""
FEWEST = 2
READ_CHARACTERS = 20_000
ATTEMPTS = 5
"""How often a mixture of words is drawn before it is given up."""


def frequencies(texts: Iterable[str]) -> Counter[str]:
    """In how many of the texts each word occurs."""
    return Counter(term for text in texts for term in query(text[:READ_CHARACTERS]))


def about(text: str, frequency: Mapping[str, int], seed: str) -> str | None:
    """A question about one text, the same every time; None when it says too little to be asked."""
    telling = _telling(text, frequency)[:RAREST]
    if len(telling) < FEWEST:
        return None
    chance = random.Random(seed)  # noqa: S311 (the same question every night is the point)
    # Two or three are left out, but never so many that next to nothing is asked.
    return " ".join(chance.sample(telling, min(ASKED, max(FEWEST, len(telling) - 1))))


def strangers(
    texts: Sequence[str], frequency: Mapping[str, int], count: int, seed: str
) -> list[str]:
    """So many questions whose words are known, but not together; fewer from a small book."""
    chance = random.Random(seed)  # noqa: S311 (as above)
    telling = [words for text in texts if (words := _telling(text, frequency))]
    known = [frozenset(words) for words in telling]
    made: list[str] = []
    if len(telling) < ASKED:
        return made
    for _ in range(count * ATTEMPTS):
        drawn = chance.sample(telling, ASKED)
        mixed = dict.fromkeys(chance.choice(words[:RAREST]) for words in drawn)
        if len(mixed) == ASKED and not any(_mostly(mixed, words) for words in known):
            made.append(" ".join(mixed))
        if len(made) == count:
            break
    return made


def _mostly(asked: Iterable[str], words: frozenset[str]) -> bool:
    """Whether a memory has so many of the words that the question might well mean it."""
    return sum(word in words for word in asked) > ASKED // 2


def _telling(text: str, frequency: Mapping[str, int]) -> list[str]:
    """The words of a text as they are written, rarest first."""
    rarity: dict[str, int] = {}
    for term, written in query(text[:READ_CHARACTERS]).items():
        # Without spaces a whole clause is one run: its parts are the words.
        word = term if not written.isascii() and term in written else written
        rarity[word] = min(rarity.get(word, frequency[term]), frequency[term])
    return sorted(rarity, key=lambda word: (rarity[word], word))
