"""A model on loopback, a ledger on disk and a clock that stands still."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from commonplace.backends.reasoners.llm import LlmReasoner
from commonplace.backends.reasoners.safeguards import SpendingCap
from commonplace.backends.sql.sqlite.ledger import SqliteLedger
from commonplace.books.services import open_reasoner

from .endpoint import Endpoint, running

ENOUGH = SpendingCap(tokens=1_000_000)
KEY = "key-that-nobody-should-see"


class Clock:
    """Says the time that a test sets."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


Opening = Callable[..., LlmReasoner]


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with running() as opened:
        yield opened


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[SqliteLedger]:
    opened = SqliteLedger(str(tmp_path / "book.db"), state=str(tmp_path / "state"))
    yield opened
    opened.close()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def opened(endpoint: Endpoint, ledger: SqliteLedger, clock: Clock) -> Opening:
    def reasoner(
        cap: SpendingCap = ENOUGH, *, spec: str = "", timeout_s: float = 20.0
    ) -> LlmReasoner:
        made = open_reasoner(
            spec or f"http:{endpoint.url}#tiny",
            cap=cap,
            timeout_s=timeout_s,
            ledger=ledger,
            now=clock,
            environ={"COMMONPLACE_REASONER_KEY": KEY},
        )
        assert isinstance(made, LlmReasoner)
        return made

    return reasoner


@pytest.fixture
def reasoner(opened: Opening) -> LlmReasoner:
    return opened()
