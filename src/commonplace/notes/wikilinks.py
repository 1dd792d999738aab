"""Obsidian's `[[links]]` in a text: finding them, and renaming what they point to."""

from __future__ import annotations

from ..model.lazy_pattern import lazy
from ..model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Collection, Iterator


_FENCE = r"^[ \t>]*(?P<fence>`{3,}+|~{3,}+)[^\n]*\n(?:.*?^[ \t>]*(?P=fence)[`~]*[ \t]*$|.*)"
_CODE = r"(?<!`)(?P<ticks>`++)(?:[^\n]|\n(?![ \t]*\n))*?(?<!`)(?P=ticks)(?!`)"
_COMMENT = r"%%.*?%%"
_LINK = r"(?<!\\)(?P<embed>!?)\[\[(?P<inside>(?![ \t]*\]\])[^\[\]\n]+)\]\]"
_PARTS = lazy(f"(?ms){_FENCE}|{_CODE}|{_COMMENT}|{_LINK}")
"""Code and comments come first, so that a link inside them is passed over."""


class Wikilink(Value):
    """One link as written."""

    target: str
    """The note's name; empty for a link to a heading of the same note."""
    heading: str | None = None
    """`Heading`, `Heading#Subheading` or `^block`."""
    alias: str | None = None
    embed: bool = False


def find_links(text: str) -> list[Wikilink]:
    """Every link of a text, in order; those in code and comments are not links."""
    return [_read(found) for found in _found(text)]


def blank_code(text: str) -> str:
    """The text with spaces in place of its code and comments; lines and places stay."""
    pieces: list[str] = []
    done = 0
    for part in _PARTS.finditer(text):
        if part["inside"] is None:
            blank = "".join(one if one == "\n" else " " for one in part[0])
            pieces += [text[done : part.start()], blank]
            done = part.end()
    return "".join([*pieces, text[done:]])


def rename_links(text: str, old_names: Collection[str], new_name: str) -> str:
    """The text with links to any of the old names leading to the new one; all else as it was."""
    old = {normalized_name(name) for name in old_names}
    pieces: list[str] = []
    done = 0
    for found in _found(text):
        target = _read(found).target
        if target and normalized_name(target) in old:
            start = found.start("inside") + found["inside"].index(target)
            pieces += [text[done:start], new_name]
            done = start + len(target)
    return "".join([*pieces, text[done:]])


def readable_links(text: str, name: Callable[[str], str]) -> str:
    """The text with words in place of its links: the alias, else `name` of the target."""
    pieces: list[str] = []
    done = 0
    for found in _found(text):
        link = _read(found)
        words = link.alias or (name(link.target) if link.target else link.heading or "")
        pieces += [text[done : found.start()], words]
        done = found.end()
    return "".join([*pieces, text[done:]])


def normalized_name(name: str) -> str:
    """A name as links compare it: without case, accents' encoding, extra spaces or `.md`."""
    if not name.isascii():
        import unicodedata

        name = unicodedata.normalize("NFC", name)
    return " ".join(name.casefold().removesuffix(".md").split()).strip("/")


def last_part(name: str) -> str:
    """`Note` of `folder/Note`."""
    return name.rpartition("/")[2]


def _found(text: str) -> Iterator[re.Match[str]]:
    if "[[" not in text:
        return iter(())
    return (part for part in _PARTS.finditer(text) if part["inside"] is not None)


def _read(found: re.Match[str]) -> Wikilink:
    # Inside a table the bar is written `\|`.
    place, bar, alias = found["inside"].replace("\\|", "|").partition("|")
    target, hash_, heading = place.partition("#")
    return Wikilink(
        target.strip(),
        heading.strip() if hash_ else None,
        alias.strip() if bar else None,
        bool(found["embed"]),
    )
