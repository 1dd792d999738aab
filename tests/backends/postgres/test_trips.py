"""How often a warm recall and a save of an open book ask the database server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from commonplace.book import Commonplace
from commonplace.books.open import open_book
from commonplace.settings import Settings

from . import server

TEXTS = [f"The {place} gauge is read on {day}s" for place in ("weir", "lock", "mill")
         for day in ("Monday", "Tuesday", "Friday")]  # fmt: skip


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Commonplace]:
    settings = Settings(state=str(tmp_path / "state"), embedder="none")
    url = server.made(tmp_path / "book")
    with open_book(url, settings=settings, background=False) as opened:
        opened.save_many([{"content": text, "scope": "/user/ada"} for text in TEXTS])
        yield opened.as_context({"user": "ada"})
    server.give_back(tmp_path / "book")


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statements that the driver is given from now on."""
    given: list[str] = []
    execute: Callable[..., Any] = psycopg.Connection.execute

    def noted(self: Any, query: str, *values: Any, **how: Any) -> Any:
        given.append(" ".join(query.split()))
        return execute(self, query, *values, **how)

    monkeypatch.setattr(psycopg.Connection, "execute", noted)
    return given


def transactions(statements: list[str]) -> int:
    return sum(one.startswith("BEGIN") for one in statements)


def test_a_warm_recall_takes_few_transactions(book: Commonplace, statements: list[str]) -> None:
    book.recall("when is the weir gauge read?")
    del statements[:]
    assert book.recall("when is the mill gauge read?")
    assert transactions(statements) <= 6
    assert len(statements) <= 44


def test_a_save_takes_few_transactions(book: Commonplace, statements: list[str]) -> None:
    book.save("The sluice gauge is read on Sundays")
    del statements[:]
    book.save("The bridge gauge is read on Saturdays")
    assert transactions(statements) <= 12
    assert len(statements) <= 77


def test_what_every_look_asks_is_one_statement(book: Commonplace, statements: list[str]) -> None:
    engine = book._engine  # pyright: ignore[reportPrivateUsage]
    assert engine.store.revision() == engine.index.revision() == len(TEXTS)
    assert len(statements) == 2


def test_no_rows_are_not_read(book: Commonplace, statements: list[str]) -> None:
    engine = book._engine  # pyright: ignore[reportPrivateUsage]
    assert engine.index.fetch([], visible=engine.visible) == {}
    assert not any("FROM (SELECT * FROM memories" in one for one in statements)
