"""A text as the numbers of its word pieces, the way BERT's uncased models read it.

Accents and case go, punctuation and Chinese characters stand alone, and a word that is not in the
vocabulary becomes the longest pieces that are: `unforgettable` → `un ##for ##get ##table`.
"""

from __future__ import annotations

import unicodedata

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

UNKNOWN, START, END = 100, 101, 102
"""The pieces [UNK], [CLS] and [SEP] of the vocabulary."""
READ_CHARACTERS = 20_000
"""More is never looked at: by then the pieces a model reads are long full."""
WORD_CHARACTERS = 100
"""A longer word is unknown as a whole, as it was when the model learned."""
REMEMBERED_WORDS = 100_000

_IDEOGRAPHS = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0xF900, 0xFAFF), (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F), (0x2B740, 0x2B81F), (0x2B920, 0x2CEAF), (0x2F800, 0x2FA1F),
)  # fmt: skip


class WordPieces:
    """Reads texts with one vocabulary, given as the way to look a piece up (-1 when unknown)."""

    def __init__(self, find: Callable[[bytes], int]) -> None:
        self._find = find
        self._known: dict[str, tuple[int, ...]] = {}

    def read(self, text: str, *, limit: int) -> list[int]:
        """The pieces of a text between a start and an end, at most `limit` in all."""
        pieces = [START]
        for word in words(text):
            pieces += self._known.get(word) or self._split(word)
            if len(pieces) >= limit:
                break
        return [*pieces[: limit - 1], END]

    def _split(self, word: str) -> tuple[int, ...]:
        if len(word) > WORD_CHARACTERS:
            return (UNKNOWN,)
        if len(self._known) >= REMEMBERED_WORDS:
            self._known.clear()
        self._known[word] = found = tuple(self._pieces(word))
        return found

    def _pieces(self, word: str) -> list[int]:
        found: list[int] = []
        start = 0
        while start < len(word):
            for end in range(len(word), start, -1):
                piece = word[start:end] if start == 0 else f"##{word[start:end]}"
                if (number := self._find(piece.encode())) >= 0:
                    break
            else:
                return [UNKNOWN]
            found.append(number)
            start = end
        return found


def words(text: str) -> list[str]:
    """The words of a text before they are cut into pieces."""
    text = text[:READ_CHARACTERS]
    if not text.isascii():
        text = unicodedata.normalize("NFD", text)
    return text.translate(_characters).split()


class _Characters(dict[int, str]):
    """What becomes of each character, found out when it is first met."""

    def __missing__(self, code: int) -> str:
        self[code] = kept = _kept(code)
        return kept


def _kept(code: int) -> str:
    character = chr(code)
    category = unicodedata.category(character)
    if character in "\t\n\r" or category[0] == "Z":
        return " "
    if category == "Mn" or category[0] == "C" or code == 0xFFFD:
        return ""
    # Of ASCII the model takes every sign for punctuation: `$`, `+` and `^` as well as `.`.
    sign = code < 128 and not character.isalnum()
    if sign or category[0] == "P" or any(low <= code <= high for low, high in _IDEOGRAPHS):
        return f" {character} "
    return character.lower()


_characters = _Characters()
