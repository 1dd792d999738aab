"""Text beyond ASCII: folding accents and width, and telling writing systems apart.

Apart from `words` because its patterns take longer to compile than a whole search may take, and
plain English never needs them.
"""

from __future__ import annotations

import re
import unicodedata

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
    """What is compared of a run written without spaces; nothing for other runs.

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


def has_umlaut(text: str) -> bool:
    """Whether a text has letters that German has and English has not."""
    return not set("äöüßÄÖÜ").isdisjoint(text)
