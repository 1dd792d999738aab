"""A shell with a book, on every store; and one without."""

from __future__ import annotations

from pathlib import Path

import pytest

from .shell import Shell


@pytest.fixture
def bare_shell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Shell:
    """A person who has no book yet."""
    return Shell(tmp_path, None, capsys, monkeypatch)


@pytest.fixture
def shell(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Shell:
    """A person with an empty book, on each store in turn."""
    person = Shell(tmp_path, url, capsys, monkeypatch)
    person.run("init")
    return person


@pytest.fixture
def vault_shell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Shell:
    """A person with an empty vault, for what does not depend on the store."""
    person = Shell(tmp_path, f"vault:{tmp_path / 'book'}", capsys, monkeypatch)
    person.run("init")
    return person
