"""Fixtures for tests of one store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from commonplace.backends.vault.store import VaultStore

from .vaults import Vault


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    """An empty vault folder."""
    made = Vault(tmp_path)
    yield made
    made.close()


@pytest.fixture
def store(vault: Vault) -> VaultStore:
    """A store on that folder."""
    return vault.open()
