"""Text beyond ASCII: fold accents and width, split scripts without spaces, stem other scripts.

Apart from `words` because its patterns take longer to compile than a whole search may take, and
plain English never needs them.
"""

from __future__ import annotations

import re
import unicodedata

from ..model.value import Value
from .vocabulary import STOPWORDS_BEYOND_LATIN

_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_HIRAGANA = "\u3041-\u309f"
_KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff"
_HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
_SOUTH_EAST = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ede\u1000-\u109d\u1780-\u17d3"
_PAIRED = f"{_HAN}{_HIRAGANA}{_KATAKANA}{_HANGUL}{_SOUTH_EAST}"
_INDIC = "\u0900-\u0963\u0966-\u0dff\u0f00-\u0fbc"
_EMOJI = "\u2190-\u21ff\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"

# Vowel signs of Indic scripts are not letters to Python, but part of their words.
_LETTER = f"(?:[^\\W_{_PAIRED}]|[{_INDIC}])"
_RUN = re.compile(
    rf"#\d+(?!\w)|{_LETTER}+(?:[_./@'&+-]{{1,2}}{_LETTER}+)*(?:\+\+|\#(?!\w))?"
    rf"|[{_PAIRED}]+|[{_EMOJI}]"
)
_SCRIPTS = re.compile(f"[{_KATAKANA}]+|[{_HANGUL}]+|[{_SOUTH_EAST}]+|[{_HAN}{_HIRAGANA}]+")
_ONE_HAN = re.compile(f"[{_HAN}]")
_PARTICLE = re.compile(f"(?<=[{_PAIRED}A-Za-z0-9])[的の](?=[{_PAIRED}A-Za-z0-9])")
_MARKS = re.compile(
    "[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed]"
)
_INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufe0e\ufe0f"
_SKIN_TONES = "\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"
_LETTERS = str.maketrans(
    {
        "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "æ": "ae", "Æ": "Ae",
        "œ": "oe", "Œ": "Oe", "ß": "ss", "ẞ": "SS", "ı": "i", "ð": "d", "þ": "th",
        "ى": "ي", "ة": "ه", "’": "'", "‘": "'", "ʼ": "'", "‐": "-", "‑": "-",
        **dict.fromkeys(_INVISIBLE + _SKIN_TONES),
    }
)  # fmt: skip


def folded(text: str) -> str:
    """The text without accents, vowel points and width: `año`, `ANO` and `ａｎｏ` compare."""
    split = unicodedata.normalize("NFKD", text)
    return unicodedata.normalize("NFC", _MARKS.sub("", split)).translate(_LETTERS)


def runs(text: str) -> list[str]:
    """Unbroken runs of one kind of writing, in a folded text."""
    return _RUN.findall(text)


def pairs(run: str) -> list[str]:
    """The parts by which a run without spaces is compared; nothing for other runs.

    Overlapping pairs of characters; single Chinese ones too, since one is often a word; and
    loanwords in katakana as a whole.
    """
    found: list[str] = []
    if not _SCRIPTS.match(run):
        return found
    for part in _SCRIPTS.findall(run):
        if len(part) == 1:
            found.append(part)
            continue
        if "\u30a1" <= part[0] <= "\u30ff":
            found.append(part)
        found += [part[at : at + 2] for at in range(len(part) - 1)]
        found += _ONE_HAN.findall(part)
    return found


def without_particles(text: str, between: str = "") -> str:
    """The text without the particles that join two nouns: `里斯本的旅行` is `里斯本旅行`."""
    return _PARTICLE.sub(between, text)


def has_umlaut(text: str) -> bool:
    """Whether a text has letters that German has and English has not."""
    return not set("äöüßÄÖÜ").isdisjoint(text)


# Stems of words beyond ASCII


LEAST = 3
"""How many letters of a word its endings must leave."""
PREFIX = 5
"""Letters of a word that are compared in languages with many endings."""


class Grammar(Value):
    """The prefixes and endings of a writing system's languages, longest first."""

    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


def _longest_first(written: str) -> tuple[str, ...]:
    return tuple(sorted(set(folded(written).casefold().split()), key=len, reverse=True))


_CYRILLIC = Grammar(after=_longest_first("""
    иями ями ами ого его ому ему ыми ими ией иям иях ием ешь ишь ете ите ают яют али яли или ала
    яла ила ать ять ить еть ует уют ает яет ов ев ей ой ый ий ом ем ам ям ах ях их ых им ым ая яя
    ое ее ые ие ую юю ью ия ья ию ть ет ют ут ит ат ят ла ло ли а е и о у ы ь ю я
"""))  # fmt: skip
_GREEK = Grammar(
    after=_longest_first("""
    ματων ματος ματα ουμε ουνε ετε ουν εις ους ων ες ας ης ος ου οι ην αν ον ει α η ο ε ι υ ω
""")
)
_DEVANAGARI = Grammar(
    after=_longest_first("""
    ाओं ाएं ाएँ ियों ियाँ ियां ाना ाने ानी ाता ाते ाती ेगा ेगी ेंगे ों ें ाँ ां ीं ना ने नी ता ते ती या ये यी
    ा ि ी ु ू े ो
""")
)
_ARABIC = Grammar(
    before=_longest_first("وال بال كال فال ال لل"),
    after=_longest_first("ها ان ات ون ين يه ه ي"),
)
_HEBREW = Grammar(before=_longest_first("הה ה וה בה"), after=_longest_first("ים ות ה ת"))
_REFLEXIVE = ("ся", "сь")
_INFLECTED_SCRIPTS = (
    ("\u0370", "\u03ff", _GREEK),
    ("\u0400", "\u052f", _CYRILLIC),
    ("\u05d0", "\u05ea", _HEBREW),
    ("\u0620", "\u06ff", _ARABIC),
    ("\u0900", "\u097f", _DEVANAGARI),
)

_INFLECTING = frozenset("ąćęłńśźżěščřžýůďťňğışőűășțđ")
"""Letters of Latin alphabets whose languages change their words most: Polish, Turkish, …"""

STOPWORDS = frozenset(folded(STOPWORDS_BEYOND_LATIN).casefold().split())


def stemmed(word: str) -> str:
    """The stem of a word beyond ASCII; a word of an unknown script stays as it is."""
    first = word[:1]
    for low, high, grammar in _INFLECTED_SCRIPTS:
        if low <= first <= high:
            return _bare(word, grammar)
    return word


def inflects(text: str) -> bool:
    """Whether a text has letters of a Latin alphabet whose languages change their words much."""
    return not _INFLECTING.isdisjoint(text.lower())


def beginning(word: str) -> str | None:
    """The start of a long word, marked so that it is no word itself."""
    word = word.casefold()
    return f"{word[:PREFIX]}~" if len(word) > PREFIX and word.isascii() and word.isalpha() else None


def _bare(word: str, grammar: Grammar) -> str:
    if word.endswith(_REFLEXIVE) and len(word) >= LEAST + 2:
        word = word[:-2]
    for before in grammar.before:
        if word.startswith(before) and len(word) - len(before) >= LEAST:
            word = word[len(before) :]
            break
    for after in grammar.after:
        if word.endswith(after) and len(word) - len(after) >= LEAST:
            return word[: -len(after)]
    return word
