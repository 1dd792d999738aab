"""A power cut, played on this process: the writes below a folder that were never synced are lost.

A killed process loses nothing that it wrote, because the system keeps it in memory and writes it
later; a machine without power does. `PowerCut` notes every file and name that this process changes
below the folder, forgets those that `os.fsync` made durable, and takes the others back.
Databases write past Python; those of a device lose their log, which nothing made durable either.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress

from ...model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    import random
    from typing import Any

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


class NameChange(Value):
    """A name that is new, replaced or gone, and not durable until its folder is synced."""

    path: str
    before: bytes | None
    """The bytes that the name had; None if there was no such file."""
    made_folder: bool = False


class PowerCut:
    """Watches this process from now on; `lose_unsynced` takes back what is not durable."""

    def __init__(self, folder: str, state: str, chance: random.Random) -> None:
        self._chance = chance
        self._state = state
        self._root = os.path.join(os.path.realpath(folder), "")
        self._opened: dict[int, str] = {}
        self._unsynced: dict[str, bytes] = {}
        """Bytes of each file as they were when it was last synced."""
        self._names: list[NameChange] = []
        self._real = {
            name: getattr(os, name)
            for name in ("open", "fsync", "replace", "link", "unlink", "mkdir")
        }
        for name in self._real:
            setattr(os, name, getattr(self, f"_{name}"))

    def lose_unsynced(self) -> None:
        """Take back every change that no sync made durable, the newest first."""
        for name, real in self._real.items():
            setattr(os, name, real)
        for path, durable in self._unsynced.items():
            if (now := _bytes(path)) is not None:
                # Some of what was added may have reached the disk by itself.
                some = self._chance.randint(len(durable), max(len(now), len(durable)))
                _put(path, now[:some] if now.startswith(durable) else durable)
        for change in reversed(self._names):
            if change.made_folder:
                shutil.rmtree(change.path, ignore_errors=True)
            elif change.before is None:
                with suppress(FileNotFoundError):
                    os.unlink(change.path)
            elif os.path.isdir(os.path.dirname(change.path)):
                _put(change.path, change.before)

        for folder, _, names in os.walk(self._state):
            for name in names:
                if name.endswith(("-wal", "-shm")):
                    os.unlink(os.path.join(folder, name))

    def _open(self, path: Any, flags: int, *rest: Any, **named: Any) -> int:
        name = self._watched(path) if flags & _WRITING else ""
        new, before = not os.path.exists(path), _bytes(name) or b""
        file: int = self._real["open"](path, flags, *rest, **named)
        self._opened[file] = str(path)
        if name:
            self._unsynced.setdefault(name, before)
            if new:
                self._names.append(NameChange(name, None))
        return file

    def _fsync(self, file: Any) -> None:
        self._real["fsync"](file)
        path = self._opened.get(file if isinstance(file, int) else file.fileno(), "")
        self._unsynced.pop(path, None)
        folder = path.rstrip(os.sep)
        self._names = [one for one in self._names if os.path.dirname(one.path) != folder]

    def _replace(self, source: Any, target: Any, **named: Any) -> None:
        name = self._watched(target)
        before = _bytes(name)
        self._real["replace"](source, target, **named)
        if name:
            self._forget_name(str(source))
            self._names.append(NameChange(name, before))
            if (durable := self._unsynced.pop(str(source), None)) is not None:
                self._unsynced[name] = durable

    def _link(self, source: Any, target: Any, **named: Any) -> None:
        self._real["link"](source, target, **named)
        if name := self._watched(target):
            self._names.append(NameChange(name, None))

    def _unlink(self, path: Any, **named: Any) -> None:
        name = self._watched(path)
        before = _bytes(name)
        self._real["unlink"](path, **named)
        self._unsynced.pop(name, None)
        if name and not self._forget_name(name):
            self._names.append(NameChange(name, before))

    def _mkdir(self, path: Any, *rest: Any, **named: Any) -> None:
        self._real["mkdir"](path, *rest, **named)
        if name := self._watched(path):
            self._names.append(NameChange(name, None, made_folder=True))

    def _watched(self, path: Any) -> str:
        """The path, if it lies below the folder."""
        return path if isinstance(path, str) and path.startswith(self._root) else ""

    def _forget_name(self, path: str) -> bool:
        """Forget a temporary name, which nobody misses; says whether it was one."""
        known = [one for one in self._names if one.path == path and one.before is None]
        self._names = [one for one in self._names if one not in known]
        return bool(known)


def _bytes(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


def _put(path: str, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)
