"""What hosts' files were before we changed them, so that all of it can be undone."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ...errors import StoreUnavailable
from ...value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

_RECORD = "changed.json"


class Record(Value):
    """The files that were changed for one host."""

    folder: str
    files: Mapping[str, Any] = {}

    def untouched(self, path: str, text: str) -> bool:
        """Whether a file is exactly as we left it, and we can put back what was there before."""
        kept = self.backup(path)
        there = kept is None or os.path.exists(kept)
        return path in self.files and there and self.files[path]["after"] == _hash(text)

    def original(self, path: str, text: str) -> str | None:
        """A file as it was before us: None when there is no copy, the text itself if not ours."""
        if path not in self.files:
            return text
        kept = self.backup(path)
        if kept is None:
            return None
        try:
            with open(kept, "rb") as file:
                return file.read().decode("utf-8")
        except OSError:
            return None  # Somebody has thrown the copy away.

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
    backup = None if original is None else os.path.basename(path)
    folders = record.folders(path) or _missing_folders(path)
    entry = {"backup": backup, "after": _hash(after), "folders": folders}
    told = json.dumps({**record.files, path: entry}, indent=2)
    try:
        os.makedirs(record.folder, mode=0o700, exist_ok=True)
        if backup is not None:
            _write(os.path.join(record.folder, backup), original or "")
        _write(os.path.join(record.folder, _RECORD), told)
    except OSError as error:
        raise StoreUnavailable(
            f"{path} cannot be kept as it was in {record.folder}, so it is left alone.",
            hint="Check disk and permissions, then try again.",
        ) from error


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
    half = f"{path}.half"
    with open(os.open(half, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(text.encode())
    os.replace(half, path)  # What was kept before is not lost to a disk that is full now.


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
