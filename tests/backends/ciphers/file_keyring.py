"""A keyring in a file: what the system's keyring does, where a test can look at it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend


class FileKeyring(KeyringBackend):
    """Named by PYTHON_KEYRING_BACKEND; keeps its passwords at KEYRING_FILE."""

    priority = 1  # pyright: ignore[reportAssignmentType]

    @property
    def _path(self) -> Path:
        return Path(os.environ["KEYRING_FILE"])

    def _kept(self) -> dict[str, str]:
        return json.loads(self._path.read_text()) if self._path.exists() else {}

    def get_password(self, service: str, username: str) -> str | None:
        return self._kept().get(f"{service}/{username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        self._path.write_text(json.dumps({**self._kept(), f"{service}/{username}": password}))

    def delete_password(self, service: str, username: str) -> None:
        kept = self._kept()
        del kept[f"{service}/{username}"]
        self._path.write_text(json.dumps(kept))


@contextmanager
def only_a_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A system whose keyring is that file, and an environment that names no key."""
    monkeypatch.setenv("KEYRING_FILE", str(path))
    monkeypatch.delenv("COMMONPLACE_KEY", raising=False)
    before = keyring.get_keyring()
    keyring.set_keyring(FileKeyring())
    yield
    keyring.set_keyring(before)
