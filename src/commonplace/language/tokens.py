"""How many tokens a text takes, estimated without a tokenizer and erring high.

Which tokenizer will read a digest is not known, and they differ by a factor of five outside
English. Each character therefore costs what the dearest of the usual ones asks for its script;
text that no vocabulary knows (hashes, base64, ids, small languages) pays extra by its looks.
"""

from __future__ import annotations

import unicodedata

UNIT = 100
"""Prices are whole hundredths of a token, so that sums are exact."""
START = UNIT
"""Some tokenizers spend a token on where a text begins."""
MARK = "…"
"""Stands for the part that was cut off."""

_WORD_CHARACTERS = 40
"""How far back a cut looks for the end of a word; text without spaces is cut anywhere."""
_LOWER, _UPPER = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_CONSONANTS = "bcdfghjklmnpqrstvwxzBCDFGHJKLMNPQRSTVWXZ"
_CHEAPEST = 26


def _table(other: int, *groups: tuple[str, int]) -> bytes:
    """A byte for each ASCII character: that of its last group, or the other."""
    made = bytearray([other]) * 256
    for characters, byte in groups:
        for character in characters:
            made[ord(character)] = byte
    return bytes(made)


# Whole texts are turned into classes and counted, because that is the fastest thing Python does.
_ASCII = _table(
    UNIT, (_LOWER, _CHEAPEST), ("aiu", 36), ("jkqxz", 80), (_UPPER, 50), (" ", 32)
)  # fmt: skip
_KINDS = _table(
    ord("."), (_LOWER, ord("l")), (_UPPER, ord("u")), ("0123456789", ord("d")),
    (" \t\n\r\f\v", ord("s")),
)  # fmt: skip
_CLUSTERS = _table(ord("."), (_CONSONANTS, ord("c")))
_ENDINGS = _table(ord("."), (_LOWER, ord("l")), ("aiou", ord("v")))
_SURCHARGES = (
    (_KINDS, ((b"ss", 90), (b"sd", 70), (b"lu", 40))),
    (_KINDS, ((b"ld", 45), (b"dl", 45), (b"ud", 45), (b"du", 45))),
    # Three consonants together: chance, or a word that only its own language's vocabulary has.
    (_CLUSTERS, ((b"ccc", 70), (b"cccc", 60))),
    # Words that end in a, i, o or u are seldom English, and English words are the cheap ones.
    (_ENDINGS, ((b"llv.", 100), (b"lvv.", 100), (b"vlv.", 100), (b"vvv.", 100))),
)
"""Extra prices of neighbouring characters, with the table that classifies them."""
_SCRIPTS = (
    (0x80, 210), (0xA0, 150), (0xC0, 190), (0x0250, 210),  # Latin with accents, phonetic signs
    (0x0370, 130), (0x0400, 80), (0x0460, 180), (0x0530, 220),  # Greek, Cyrillic, Armenian
    (0x0590, 130), (0x0600, 150), (0x0700, 210), (0x0800, 320),  # Hebrew, Arabic, Syriac
    (0x0900, 140), (0x0980, 260), (0x0E00, 200), (0x0E80, 320),  # Hindi, Tamil, Thai, Lao
    (0x1000, 220), (0x1100, 320), (0x1E00, 250), (0x1F00, 320),  # Burmese, Georgian, Vietnamese
    (0x2000, 210), (0x2070, 320), (0x3000, 150), (0x3100, 320),  # dashes, symbols, kana
    (0x4E00, 200), (0xA000, 320), (0xAC00, 170), (0xD7A4, 320),  # Chinese, Korean
    (0x10000, 420), (0x1F000, 330), (0x1FB00, 420),  # emoji
)  # fmt: skip
"""Where a range of characters with one price begins; docs/digest.md says how they were measured."""
_STARTS = [start for start, _ in _SCRIPTS]


def estimate(text: str) -> int:
    """How many tokens the text takes at most, with any usual tokenizer."""
    return to_tokens(price(text)) if text else 0


def to_tokens(price: int) -> int:
    """The tokens that a text of this price takes."""
    return -((price + START) // -UNIT)


def affordable(tokens: int) -> int:
    """The highest price that stays within so many tokens."""
    return tokens * UNIT - START


def price(text: str) -> int:
    """The price of a text among other text, in hundredths of a token."""
    plain = text.encode("ascii", "replace")
    cost = sum(plain.translate(_ASCII))
    if not text.isascii():
        # Imported here, because most digests are in ASCII.
        from bisect import bisect_right

        # The price of each character beyond that of its question mark in ASCII.
        places = (bisect_right(_STARTS, ord(one)) - 1 for one in text if one > "\x7f")
        cost += sum(_SCRIPTS[place][1] - UNIT for place in places)
    ended = plain + b" "
    for table, neighbours in _SURCHARGES:
        classes = ended.translate(table)
        cost += sum(surcharge * classes.count(found) for found, surcharge in neighbours)
    return cost


def cut(text: str, tokens: int) -> str:
    """The text, or as much of it from the start as fits, ended with an ellipsis at a word's end."""
    return shortened(text, price_limit=affordable(tokens))


def shortened(
    text: str, *, price_limit: int, characters: int | None = None, before: str = ""
) -> str:
    """As `cut`, for a text that stands after another one and may have only so many characters."""
    # However cheap its letters are, only this much of a huge text can fit.
    most = max(0, price_limit // _CHEAPEST + 1)
    if characters is not None:
        most = max(0, min(most, characters - len(before)))

    def fits(piece: str) -> bool:
        return price(before + piece) <= price_limit

    if len(text) <= most and fits(text):
        return text
    low, high = 0, min(len(text), most - 1)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(text[:middle] + MARK) else (low, middle - 1)
    end = _word_end(text, low)
    while end and not fits(text[:end].rstrip() + MARK):
        end = _word_end(text, end - 1)
    kept = text[:end].rstrip()
    return kept + MARK if kept else ""


def _word_end(text: str, end: int) -> int:
    """The last place up to here where a cut breaks neither a word nor a character of two parts."""
    if end < len(text) and not text[end].isspace():
        for place in range(end, max(0, end - _WORD_CHARACTERS), -1):
            if text[place - 1].isspace():
                return place - 1
    while 0 < end < len(text) and _joins(text[end - 1], text[end]):
        end -= 1
    return end


def _joins(left: str, right: str) -> bool:
    """Whether the right character belongs to the left one: accents, emoji of several parts."""
    return (
        unicodedata.category(right)[0] == "M"
        or "\u200d" in (left, right)
        or "\U0001f3fb" <= right <= "\U0001f3ff"
    )
