"""Lists the notes of a vault by names and file times, without reading any."""

from __future__ import annotations

import os
import stat

# `operator` makes the same in Python first, which takes a cold start longer.
from _operator import attrgetter

from ...notes.layout import ATTACHMENTS, MAP, META, SHELVES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_MASK = (1 << 63) - 1
_STAT_FIELDS = attrgetter("st_ino", "st_mtime_ns", "st_size", "st_ctime_ns")
_BY_HANDLE = os.stat in os.supports_dir_fd and os.listdir in os.supports_fd
_FOLDER_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)


LARGE = 5_000
"""A vault with more notes is large: answers from it do not wait for a look at each file."""


def stat_hash(found: os.stat_result) -> int:
    """A hash of inode, times and size; a folder's signature is the sum of its files' hashes."""
    return hash(_STAT_FIELDS(found)) & _MASK


def folder_time(found: os.stat_result) -> int:
    """A time that changes with every name in a folder, also if a copy sets the folder's time."""
    return max(found.st_mtime_ns, found.st_ctime_ns)


class Listing:
    """The notes of one folder, and two numbers that stay the same while none of them changes."""

    __slots__ = ("folder", "modified", "names", "signature", "stats")

    def __init__(
        self, folder: str, modified: int, names: list[str], stats: list[os.stat_result]
    ) -> None:
        self.folder = folder
        self.modified = modified
        self.names = names
        self.stats = stats
        # A sum, so that a writer can bring it up to date without listing the folder again.
        self.signature = sum(map(hash, map(_STAT_FIELDS, stats))) & _MASK

    def without(self, name: str) -> Listing:
        """This listing without one name."""
        kept = [(n, s) for n, s in zip(self.names, self.stats, strict=True) if n != name]
        return Listing(self.folder, self.modified, [n for n, _ in kept], [s for _, s in kept])

    def files(self) -> Iterator[tuple[str, int, os.stat_result]]:
        """Path, stat hash and file status of each note."""
        start = f"{self.folder}/" if self.folder else ""
        for name, found in zip(self.names, self.stats, strict=True):
            yield start + name, stat_hash(found), found


def walk(
    root: str,
    blocked: dict[str, str],
    first: Collection[str] = ("",),
    known: Collection[str] = (),
) -> Iterator[Listing]:
    """Folders that may hold notes: the `first` ones and those below, without `known` ones below.

    `blocked` gets each path that cannot be read, and why.
    """
    waiting = list(first)
    while waiting:
        folder = waiting.pop()
        try:
            listing, inner = _list(root, folder)
        except (FileNotFoundError, NotADirectoryError):
            if not folder:
                raise
            continue
        except PermissionError:
            if not folder:
                raise
            blocked[folder] = "This folder may not be opened."
            continue
        start = f"{folder}/" if folder else ""
        for name in _not_text([*listing.names, *inner]):
            blocked[start + ascii(name)] = "This is not read: its name is not UTF-8."
            listing, inner = listing.without(name), [other for other in inner if other != name]
        yield listing
        waiting += [path for name in inner if (path := start + name) not in known]


def holds_more(root: str, most: int) -> bool:
    """Whether a vault has more notes than `most`, by names alone; stops once that is known."""
    waiting, count = [root], 0
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                name = entry.name
                if name[-3:] == ".md":
                    count += 1
                elif _may_hold_notes(name) and entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                if count > most:
                    return True
    return False


def _list(root: str, folder: str) -> tuple[Listing, list[str]]:
    path = os.path.join(root, folder) if folder else root
    if not _BY_HANDLE:
        return _sorted_out(folder, os.stat(path), os.listdir(path), path, None)
    # The root itself may be reached through a link; nothing below it may.
    handle = os.open(path, _FOLDER_FLAGS)
    try:
        return _sorted_out(folder, os.fstat(handle), os.listdir(handle), path, handle)
    finally:
        os.close(handle)


def _sorted_out(
    folder: str, itself: os.stat_result, names: list[str], path: str, handle: int | None
) -> tuple[Listing, list[str]]:
    notes = [name for name in names if name[-3:] == ".md" and name[0] != "." and name != MAP]
    try:
        stats = [os.stat(name, dir_fd=handle, follow_symlinks=False) for name in notes]
    except (FileNotFoundError, TypeError, NotImplementedError):
        notes, stats = _one_by_one(path, notes)
    inner: list[str] = []
    # Most folders hold notes alone, and a second pass over ten thousand names takes its time.
    others = [name for name in names if name[-3:] != ".md"] if len(notes) < len(names) else []
    for name in others:
        if not _may_hold_notes(name):
            continue
        try:
            found = os.lstat(os.path.join(path, name))
        except FileNotFoundError:
            continue
        if stat.S_ISDIR(found.st_mode):
            inner.append(name)
        elif stat.S_ISLNK(found.st_mode) and os.path.isdir(os.path.join(path, name)):
            notes.append(name)
            stats.append(found)
    return Listing(folder, folder_time(itself), notes, stats), inner


def _may_hold_notes(folder: str) -> bool:
    return folder[0] != "." and (folder[0] != "_" or folder in SHELVES)


def _one_by_one(path: str, names: list[str]) -> tuple[list[str], list[os.stat_result]]:
    """The slow way, for a note that vanishes while its folder is listed."""
    found: list[tuple[str, os.stat_result]] = []
    for name in names:
        try:
            found.append((name, os.lstat(os.path.join(path, name))))
        except FileNotFoundError:
            continue
    return [name for name, _ in found], [stats for _, stats in found]


def _not_text(names: list[str]) -> list[str]:
    if "".join(names).isascii():
        return []
    return [name for name in names if any("\ud800" <= c <= "\udfff" for c in name)]


def temporary_files(root: str, *, before_s: float | None = None) -> Iterator[str]:
    """Temporary files of killed writers: all, or those older than `before_s`."""
    for folder, inner, names in os.walk(root):
        inner[:] = [
            n for n in inner if n[0] != "." and (n[0] != "_" or n in (*SHELVES, META, ATTACHMENTS))
        ]
        for name in names:
            path = os.path.join(folder, name)
            if not (name[0] == "." and name.endswith(".tmp") and ".md." in name):
                continue
            try:
                if before_s is None or os.lstat(path).st_mtime < before_s:
                    yield path
            except FileNotFoundError:
                continue


def attachment_files(root: str) -> Iterator[str]:
    """Every attachment of the vault, as a path below its root."""
    for folder, inner, names in os.walk(root):
        inner[:] = [
            n for n in inner if n[0] != "." and (n[0] != "_" or n in (*SHELVES, ATTACHMENTS))
        ]
        if os.path.basename(folder) == ATTACHMENTS:
            below = os.path.relpath(folder, root).replace(os.sep, "/")
            yield from (
                f"{below}/{name}" for name in names if name[-3:] == ".md" and name[0] != "."
            )
