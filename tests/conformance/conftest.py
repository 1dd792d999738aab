"""Every registered backend, opened afresh for each test: registering one is what adds its tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from commonplace import registry
from commonplace.ports.ledger import Ledger
from commonplace.ports.record_store import RecordStore

from .opening import Opener


@pytest.fixture(params=sorted(registry.BACKENDS))
def opener(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opener]:
    """Opens the parts of this test's book, as often as it likes."""
    made = Opener(request.param, tmp_path)
    yield made
    made.close()


@pytest.fixture
def store(opener: Opener) -> RecordStore:
    """An empty store of truth."""
    return opener.open().store


@pytest.fixture
def ledger(opener: Opener) -> Ledger:
    """An empty ledger."""
    return opener.open().ledger
