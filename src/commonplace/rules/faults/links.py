"""Find the links of notes that lead to no note and no file."""

from __future__ import annotations

import posixpath
import re
from urllib.parse import unquote

from ...model.value import Value
from ...notes.wikilinks import blank_code, last_part, normalized_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_WIKILINK = re.compile(r"(?<!\\)!?\[\[(?P<note>[^\[\]\n|#]+)(?:[|#\\][^\[\]\n]*)?\]\]")
_INLINE = re.compile(
    r"(?<!\\)!?\[[^\[\]\n]*\]\(\s*(?:<(?P<spaced>[^<>\n]+)>|(?P<file>[^()\s<>]+(?:\([^()\s]*\)[^()\s]*)*))"
    r"(?:\s+[\"'(][^\n)]*)?\s*\)"
)
_REFERENCE = re.compile(r"(?m)^ {0,3}\[(?!\^)[^\]\n]+\]:\s+<?(?P<file>[^\s<>]+)>?")
_ELSEWHERE = re.compile(r"(?i)^(?:[a-z][a-z0-9+.-]*:|[#/~?]|$)|[{}<>…]|\.\.\.")
"""Addresses, places in the same note, absolute paths and placeholders."""
_ENDINGS = ("", ".md", ".markdown", "/index.md", "/README.md", ".html")
"""A link may leave out the end of a file's name."""


class DeadLink(Value):
    """A link that leads nowhere, as written in a line of a file."""

    line: int
    written: str


class NoteNames:
    """The names by which the notes and files of a store are linked to."""

    def __init__(self, files: Iterable[str]) -> None:
        self._names: set[str] = set()
        for file in files:
            path = normalized_name(file)
            self._names |= {path, last_part(path)}
            parts = path.split("/")
            # Obsidian takes any end of a path.
            self._names.update("/".join(parts[at:]) for at in range(1, len(parts) - 1))

    def add(self, names: Iterable[str]) -> None:
        """Add the titles and other names of a note."""
        self._names.update(normalized_name(name) for name in names if name)

    def has(self, target: str, *, folder: str) -> bool:
        """Whether a wikilink in a note of a folder leads to one of them."""
        name = normalized_name(target)
        inside = normalized_name(posixpath.normpath(posixpath.join(folder, target)))
        return not self._names.isdisjoint((name, inside)) or bool(_ELSEWHERE.search(target))


def dead_links(
    file: str, text: str, *, names: NoteNames, exists: Callable[[str], bool]
) -> Iterator[DeadLink]:
    """The dead links of a file; `exists` tells whether the store has a path."""
    folder = posixpath.dirname(file)
    prose = blank_code(text)
    found: list[tuple[int, str]] = []
    for link in _WIKILINK.finditer(prose):
        target = link["note"].strip()
        if target and not names.has(target, folder=folder):
            found.append((link.start(), link[0]))
    for pattern in (_INLINE, _REFERENCE):
        for link in pattern.finditer(prose):
            target = link.groupdict().get("spaced") or link["file"]
            if target and _is_file(target) and not _leads(target, folder, exists):
                found.append((link.start(), link[0].strip()))
    for start, written in sorted(found):
        yield DeadLink(text.count("\n", 0, start) + 1, written)


def _is_file(target: str) -> bool:
    """Whether a target is a path beside the note; a bare word in brackets may be anything."""
    return not _ELSEWHERE.search(target) and ("." in target or "/" in target)


def _leads(target: str, folder: str, exists: Callable[[str], bool]) -> bool:
    bare = re.split(r"[#?]", target, maxsplit=1)[0]
    paths = {posixpath.normpath(posixpath.join(folder, one)) for one in (bare, unquote(bare))}
    return any(exists(path + ending) for path in paths for ending in _ENDINGS)
