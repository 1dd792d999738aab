"""Files and folders below /memories, stored as memories, so that recall finds them.

A file's memory has its path as key and alias, and its exact text as content. A folder exists
because a file is in it; one memory lists the empty folders.
"""

from __future__ import annotations

import json
import re
import unicodedata

from ...model.errors import BadLocator
from .conversations import Documents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ...book import Commonplace
    from ...model.memory import Draft, Memory


ROOT = "/memories"
MOST_CHARACTERS = 200
_ENCODED = re.compile(r"%(?:2e|2f|5c|00|25)", re.IGNORECASE)
"""A percent-encoded dot, slash, backslash, NUL or percent sign."""

Parts = tuple[str, ...]


def parts_of(path: str) -> Parts:
    """The names of a path below /memories; none for /memories itself."""
    if path != ROOT and not path.startswith(f"{ROOT}/"):
        raise BadLocator(f"Path must start with {ROOT}, got: {path}")
    # Some letters become dots and slashes when a system normalizes them.
    plain = unicodedata.normalize("NFKC", path)
    names = [name for name in plain[len(ROOT) :].split("/") if name]
    if ".." in names:
        raise BadLocator(f"Path {path} would escape {ROOT} directory")
    strange = any(unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") for c in path)
    if strange or "\\" in plain or _ENCODED.search(plain):
        raise BadLocator(
            f"Path {path!r} contains a forbidden character.",
            hint="Use plain names, with a slash between them.",
        )
    if any(name.startswith(".") or name != name.strip() for name in names):
        raise BadLocator(
            f"Path {path!r} has a hidden name, or one with a space at its end.",
            hint="Begin each name with a letter or a digit.",
        )
    if len(path) > MOST_CHARACTERS:
        raise BadLocator(
            f"The path has {len(path)} characters; it may have {MOST_CHARACTERS}.",
            hint="Choose shorter names.",
        )
    return tuple(name for name in path[len(ROOT) :].split("/") if name)


def path_of(parts: Parts) -> str:
    """The path of these names."""
    return "/".join((ROOT, *parts))


KIND = "memory-file"
NAMESPACE = "memories"
BLANK = "A file without any text."
"""Content for a file of white space only, which no memory can have."""
HEADING = f"Empty folders of {ROOT}:"


class MemoryFiles:
    """The files as they are now; created anew for each command."""

    def __init__(self, book: Commonplace) -> None:
        self._documents = Documents(book, KIND)
        self._files: dict[Parts, Memory] = {}
        self._noted: Memory | None = None
        for memory in self._documents.every():
            if memory.key == ROOT:
                self._noted = self._noted or memory
            elif parts := _place(memory.key or ""):
                self._files.setdefault(parts, memory)
        self._folders: set[Parts] = {(), *_folders(self._files), *_noted(self._noted)}

    def is_file(self, parts: Parts) -> bool:
        """Whether a file exists."""
        return parts in self._files

    def is_folder(self, parts: Parts) -> bool:
        """Whether a folder exists."""
        return parts in self._folders

    def exists(self, parts: Parts) -> bool:
        """Whether a file or a folder exists."""
        return self.is_file(parts) or self.is_folder(parts)

    def below_a_file(self, parts: Parts) -> bool:
        """Whether a file is where a folder would have to be."""
        return any(parts[:depth] in self._files for depth in range(len(parts)))

    def text(self, parts: Parts) -> str:
        """The text of a file."""
        return _text(self._files[parts])

    def inside(self, folder: Parts) -> Iterator[Parts]:
        """Files and folders directly in a folder, by name."""
        everything = self._folders | self._files.keys()
        yield from sorted(one for one in everything if one and one[:-1] == folder)

    def write(self, parts: Parts, text: str) -> None:
        """Write a file; the old text stays in its history."""
        saved = self._documents.book.save_many([self._draft(parts, text, self._files.get(parts))])
        self._files[parts] = saved[0].memory
        self.make_folders(parts[:-1])

    def make_folders(self, parts: Parts) -> None:
        """Create a folder and its parents."""
        self._folders.update(parts[:depth] for depth in range(len(parts) + 1))
        self._save_empty_folders()

    def remove(self, parts: Parts) -> None:
        """Forget a file, or a folder with all files in it; each can be restored by its id."""
        for path in [path for path in self._files if _within(path, parts)]:
            self._documents.book.forget(self._files.pop(path).id)
        self._folders -= {path for path in self._folders if path and _within(path, parts)}
        self._save_empty_folders()

    def move(self, old: Parts, new: Parts) -> None:
        """Move a file, or a folder with all files in it."""
        moving = {path: one for path, one in self._files.items() if _within(path, old)}
        moved = {path: new + path[len(old) :] for path in moving}
        drafts = [self._draft(moved[path], _text(one), one) for path, one in moving.items()]
        saved = self._documents.book.save_many(drafts)
        for path, one in zip(moving, saved, strict=True):
            del self._files[path]
            self._files[moved[path]] = one.memory
        self._folders = {
            new + path[len(old) :] if _within(path, old) else path for path in self._folders
        }
        self.make_folders(new[:-1])

    def _draft(self, parts: Parts, text: str, known: Memory | None) -> Draft:
        path, blank = path_of(parts), not text.strip()
        return self._documents.draft(
            BLANK if blank else text,
            known,
            key=path,
            value=json.dumps(text) if blank else None,
            namespace=NAMESPACE,
            aliases=(path,),
        )

    def _save_empty_folders(self) -> None:
        """Update the memory that lists the empty folders."""
        empty = sorted(self._folders - {(), *_folders(self._files)})
        if set(empty) == set(_noted(self._noted)):
            return
        book = self._documents.book
        if not empty and self._noted is not None:
            book.forget(self._noted.id)
            self._noted = None
            return
        lines = [HEADING, "", *(f"- {path_of(folder)}" for folder in empty)]
        draft = self._documents.draft(
            "\n".join(lines), self._noted, key=ROOT, namespace=NAMESPACE, tier="archive"
        )
        self._noted = book.save_many([draft])[0].memory


def _text(memory: Memory) -> str:
    if memory.value is None:
        return memory.content
    try:
        return str(json.loads(memory.value))
    except ValueError:
        return memory.value  # A person has edited it since.


def _folders(files: Iterable[Parts]) -> Iterator[Parts]:
    for path in files:
        yield from (path[:depth] for depth in range(1, len(path)))


def _noted(memory: Memory | None) -> Iterator[Parts]:
    for line in memory.content.splitlines() if memory else ():
        if line.startswith(f"- {ROOT}/") and (parts := _place(line[2:])):
            yield parts


def _place(path: str) -> Parts:
    """The names of a path; none if a person has replaced it by something else."""
    try:
        return parts_of(path)
    except BadLocator:
        return ()


def _within(path: Parts, folder: Parts) -> bool:
    return path[: len(folder)] == folder
