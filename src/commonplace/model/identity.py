"""Ids that sort by time and never collide, slugs for people, and hashes of what a text says."""

from __future__ import annotations

import unicodedata

from .lazy_pattern import lazy
from .text_cache import remembered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .memory import Draft, Memory

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_SHIFTS = tuple(range(125, -1, -5))
SHORT_ID_CHARACTERS = 6
"""The end of an id that stands for it, in a slug or a line of a digest."""
SLUG_WORDS = 8
SLUG_CHARACTERS = 60
_WORD = lazy(r"\w+")
_AFTER_A_DIGIT = lazy("(?<=[0-9])(?=[¹²³⁰⁴-⁹¼-¾⅐-⅞])")
"""The place before an exponent or fraction, which NFKC would turn into one more digit."""


class IdMaker:
    """Makes 26-character ids: 48 bits of time, 80 of chance, growing even if the clock does not."""

    def __init__(self, randomness: Callable[[int], bytes]) -> None:
        self._randomness = randomness
        self._last = 0

    def __call__(self, now_ms: int) -> str:
        """The next id."""
        made = (now_ms << 80) | int.from_bytes(self._randomness(10), "big")
        if made <= self._last:
            # The clock stood still or went back: step past the last id, by a random amount so
            # that another process in the same position does not step to the same place.
            made = self._last + 1 + int.from_bytes(self._randomness(8), "big")
        self._last = made
        return _written(made)


def computed_id(at_ms: int, *parts: str) -> str:
    """An id computed from other ids: the same parts always give the same id."""
    return _written((at_ms << 80) | int(_hash(chr(0).join(parts))[:20], 16))


def _written(number: int) -> str:
    return "".join([ALPHABET[(number >> shift) & 31] for shift in _SHIFTS])


def derived_id(prefix: str, *parts: str) -> str:
    """The id of a hand-written note or line: the same place always gives the same id."""
    return f"{prefix}{_hash(chr(0).join(parts))[:24]}"


def is_derived(id: str) -> bool:
    """Whether `derived_id` made the id, from the place of a note or a line of `facts.md`."""
    return len(id) == 25 and id[0].isalpha()


def archived_id(fact: Memory, *, at: str) -> str:
    """The id of an old text that moves to the archive while its place keeps its own id."""
    return derived_id("f", fact.id, fact.value or "", at)


def slug(text: str, id: str) -> str:
    """A file-safe name: the first words, and six characters of the id to keep it unique."""
    return f"{name_slug(text) or 'memory'}-{short_id(id)}"


def short_id(id: str) -> str:
    """The end of an id; seldom do two ids of a book end alike."""
    return id[-SHORT_ID_CHARACTERS:]


def name_slug(text: str) -> str:
    """The first words of a text as a file-safe name; empty when it has no words."""
    words = _WORD.findall(unicodedata.normalize("NFC", text).casefold())
    name = "-".join(words[:SLUG_WORDS])[:SLUG_CHARACTERS].strip("-_")
    while len(name.encode()) > SLUG_CHARACTERS * 2:
        name = name[:-1]
    return name


# Each gate of a save asks about the same text again.
@remembered(characters=100_000)
def normalized(text: str) -> str:
    """The text as the duplicate gate compares it: case, width, spacing and final stop removed."""
    folded = _folded(text if text.isascii() else _AFTER_A_DIGIT.sub("^", text))
    return folded or " ".join(text.split())  # `!!!` is not `...`.


def wording(said: Draft | Memory) -> tuple[object, ...]:
    """Equal for two memories of one scope with the same words.

    Turns of a conversation stay separate, and values are compared character by character.
    """
    text = normalized(said.content)
    if said.episode:
        return (text, said.episode, said.position)
    return (text, said.key, said.namespace, said.value)


@remembered(characters=100_000)
def content_hash(text: str) -> str:
    """Equal for texts with the same words, and also for 10⁶ and 106.

    Indexes, tombstones and the audit log store these hashes, so the function must not change;
    callers that find a text by its hash compare the text as well.
    """
    return _hash(_folded(text))


def keyed_hash(text: str, key: str) -> str:
    """A keyed content hash: recognizes a purged text without revealing it."""
    return _hash(f"{key}\0{_folded(text)}")


@remembered(characters=100_000)
def _folded(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(folded.split()).rstrip(".!。！ ")


def _hash(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), 16)


def blake2b(data: bytes, digest_bytes: int) -> str:
    """The hash in hexadecimal, without `hashlib`, which loads all of OpenSSL."""
    try:
        # Only in this implementation of Python, and not promised even there.
        from _blake2 import blake2b as hashed
    except ImportError:
        from hashlib import blake2b as hashed
    return hashed(data, digest_size=digest_bytes).hexdigest()
