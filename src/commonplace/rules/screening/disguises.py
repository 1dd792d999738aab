"""Read a text as it looks: without invisible characters, foreign look-alikes and broken lines.

A view keeps the place of each of its characters, so that a finding in it can be told in the text.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right

from ...model.lazy_pattern import lazy
from ...model.value import Value
from .findings import Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator, Sequence

_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff"
)
_DISGUISING = (
    f"[{_INVISIBLE}\u0370-\u052f\u13a0-\u13ff\u2100-\u214f\u2460-\u24ff\u2070-\u209f\u3000"
    "\ua4d0-\ua4ff\uff00-\uffef\U0001d400-\U0001d7ff\U0001f100-\U0001f1ff]"
)
_HIDDEN = lazy(f"[{_INVISIBLE}]")
_ESCAPED = (
    r"%[2-7][0-9A-Fa-f]|\\u00[2-7][0-9a-fA-F]|\\x[2-7][0-9a-fA-F]"
    r"|&(?:#(?:x[0-9a-fA-F]{2}|\d{2,3})|quot|apos|amp|lt|gt);"
)
_NAMED = {"&quot;": '"', "&apos;": "'", "&amp;": "&", "&lt;": "<", "&gt;": ">"}
_READ = lazy(f"{_DISGUISING}|{_ESCAPED}")
_LOOK_ALIKES = str.maketrans(
    "АВЕКМНОРСТУХІЈЅҮԌԚԜаеорсухіјѕһԁԛԝӏɡΑΒΕΖΗΙΚΜΝΟΡΤΥΧοαιρνκτυχεγ",
    "ABEKMHOPCTYXIJSYGQWaeopcyxijshdqwlgABEZHIKMNOPTYXoaipvktuxey",
)
_LONE_LOOK_ALIKE = "ɡ"
"""The only one outside of the alphabets that `_DISGUISING` names."""
_WORD = lazy(r"[^\W_]+")
_LATIN = lazy("[A-Za-z]")
_JOINT = lazy(
    r"(?<=[\w=+/.-])(?:"
    r"(?P<quote>[\"'`])[ \t]*(?:[+.&,]|\.\.|\|\|)?[ \t]*(?:\\?\r?\n)?[ \t]*(?P=quote)"
    r"|[\\=]?\r?\n(?:[>#*|]|//|[ \t]){0,12}"
    r"|(?:</\w{1,10}>){1,3}\s{0,3}(?:<\w{1,10}>){1,3}"
    r")(?=[\w+/.-])"
)
"""Where a program, a mail or a browser breaks one token into two."""


class View(Value):
    """A text as it is read, with the place of each character in the original."""

    text: str
    places: Sequence[int]
    ends: Sequence[int]
    joints: Sequence[int] = ()
    """Places in the view where something was left out."""

    def original(self, found: Iterable[Finding]) -> Iterator[Finding]:
        """The same findings in the text itself."""
        for one in found:
            start, end = self.places[one.start], self.ends[one.end - 1]
            yield Finding(one.kind, one.label, start, end)

    def spans_joint(self, start: int, end: int) -> bool:
        """Whether something was left out inside of a match."""
        return bisect_right(self.joints, start) < bisect_left(self.joints, end)

    def is_joint(self, place: int) -> bool:
        """Whether something was left out exactly here."""
        at = bisect_left(self.joints, place)
        return at < len(self.joints) and self.joints[at] == place


def undisguised(text: str) -> View | None:
    """The text without invisible characters, and with letters for look-alikes and escapes of them.

    Returns None where that is the text itself.
    """
    if text.isascii() and "%" not in text and "\\" not in text and "&" not in text:
        return None
    if not _READ.search(text) and _LONE_LOOK_ALIKE not in text:
        return None
    pieces: list[str] = []
    places: list[int] = []
    ends: list[int] = []
    last = 0
    for match in _READ.finditer(text):
        plain = _read(match.group())
        if plain == match.group():
            continue
        pieces += [text[last : match.start()], plain]
        places.extend(range(last, match.start()))
        ends.extend(range(last + 1, match.start() + 1))
        places.extend([match.start()] * len(plain))
        ends.extend([match.end()] * len(plain))
        last = match.end()
    pieces.append(text[last:])
    places.extend(range(last, len(text)))
    ends.extend(range(last + 1, len(text) + 1))
    # Words of one script stay: a Russian sentence is none of ours to change.
    read = _WORD.sub(_in_latin, "".join(pieces))
    return None if read == text else View(read, places, ends)


def _read(sign: str) -> str:
    """A character as it is read: nothing, another character, or the one that an escape means."""
    if len(sign) == 1:
        return "" if _HIDDEN.match(sign) else unicodedata.normalize("NFKC", sign)
    if sign[0] == "&" and sign[1] != "#":
        return _NAMED[sign]
    digits = sign.strip("%\\ux&#;")
    return chr(int(digits, 10 if sign.startswith("&#") and sign[2] != "x" else 16))


def _in_latin(match: re.Match[str]) -> str:
    word = match.group()
    return word.translate(_LOOK_ALIKES) if not word.isascii() and _LATIN.search(word) else word


_SPACED = lazy(r"(?<![^\s])\S(?:[ .-]\S(?!\S{2})){5,120}(?!\S)")
_BETWEEN = lazy(r"(?<=\S)[ .-](?=\S)")
_CONCATENATED = lazy(
    r"(?<=[^\s\"'])(?P<quote>[\"'])[ \t]*(?:[+.&][ \t]*)?"
    r"(?:\\?\n[ \t]*(?:[+.&][ \t]*)?)?(?P=quote)(?=[^\s\"'])"
)


def closed_up(text: str) -> View | None:
    """The text with spaced letters and parts of a program's text put together, or None."""
    left_out = [
        (gap.start(), gap.end())
        for row in _SPACED.finditer(text)
        for gap in _BETWEEN.finditer(text, row.start(), row.end())
    ]
    left_out += [match.span() for match in _CONCATENATED.finditer(text)]
    return _without(text, sorted(left_out)) if left_out else None


def joined(text: str) -> View:
    """The text with its broken tokens put together."""
    return _without(text, (match.span() for match in _JOINT.finditer(text)))


def _without(text: str, left_out: Iterable[tuple[int, int]]) -> View:
    pieces: list[str] = []
    places: list[int] = []
    joints: list[int] = []
    last = 0
    for start, end in left_out:
        pieces.append(text[last:start])
        places.extend(range(last, start))
        joints.append(len(places))
        last = end
    pieces.append(text[last:])
    places.extend(range(last, len(text)))
    return View("".join(pieces), places, [place + 1 for place in places], joints)


def joined_text(text: str) -> str:
    """The same without places, for a first look."""
    return _JOINT.sub("", text)
