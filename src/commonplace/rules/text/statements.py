"""A text as the statements it makes, each with what stood before it, so that it can be rebuilt.

Lines, list items and sentences are statements; a wrapped paragraph is read as one line, and a
block of code, a quote or a table stays whole.
"""

from __future__ import annotations

import re
from itertools import islice

from ...value import Value
from ..identity import normalized

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

WRAPPED_CHARACTERS = 60
"""A line this long probably goes on in the next one."""

_FENCE = re.compile(r"[ \t]{0,3}(`{3,}|~{3,})")
_WHOLE = re.compile(r"[ \t]{0,3}(?:>|\|)")
_BULLET = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]|[ \t]*\*\*[^*\n]+\*\*:?[ \t]*$")
_END = re.compile(r"(?<=[.!?…])[\"'”’»)\]]*[ \t\n]+|(?<=[。！？｡])(?=[^」』）\"”。！？｡])")
_SHORT_FORM = re.compile(
    r"(?i)(?:^|[\s(])(?:dr|mr|mrs|ms|prof|st|no|nr|vs|etc|e\.g|i\.e|z\.b|d\.h|u\.a|p\.ej|bzw|ca|cf"
    r"|approx|fig|vol|inc|ltd|bspw|[a-z])\.$"
)
"""A dot after one of these ends a word, not a sentence."""
_ORDINAL = re.compile(
    r"\d{1,2}\.\s+(?:[a-zäöü]|Jan|Feb|März|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez|Jahrh|Stock)"
)
"""So goes a German date on after its dot."""
_EMPHASIS = re.compile(r"\*\*|__|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)")


class Statement(Value):
    """One sentence, list item, heading or block, as it stands in its text."""

    text: str
    """Without the bullet that opens its line."""
    before: str = ""
    """The white space and the bullet between it and the statement before."""
    heading: bool = False
    block: bool = False
    """Code, a quote or a table: kept whole, and not read as prose."""

    @property
    def key(self) -> str:
        """Equal for two statements that say the same in the same words."""
        if self.block:
            return self.text.strip()
        return normalized(_EMPHASIS.sub("", self.text))


def split(text: str, *, most: int | None = None) -> tuple[Statement, ...]:
    """Every statement of a text, or the first ones, in order."""
    return tuple(islice(_found(text), most))


def sentences(text: str) -> list[str]:
    """What a text says in prose: its statements without headings, code, quotes and tables."""
    return list(read(text))


def read(text: str) -> Iterator[str]:
    """The sentences one after another, for who may not need them all."""
    return (one.text for one in _found(text) if not one.block and not one.heading)


def together(statements: Iterable[Statement]) -> str:
    """The statements as one text again."""
    made: list[str] = []
    for one in statements:
        before = one.before
        if not made:
            before = before.lstrip("\n")
        made += (before, one.text)
    return "".join(made).strip("\n")


def exchanged(text: str, wrong: Iterable[Statement], right: str) -> str:
    """The text with what is right in the place of statements that are wrong, once.

    The same text when it makes none of them.
    """
    keys = {one.key for one in wrong}
    said = split(text)
    kept: list[Statement] = []
    for one in said:
        if one.key not in keys:
            kept.append(one)
        elif right:
            open_end = len(said) > 1 and _ends(one.text) and not _ends(right)
            kept.append(one.but(text=f"{right.rstrip()}." if open_end else right))
            right = ""
    return text if kept == list(said) else together(kept).strip()


def _ends(text: str) -> bool:
    return text.rstrip()[-1:] in tuple(".!?。！？")


def _found(text: str) -> Iterator[Statement]:
    gap = ""
    for lines, kind in _paragraphs(text):
        if kind == "gap":
            gap += lines
            continue
        indent = lines[: len(lines) - len(lines.lstrip(" \t"))]
        body = lines.strip("\n") if kind == "block" else lines.strip()
        gap = gap if kind == "block" else gap + indent
        ending = lines[len(lines.rstrip()) :]
        if kind == "prose":
            yield from _sentences(body, gap)
        else:
            yield Statement(body, gap, heading=kind == "heading", block=kind == "block")
        gap = ending if "\n" in ending else f"{ending}\n"


def _paragraphs(text: str) -> Iterator[tuple[str, str]]:
    """Lines that belong together, and whether they are prose, a heading, a block or a gap."""
    kept, kind, fence = "", "", ""
    for line in text.splitlines(keepends=True):
        if fence:
            kept += line
            if line.strip().startswith(fence) and not line.strip("`~ \t\r\n"):
                yield kept, "block"
                kept, fence = "", ""
            continue
        found = _kind(line)
        mark = _FENCE.match(line)
        if kept and (mark or found != kind or not _continues(kept, line, found)):
            yield kept, kind
            kept = ""
        kept, kind, fence = kept + line, found, mark[1] if mark else ""
    if kept:
        yield kept, kind


def _kind(line: str) -> str:
    if not line.strip():
        return "gap"
    if _FENCE.match(line) or _WHOLE.match(line):
        return "block"
    return "heading" if _HEADING.match(line) else "prose"


def _continues(kept: str, line: str, kind: str) -> bool:
    """Whether a line belongs to the lines before it, which are of the same kind."""
    if kind in ("gap", "block"):
        return True
    last = kept.rstrip("\n").rpartition("\n")[2]
    return kind == "prose" and len(last) >= WRAPPED_CHARACTERS and not _BULLET.match(line)


def _goes_on(text: str, begin: int, stop: int) -> bool:
    """Whether the dot here is not the end of the sentence."""
    # A short form and what stands before it; looking at all of the sentence takes too long.
    if _SHORT_FORM.search(text[max(begin, stop - 8) : stop]):
        return True
    return any(_ORDINAL.match(text, at) for at in (stop - 3, stop - 2) if at >= begin)


def _sentences(text: str, gap: str) -> Iterator[Statement]:
    bullet = _BULLET.match(text)
    if bullet and bullet.end() < len(text):
        gap, text = gap + bullet[0], text[bullet.end() :]
    begin = 0
    for end in _END.finditer(text):
        stop = end.start() + len(end[0].rstrip())
        if end.end() >= len(text) or _goes_on(text, begin, stop):
            continue
        yield Statement(text[begin:stop], gap)
        begin, gap = end.end(), text[stop : end.end()]
    if text[begin:]:
        yield Statement(text[begin:], gap)
