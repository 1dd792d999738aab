"""A few numbers by which texts with mostly the same words find each other without being compared.

Of all words of a text those with the three lowest hashes are taken, in pairs. Texts that share most
of their words mostly have the same three: of those that would be merged, 93 to 98 in 100 have a
signature in common (`benchmarks/quality/calibration.py`). Long words hash lower, because they are
rarer.
"""

from __future__ import annotations

from functools import lru_cache
from zlib import crc32

from ...model import LIVE
from ..sealing import is_sealed
from . import words
from .stopwords import STOPWORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model import Memory

KEPT = 3
REMEMBERED_WORDS = 100_000
NUMBER_WEIGHT, LONGEST = 36, 12
DOCUMENT_CHARACTERS = 20_000
"""A longer text is a document: it is kept whole, and only the very same text is the same."""


# A batch of saves asks several times about each of its texts.
@lru_cache(maxsize=8192)
def terms(text: str) -> frozenset[str]:
    """The words of a text that tell it from others."""
    return frozenset(words.terms(text)) - STOPWORDS


@lru_cache(maxsize=8192)
def signatures(text: str) -> tuple[int, ...]:
    """Up to three numbers; texts without any telling word have none."""
    low = sorted(map(_hashes.__getitem__, terms(text)))[:KEPT]
    if len(low) < KEPT:
        return (_paired(low[0], low[-1]),) if low else ()
    one, two, three = low
    return _paired(one, two), _paired(two, three), _paired(one, three)


def signed(memory: Memory) -> tuple[int, ...]:
    """The signatures of a memory; none for what is not compared with others (`joining.family`).

    Nor for what no longer holds: a crowd of earlier versions would hide the one that does.
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
