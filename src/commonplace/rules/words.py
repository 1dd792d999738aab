"""The words of a text as search compares them, in documents and in questions alike.

English words become stems; accents, case and width are folded; an identifier, path or address
gives itself and its parts; scripts written without spaces give overlapping pairs of characters.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import chain

from .stems import stem
from .stopwords import GERMAN_SIGNS, STOPWORDS

MAX_TERM_CHARACTERS = 64
MAX_PARTS = 64
"""Of one unbroken run, such as a long path or a pasted key."""
QUERY_TERMS = 200
QUERY_CHARACTERS = 200_000
REMEMBERED_RUNS = 100_000

_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_HIRAGANA = "\u3041-\u309f"
_KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff"
_HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
_SOUTH_EAST = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ede\u1000-\u109d\u1780-\u17d3"
_PAIRED = f"{_HAN}{_HIRAGANA}{_KATAKANA}{_HANGUL}{_SOUTH_EAST}"
_INDIC = "\u0900-\u0963\u0966-\u0dff\u0f00-\u0fbc"
_EMOJI = "\u2190-\u21ff\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"

_LETTER = f"(?:[^\\W_{_PAIRED}]|[{_INDIC}])"
_RUN = re.compile(
    rf"#\d+(?!\w)|{_LETTER}+(?:[_./@'&+-]{{1,2}}{_LETTER}+)*(?:\+\+|\#(?!\w))?"
    rf"|[{_PAIRED}]+|[{_EMOJI}]"
)
_ASCII_RUN = re.compile(r"#\d+(?!\w)|[A-Za-z0-9]+(?:[_./@'&+-]{1,2}[A-Za-z0-9]+)*(?:\+\+|#(?!\w))?")
_SCRIPTS = re.compile(f"[{_KATAKANA}]+|[{_HANGUL}]+|[{_SOUTH_EAST}]+|[{_HAN}{_HIRAGANA}]+")
_ONE_HAN = re.compile(f"[{_HAN}]")
_PLAIN = re.compile(r"[a-z]+|[A-Z][a-z]+|[0-9]+")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_VERSION = re.compile(r"[vV](\d[\d.]*)$")
_ELISION = re.compile(r"(?:[cdjlmnst]|qu)'(?=\w{3})", re.IGNORECASE)
_GERMAN_ENDING = re.compile(r"(?<=\w{4})(?:ern|em|en|er|es|e|n|s)$")

_MARKS = re.compile(
    "[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed]"
)
_LETTERS = str.maketrans(
    {
        "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "æ": "ae", "Æ": "Ae",
        "œ": "oe", "Œ": "Oe", "ß": "ss", "ẞ": "SS", "ı": "i", "ð": "d", "þ": "th", "ى": "ي", "ة": "ه",
        "’": "'", "‘": "'", "ʼ": "'", "‐": "-", "‑": "-",
        # Invisible: soft hyphens, joiners, and the variants of an emoji.
        **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufe0e\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd"
                        "\U0001f3fe\U0001f3ff"),
    }
)  # fmt: skip


def terms(text: str) -> list[str]:
    """Every word of a text, in order and as often as it occurs; none contains a space or a `:`."""
    runs = _runs(text)
    found = list(chain.from_iterable(map(_terms_of.__getitem__, runs)))
    if _german(text, runs):
        found += [bare for run in runs if (bare := _without_german_ending(run))]
    return found


def query(text: str) -> dict[str, str]:
    """The words that a question is about, each with the way it was written.

    Function words are left out, unless there is nothing else; of an endless text only the first
    couple of hundred words count.
    """
    runs = _runs(text[:QUERY_CHARACTERS])
    telling = [run for run in runs if run.lower() not in STOPWORDS] or runs
    german = _german(text[:QUERY_CHARACTERS], runs)
    found: dict[str, str] = {}
    for run in telling:
        if len(found) >= QUERY_TERMS:
            break
        for term in _terms_of[run]:
            found.setdefault(term, run.lower())
        if german and (bare := _without_german_ending(run)):
            found.setdefault(bare, run.lower())
    return found


def _runs(text: str) -> list[str]:
    if text.isascii():
        return _ASCII_RUN.findall(text)
    return _RUN.findall(folded(text))


def folded(text: str) -> str:
    """The text without accents, vowel signs and width, so that `año`, `ANO` and `ａｎｏ` compare."""
    split = unicodedata.normalize("NFKD", text)
    bare = _MARKS.sub("", split)
    return unicodedata.normalize("NFC", bare).translate(_LETTERS)


class _Terms(dict[str, tuple[str, ...]]):
    """The terms of each run seen so far; texts repeat their words, so most are looked up once."""

    def __missing__(self, run: str) -> tuple[str, ...]:
        found = _split(run)
        if len(self) >= REMEMBERED_RUNS:
            self.clear()
        if len(run) <= MAX_TERM_CHARACTERS:
            self[run] = found
        return found


_terms_of = _Terms()


def _split(run: str) -> tuple[str, ...]:
    if _PLAIN.fullmatch(run):
        return (_term(run),)
    if _SCRIPTS.match(run):
        return tuple(dict.fromkeys(_pairs(run)))
    if run.startswith("#"):
        return (run[:MAX_TERM_CHARACTERS], run[1 : MAX_TERM_CHARACTERS + 1])
    return tuple(dict.fromkeys(term for term in _parts(_ELISION.sub("", run)) if term))


def _parts(run: str) -> list[str]:
    """A compound, its addresses or path segments, their words, and the humps of those."""
    run = run.removesuffix("'s").removesuffix("'S").replace("'", "")
    bare = run.rstrip("+#")
    segments = re.split(r"[/@]+", bare)
    words = re.split(r"[_./@&+-]+", bare)
    found = [_term(run), _term(bare)]
    for part in (*segments[:MAX_PARTS], *words[:MAX_PARTS]):
        found.append(_term(part))
        if version := _VERSION.match(part):
            found.append(version[1])
    for word in words[:MAX_PARTS]:
        found += _humps(word)
    return found


def _humps(word: str) -> list[str]:
    """The words inside `getHTTPResponse`, `OAuthToken` and `node18`."""
    if not word.isascii() or word.isdigit() or (word.isalpha() and word[1:].islower()):
        return []
    # In HTTPResponse the capitals end before the one that opens `Response`.
    humps = _CAMEL.findall(word[: MAX_TERM_CHARACTERS * 4])
    found = [_term(hump) for hump in humps if len(hump) > 1 or hump.isdigit()]
    # A single capital belongs to the hump after it: OAuth, iPhone, XCode.
    pairs = zip(humps, humps[1:], strict=False)
    found += [_term(one + two) for one, two in pairs if len(one) == 1 and one.isalpha()]
    return found[:MAX_PARTS]


def _term(word: str) -> str:
    """One word as it is compared."""
    lower = word.casefold()[:MAX_TERM_CHARACTERS]
    if lower.isascii():
        return stem(lower) if lower.isalpha() else lower
    if "\u0620" <= lower[0] <= "\u06ff":
        return _arabic(lower)
    return lower


def _arabic(word: str) -> str:
    """Without the article, alone or after `and`, `with`, `like`, `for`."""
    for prefix in ("وال", "بال", "كال", "فال", "ال", "لل"):
        if word.startswith(prefix) and len(word) - len(prefix) >= 3:
            return word[len(prefix) :]
    return word


def _pairs(run: str) -> list[str]:
    """Overlapping pairs; single Chinese characters too, since one is often a word; loanwords."""
    found: list[str] = []
    for part in _SCRIPTS.findall(run):
        if len(part) == 1:
            found.append(part)
            continue
        if "\u30a1" <= part[0] <= "\u30ff":
            found.append(part[:MAX_TERM_CHARACTERS])
        found += [part[at : at + 2] for at in range(len(part) - 1)]
        found += _ONE_HAN.findall(part)
    return found


def _german(text: str, runs: list[str]) -> bool:
    if not text.isascii() and re.search("[äöüßÄÖÜ]", text):
        return True
    return len(GERMAN_SIGNS.intersection(runs)) >= 2


def _without_german_ending(run: str) -> str | None:
    """`Fristen` → `frist`: an extra word for German texts, so that English stems stay as they are."""
    word = run.casefold()
    if not (word.isascii() and word.isalpha()):
        return None
    bare = _GERMAN_ENDING.sub("", word)
    return bare if bare != word and bare != stem(word) else None
