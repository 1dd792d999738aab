"""A text cut into the passages that search compares with a question, and what it looks like.

Cut at headings, paragraphs, list items and sentences; code stays whole where it can. A passage is
a piece of the text as it stands: put together again they are the text, but for white space.
"""

from __future__ import annotations

import math
import re
from collections import Counter

from .vocabulary import NUMBER_WORDS, TIME_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

MOST = 8
LEAST_WORDS = 6
"""A shorter sentence says too little by itself, and is joined to what follows."""
AIM = 8
LONG_WORDS = 60
"""A passage of so many words is long enough, if there may be more of them than `AIM`."""
BREAK_CHARACTERS = 700
"""A sentence or a block of code longer than this does not stay whole."""

_SENTENCE_END = r"(?<=[.!?])\s+|(?<=[。！？｡])(?=.)"
_LIST_NUMBER = r"\s*\w{1,3}[.)]\s+$"
"""The dot of `1.` ends no sentence."""
_HEADING = r"#{1,6}\s|\*\*[^*]+\*\*:?\s*$"
_FENCE = ("```", "~~~")
_UNSPACED = "[\u0e01-\u0e7f\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uf900-\ufaff]"
_UNSPACED_TIMES = (
    r"\d\s?[年月日号]|昨天|今天|明天|前天|上周|下周|星期|去年|今年"
    r"|昨日|今日|明日|先週|来週|어제|지난"
)
_UNSPACED_NUMBERS = "[二两三四五六七八九十百千万]+[个個人次岁歳年月日天元円本回枚台つ]"


def cut(text: str, *, most: int = MOST) -> list[str]:
    """The passages of a text in order, at most so many; one when it is short."""
    pieces = _pieces(text)
    counts = [word_count(text[start:end]) for start, end, _ in pieces]
    total = sum(counts)
    least = max(LEAST_WORDS, min(LONG_WORDS, math.ceil(total / AIM)), math.ceil(total / most))
    groups = _grouped(pieces, counts, least)
    while len(groups) > most:
        # Ending passages at headings may have made too many: join the two shortest neighbours.
        at = min(range(len(groups) - 1), key=lambda i: groups[i + 1][1] - groups[i][0])
        groups[at : at + 2] = [(groups[at][0], groups[at + 1][1])]
    return [text[start:end].strip() for start, end in groups] or [text]


def best_passage(passages: Sequence[str], asked: Collection[str]) -> str:
    """The passage that says most of these words: the fewer others say one, the more it tells."""
    from .words import terms

    said = [set(asked).intersection(terms(passage)) for passage in passages]
    bearers = Counter(word for words in said for word in words)
    told = [sum(1 / bearers[word] for word in sorted(words)) for words in said]
    return passages[told.index(max(told))]


def word_count(text: str) -> int:
    """How many words a text has; in scripts without spaces two characters count as one."""
    if text.isascii():
        return len(text.split())
    spaced, characters = re.subn(_UNSPACED, " ", text)
    if not characters:
        return len(text.split())
    return len(re.findall(r"\w+", spaced)) + (characters + 1) // 2


def has_time(text: str) -> bool:
    """Whether a text speaks of a time."""
    said = re.findall(r"\w+", text.lower())
    if not TIME_WORDS.isdisjoint(said) or [w for w in said if len(w) == 4 and w.isdecimal()]:
        return True
    return not text.isascii() and re.search(_UNSPACED_TIMES, text) is not None


def has_number(text: str) -> bool:
    """Whether a text has a number in it."""
    if re.search(r"\d", text) or not NUMBER_WORDS.isdisjoint(re.findall(r"\w+", text.lower())):
        return True
    return not text.isascii() and re.search(_UNSPACED_NUMBERS, text) is not None


def _pieces(text: str) -> list[tuple[int, int, bool]]:
    """Sentences, lines and blocks of code: where each begins and ends, and if it is a heading."""
    found: list[tuple[int, int, bool]] = []
    fence_start, fence = 0, ""
    at = 0
    for line in text.splitlines(keepends=True):
        end = at + len(line)
        mark = line.lstrip()[:3]
        if fence:
            if mark == fence:
                found += _block(text, fence_start, end)
                fence = ""
        elif mark in _FENCE:
            fence, fence_start = mark, at
        elif re.match(_HEADING, line):
            found.append((at, end, True))
        elif line.strip():
            found += _sentences(text, at, end)
        at = end
    if fence:
        found += _block(text, fence_start, at)
    return found


def _block(text: str, start: int, end: int) -> list[tuple[int, int, bool]]:
    """A block of code: whole, or by lines when it is long."""
    if end - start <= BREAK_CHARACTERS:
        return [(start, end, False)]
    found: list[tuple[int, int, bool]] = []
    for line in text[start:end].splitlines(keepends=True):
        found += _broken(text, start, start + len(line))
        start += len(line)
    return found


def _sentences(text: str, start: int, end: int) -> list[tuple[int, int, bool]]:
    found: list[tuple[int, int, bool]] = []
    begin = start
    for match in re.finditer(_SENTENCE_END, text[start:end]):
        stop = start + match.end()
        if re.fullmatch(_LIST_NUMBER, text[begin:stop]) is None:
            found += _broken(text, begin, stop)
            begin = stop
    return found + _broken(text, begin, end)


def _broken(text: str, start: int, end: int) -> list[tuple[int, int, bool]]:
    """One piece, or several when it is too long, cut at a space where there is one."""
    found: list[tuple[int, int, bool]] = []
    while end - start > BREAK_CHARACTERS:
        space = text.rfind(" ", start + 1, start + BREAK_CHARACTERS)
        stop = space + 1 if space > start else start + BREAK_CHARACTERS
        found.append((start, stop, False))
        start = stop
    if end > start:
        found.append((start, end, False))
    return found


def _grouped(
    pieces: list[tuple[int, int, bool]], counts: list[int], least: int
) -> list[tuple[int, int]]:
    """Pieces joined until they have enough words; a heading goes with what it is the heading of."""
    groups: list[tuple[int, int]] = []
    first: int | None = None
    reached, words = 0, 0
    for (start, end, heading), count in zip(pieces, counts, strict=True):
        if heading and first is not None and words > least // 2:
            groups.append((first, reached))
            first, words = None, 0
        first = start if first is None else first
        reached, words = end, words + count
        if words >= least and not heading:
            groups.append((first, reached))
            first, words = None, 0
    if first is not None:
        if groups and words < least // 2 + 1:
            groups[-1] = (groups[-1][0], reached)
        else:
            groups.append((first, reached))
    return groups
