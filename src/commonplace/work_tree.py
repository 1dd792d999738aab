"""The files of a project's folder, read within limits and never outside of it.

A work tree may be anybody's: a link that leads out of it is not followed, and a pipe, a device, a
binary or a very large file is not read. Walks are cut off by their number of files and their time.
"""

from __future__ import annotations

import os
import stat
from itertools import islice
from time import monotonic, thread_time

from .model.value import Value
from .rules.anchors.anchor import is_tree_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_BYTES = 1_000_000
"""Bytes of a file that is read."""
MOST_FILES = 5_000
"""Files that a walk lists."""
MOST_DEPTH = 20
SKIPPED = frozenset((
    "node_modules", "__pycache__", "venv", "env", "dist", "build", "target", "vendor", "site",
    "coverage", "htmlcov", "bower_components", "third_party", "Pods", "DerivedData", "out",
))  # fmt: skip
"""Folders of files that nobody wrote by hand."""


BUSY = 10
"""Seconds on the clock for each second of processor time, on a machine that others use too."""


class TimeLimit:
    """Processor time that somebody may take; the clock alone would cut it on a busy machine."""

    def __init__(self, seconds: float) -> None:
        self._processor = thread_time() + seconds
        self._clock = monotonic() + BUSY * seconds

    def is_over(self) -> bool:
        """Whether the time is spent, or has passed while others had the machine or the disk."""
        return thread_time() >= self._processor or monotonic() >= self._clock

    def clock_left_s(self) -> float:
        """Seconds on the clock that are left, for work that another process does."""
        return max(0.0, self._clock - monotonic())


class Walked(Value):
    """The files of a work tree."""

    paths: tuple[str, ...]
    whole: bool
    """False if there were too many, or they took too long."""


class WorkTree:
    """Reads the files below one folder, each of them once."""

    def __init__(self, top: str, folder: str = "") -> None:
        self.top = os.path.realpath(top)
        inside = os.path.relpath(os.path.realpath(folder or top), self.top)
        self._below = "" if inside == "." or inside.startswith("..") else f"{inside}/"
        """The folder that somebody works in, for paths that begin there."""
        self._texts: dict[str, str | None] = {}
        self._reals: dict[str, str] = {}
        self._walked: Walked | None = None

    def resolve(self, written: str) -> str | None:
        """The path of a file or folder as a text names it; None if there is no such thing.

        It may be absolute, begin at the top or at the folder that somebody works in.
        """
        if os.path.isabs(written):
            inside = os.path.relpath(written, self.top)
            return self.kind(inside) and self._as_kind(inside)
        for path in dict.fromkeys((written, f"{self._below}{written}".replace(os.sep, "/"))):
            if self.kind(path):
                return self._as_kind(path)
        return None

    def _as_kind(self, path: str) -> str:
        path = path.rstrip("/")
        return f"{path}/" if self.kind(path) == "folder" else path

    def kind(self, path: str) -> str:
        """`file` or `folder`; empty for anything else, or if it is not inside of the tree."""
        if not is_tree_path(path):
            return ""
        real = self._real(path)
        try:
            mode = os.stat(real).st_mode if real else 0
        except (OSError, ValueError):
            return ""
        return "file" if stat.S_ISREG(mode) else "folder" if stat.S_ISDIR(mode) else ""

    def stamp(self, path: str) -> tuple[str, int, int] | None:
        """Real path, time and size of a file: equal as long as nobody writes it."""
        real = self._real(path) if is_tree_path(path) else ""
        try:
            found = os.stat(real) if real else None
        except (OSError, ValueError):
            return None
        return (real, found.st_mtime_ns, found.st_size) if found else None

    def read(self, path: str) -> str | None:
        """The text of a file; None if there is none, or it is binary, too large or unreadable."""
        if path not in self._texts:
            data = self._bytes(path)
            text = None if data is None or b"\0" in data else data.decode("utf-8", "replace")
            self._texts[path] = text and text.replace("\r\n", "\n")
        return self._texts[path]

    def _bytes(self, path: str) -> bytes | None:
        real = self._real(path) if is_tree_path(path) else ""
        try:
            # A pipe would keep this process waiting for a writer.
            file = os.open(real, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)) if real else -1
        except (OSError, ValueError):
            return None
        if file < 0:
            return None
        try:
            found = os.fstat(file)
            if not stat.S_ISREG(found.st_mode) or found.st_size > MOST_BYTES:
                return None
            return os.read(file, MOST_BYTES)
        except OSError:
            return None
        finally:
            os.close(file)

    def _real(self, path: str) -> str:
        """Where a path leads, if that is inside of the tree; else empty."""
        if path not in self._reals:
            try:
                real = os.path.realpath(os.path.join(self.top, path))
            except (OSError, ValueError):
                real = ""
            inside = real.startswith(self.top.rstrip(os.sep) + os.sep)
            self._reals[path] = real if inside else ""
        return self._reals[path]

    def walk(self, limit: TimeLimit) -> Walked:
        """The files of the tree without links and folders of products; listed once."""
        if self._walked is None:
            paths: list[str] = []
            whole = True
            for path in self._below_folder("", 0):
                paths.append(path)
                if len(paths) >= MOST_FILES or limit.is_over():
                    whole = False
                    break
            self._walked = Walked(tuple(paths), whole)
        return self._walked

    def _below_folder(self, folder: str, depth: int) -> Iterator[str]:
        try:
            with os.scandir(os.path.join(self.top, folder)) as found:
                entries = sorted(islice(found, MOST_FILES), key=lambda one: one.name)
        except OSError:
            return
        inner: list[str] = []
        for one in entries:
            path = f"{folder}{one.name}"
            try:
                if one.is_symlink() or not is_tree_path(path):
                    continue
                if one.is_file():
                    yield path
                elif one.is_dir() and _is_walked(one.name):
                    inner.append(path)
            except OSError:
                continue
        for path in inner if depth < MOST_DEPTH else ():
            yield from self._below_folder(f"{path}/", depth + 1)


def _is_walked(name: str) -> bool:
    return name == ".github" or not (name.startswith(".") or name in SKIPPED)
