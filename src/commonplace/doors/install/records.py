"""What hosts' files were before we changed them, so that all of it can be undone."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ...value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

_RECORD = "changed.json"


class Record(Value):
    """The files that were changed for one host."""

    folder: str
    files: Mapping[str, Any] = {}

    def untouched(self, path: str, text: str) -> bool:
        """Whether a file is exactly as we left it."""
        return path in self.files and self.files[path]["after"] == _hash(text)

    def original(self, path: str, text: str) -> str | None:
        """A file as it was before us: None when there was none, the text itself if unknown."""
        if path not in self.files:
            return text
        kept = self.backup(path)
        if kept is None:
            return None
        with open(kept, "rb") as file:
            return file.read().decode("utf-8")

    def backup(self, path: str) -> str | None:
        """Where the copy of a file is."""
        name = self.files.get(path, {}).get("backup")
        return os.path.join(self.folder, name) if name else None

    def made(self, path: str) -> bool:
        """Whether there was no such file before us."""
        return path in self.files and self.files[path]["backup"] is None

    def folders(self, path: str) -> list[str]:
        """Folders that were made for a file."""
        return list(self.files.get(path, {}).get("folders", ()))

    def made_folders(self) -> list[str]:
        """Folders that were made for any file, the innermost first."""
        made = {folder for path in self.files for folder in self.folders(path)}
        return sorted(made, key=len, reverse=True)


def read(state: str, host: str) -> Record:
    """What was changed for a host, as far as it is known."""
    folder = os.path.join(state, "hosts", host)
    try:
        with open(os.path.join(folder, _RECORD), encoding="utf-8") as file:
            return Record(folder, json.load(file))
    except (OSError, ValueError):
        return Record(folder)


def keep(state: str, host: str, path: str, original: str | None, after: str) -> None:
    """Remember a file as it was, before it is changed."""
    record = read(state, host)
    os.makedirs(record.folder, mode=0o700, exist_ok=True)
    backup = None
    if original is not None:
        backup = os.path.basename(path)
        _write(os.path.join(record.folder, backup), original)
    folders = record.folders(path) or _missing_folders(path)
    entry = {"backup": backup, "after": _hash(after), "folders": folders}
    told = json.dumps({**record.files, path: entry}, indent=2)
    _write(os.path.join(record.folder, _RECORD), told)


def drop(state: str, host: str, *, copies: bool) -> None:
    """Forget about a host that is as it was, and with `copies` what its files were."""
    folder = read(state, host).folder
    if not copies:
        with suppress(FileNotFoundError):
            os.remove(os.path.join(folder, _RECORD))
        return
    shutil.rmtree(folder, ignore_errors=True)
    if os.path.isdir(above := os.path.dirname(folder)) and not os.listdir(above):
        os.rmdir(above)


def _missing_folders(path: str) -> list[str]:
    missing: list[str] = []
    folder = os.path.dirname(path)
    while folder and not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    return missing


def _write(path: str, text: str) -> None:
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(text.encode())


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
