"""Weigh the words of a sentence: which of them may be a secret that it only mentions.

Rules know what a password is called. A secret told in passing has no such name: `the boat shed
wants 4471`. Its shape and the words around it tell, and how much each tells was learned from
labelled sentences and from ordinary ones (training/secret_words.py, which uses these features).
"""

from __future__ import annotations

import os
from bisect import bisect_left, bisect_right
from itertools import islice, takewhile
from zlib import crc32

from ...model.lazy_pattern import lazy
from .findings import CREDENTIAL, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

FILE = os.path.join(os.path.dirname(__file__), "secret_words.bin")
SIZE = 1 << 17
"""Weights; a feature's place among them is a hash."""
SCALE = 24
"""A weight of 1 as it is stored, in a signed byte."""
LIKELY = 2.0
"""The sum of weights above which a word is a secret, …"""
UNLIKELY = -2.0
"""… below which it is none, though it has the shape of a password, …"""
MORE_FOR_EACH, AT_MOST = 0.1, 2.0
"""… and how much more it takes for each other odd word: long answers and logs are full of them."""

MORE_FOR_YEAR = 1.5
"""How much more it takes for a number that may be a year."""

_YEAR = lazy(r"(?:19|20)\d\d")
_SPACED = lazy(r"\S+")
_WORD = lazy(r"[^\W\d_]+|\d+|\n|[^\w\s]")
_LETTERS = lazy(r"[^\W\d_]{2,}")
_NO_SECRET = lazy(
    r"(?i)[a-z][a-z0-9+.-]*://|[\w.+-]+@[\w-]+\.[\w.]+\Z|www\.|[^=]+=\w"
    r"|.*(?:\[\[|\]\]|\||\\u[0-9a-f]{4})"
)
"""Addresses and assignments, which are screened elsewhere, links between notes, and letters that
JSON has escaped."""
_OF_PROGRAM = lazy(r"0[xX][0-9a-fA-F]+|[0-9a-f]{7,40}\.{2,3}[0-9a-f]{7,40}|[^=]+=[{\[(].*")
"""Numbers in hex, ranges of commits and attributes."""
_HASH = lazy(r"(?=[a-f]*\d)[0-9a-f]{7,64}")
_HASHED = lazy(
    r"(?i)(?<![a-z])(?:git|commits?|merged?|revert\w*|cherry-pick\w*|bisect|sha\d*|e-?tag|if-(?:none-)?match|checksum|digest)(?![a-z])|_id\W{1,6}\Z"
)
"""Words after which letters and digits are the hash of a commit or a file, and no secret."""
_FIELD, _LINE_END = lazy(r"[ \t]*[\w-]+:[ \t]*"), lazy(r"[ \t]*(?:\n|$)")
_OPENING, _CLOSING = "\"'“„«‘(*[<`’", ".,;:!?)”\"'»*`’…]>"
_IN_SHAPES = "-_./:#*@!$"
LONGEST = 80
"""A longer word is data, which credentials with a format of their own are found in."""
_KIND, _SHAPE, _LENGTH, _PLACE, _WORDS, _PART, _THREE, _BETWEEN = range(8)
_LAST, _LAST_BUT_ONE, _LAST_TWO, _LAST_THREE, _BEFORE, _NEAR = range(8, 14)
_NEXT, _NEXT_TWO, _AFTER = range(14, 17)
"""Where the hash of each kind of feature begins, so that equal words of two kinds differ."""
FEWEST_NEIGHBOURS = 2
WORDS_BEFORE, CHARACTERS_BEFORE = 12, 120
WORDS_AFTER, CHARACTERS_AFTER = 8, 80


def find_likely_secrets(text: str) -> Iterator[Finding]:
    """The words that are likelier a secret than not."""
    if not (places := [*words_in_question(text)]):
        return
    said, more = TextWords(text), _more_for(places)
    for start, end in places:
        enough = LIKELY + more + (MORE_FOR_YEAR if _YEAR.fullmatch(text, start, end) else 0)
        if said.speaks_for(start, end) > enough and said.has_neighbours(start, end):
            label = "access code" if text[start:end].isdigit() else "password"
            if _OF_PROGRAM.fullmatch(text, start, end):
                continue
            if _HASH.fullmatch(text, start, end) and _HASHED.search(
                text, max(0, start - 90), start
            ):
                continue
            if label == "access code" and _is_of_program(text, start):
                continue
            yield Finding(CREDENTIAL, label, start, end)


def _is_of_program(text: str, at: int) -> bool:
    # Imported here, because few texts have a likely code, and its words take time to load.
    from .logins import is_of_program
    from .values_in_sentences import lowered

    return is_of_program(lowered(text), at)


def not_spoken_against(text: str, found: list[Finding]) -> list[Finding]:
    """Words with the shape of a password, without those that the words around deny to be one."""
    if not found:
        return found
    places, said = [*words_in_question(text)], TextWords(text)
    ends, limit = [end for _, end in places], UNLIKELY + _more_for(places)

    def best(one: Finding) -> float:
        first = bisect_right(ends, one.start)
        inside = [*takewhile(lambda place: place[0] < one.end, islice(places, first, None))]
        return max(said.speaks_for(*place) for place in inside or [(one.start, one.end)])

    return [one for one in found if best(one) >= limit]


def _more_for(places: list[tuple[int, int]]) -> float:
    return min(AT_MOST, MORE_FOR_EACH * max(0, len(places) - 1))


def words_in_question(text: str) -> Iterator[tuple[int, int]]:
    """Where the words stand that are no words of a language: digits, signs or capitals inside."""
    for match in _SPACED.finditer(text):
        word = match.group()
        if word.isalpha() and (word.islower() or word.istitle()):
            continue
        word = word.lstrip(_OPENING)
        start = match.end() - len(word)
        bare = word.rstrip(_CLOSING)
        if word[len(bare) : len(bare) + 1] == "!" and any(map(str.isdigit, bare)):
            bare += "!"
        if 3 <= len(bare) <= LONGEST and _is_odd(bare) and not _NO_SECRET.match(bare):
            yield start, start + len(bare)


def _is_odd(word: str) -> bool:
    """Unlike `don't`, `Ada's` and `NATO`."""
    letters = word.replace("'", "").replace("’", "")
    if not letters.isalpha():
        return True
    return any(map(str.isupper, letters[1:])) and any(map(str.islower, letters))


class TextWords:
    """The words of a text, for what tells something about some of them."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._end = len(text.rstrip(" .!\n"))
        self._length = b"%d" % min(text.count(" ") // 5, 4)
        found = [*_WORD.finditer(text)]
        self._starts = [one.start() for one in found]
        self._words = [
            b"0" if one.group().isdigit() else one.group().lower().encode() for one in found
        ]

    def places(self, start: int, end: int) -> set[int]:
        """The places among the weights of what a word and its neighbours on the line look like."""
        value = self._text[start:end]
        kind = _kind(value).encode()
        before, after = self._before(start), self._after(end)
        two, one = ([b"^", b"^", *before])[-2:]
        next_, over = ([*after, b"$", b"$"])[:2]
        found = {
            crc32(kind, _KIND), crc32(_shape(value).encode(), _SHAPE),
            crc32(b"%d %b" % (min(len(value), 20) // 2, kind), _LENGTH),
            crc32(one, _LAST), crc32(b"%b %b" % (one, kind), _LAST), crc32(two, _LAST_BUT_ONE),
            crc32(b"%b %b" % (two, one), _LAST_TWO), crc32(b" ".join(before[-3:]), _LAST_THREE),
            crc32(next_, _NEXT), crc32(b"%b %b" % (next_, kind), _NEXT),
            crc32(b"%b %b" % (next_, over), _NEXT_TWO), crc32(b"%b %b" % (one, next_), _BETWEEN),
            crc32(self._place_in_text(start, end, kind), _PLACE),
            crc32(self._length, _WORDS),
        }  # fmt: skip
        first = kind[:1]
        for word in before:
            known = crc32(word[:6], _BEFORE)
            found |= {known, crc32(first, known)}
        found |= {crc32(word[:6], _NEAR) for word in before[-4:]}
        for word in after:
            known = crc32(word[:6], _AFTER)
            found |= {known, crc32(first, known)}
        lower = "".join("0" if one.isdigit() else one for one in value.lower())
        found |= {crc32(part[:5].encode(), _PART) for part in _LETTERS.findall(lower)}
        found |= {crc32(lower[at : at + 3].encode(), _THREE) for at in range(len(lower) - 2)}
        return {one % SIZE for one in found}

    def speaks_for(self, start: int, end: int) -> float:
        """How much the shape of a word and its neighbours tell that it is a secret."""
        return sum(map(_weights().__getitem__, self.places(start, end))) / SCALE

    def has_neighbours(self, start: int, end: int) -> bool:
        """Whether words on the line can tell something; a field's value alone is told by none."""
        line = self._text.rfind("\n", 0, start) + 1
        if _FIELD.fullmatch(self._text, line, start) and _LINE_END.match(self._text, end):
            return False
        around = self._before(start) + self._after(end)
        return sum(map(bytes.isalpha, around)) >= FEWEST_NEIGHBOURS

    def _place_in_text(self, start: int, end: int, kind: bytes) -> bytes:
        if start and self._text[start - 1] in _OPENING:
            return self._text[start - 1].encode()
        if end >= self._end:
            return b"last " + kind
        return b"inside" if start else b"first"

    def _before(self, start: int) -> list[bytes]:
        stop = bisect_left(self._starts, start)
        first = bisect_left(self._starts, max(0, start - CHARACTERS_BEFORE))
        words = self._words[max(first, stop - WORDS_BEFORE) : stop]
        return words[len(words) - words[::-1].index(b"\n") :] if b"\n" in words else words

    def _after(self, end: int) -> list[bytes]:
        first = bisect_left(self._starts, end)
        stop = bisect_left(self._starts, end + CHARACTERS_AFTER)
        words = self._words[first : min(stop, first + WORDS_AFTER)]
        return words[: words.index(b"\n")] if b"\n" in words else words


def _shape(word: str) -> str:
    """`Aa9-9` for `Kessel88-4`."""
    made = ""
    for one in word:
        if one.isalpha():
            sign = "A" if one.isupper() else "a"
        elif one.isdigit():
            sign = "9"
        else:
            sign = one if one in _IN_SHAPES else "?"
        if not made.endswith(sign):
            made += sign
    return made[:8]


def _kind(word: str) -> str:
    """`D4` for four digits, `LD` for letters and digits, `WM` for letters and marks, and so on."""
    digits, letters = sum(map(str.isdigit, word)), sum(map(str.isalpha, word))
    marks = "M" if digits + letters < len(word) else ""
    if letters == 0:
        return f"D{marks or min(digits, 9)}"
    if digits or marks:
        return f"{'L' if digits else 'W'}{'D' if digits else ''}{marks}"
    return "C" if any(map(str.isupper, word[1:])) else "W"


_READ: list[memoryview] = []


def _weights() -> memoryview:
    if not _READ:
        with open(FILE, "rb") as file:
            _READ.append(memoryview(file.read()).cast("b"))
    return _READ[0]
