"""An index that all servers share is never emptied because one of them could not use it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psycopg
import pytest

from commonplace.books.open import open_book
from commonplace.model.errors import IndexUnavailable
from commonplace.settings import Settings

from . import server


def test_what_is_out_of_reach_for_a_moment_is_not_thrown_away(tmp_path: Path) -> None:
    url = server.made(tmp_path / "book")
    schema = url.rpartition("schema=")[2]
    settings = Settings(state=str(tmp_path / "state"), embedder="none")
    with (
        open_book(url, settings=settings, background=False) as book,
        psycopg.connect(server.superuser(), autocommit=True) as connected,
    ):
        db: Any = connected
        book.save("Ada likes tea")
        before = db.execute(f"SELECT * FROM {schema}.memories").fetchall()
        db.execute(f"ALTER TABLE {schema}.postings RENAME TO postings_away")
        with pytest.raises(IndexUnavailable):
            book.recall("what does Ada like")
        db.execute(f"ALTER TABLE {schema}.postings_away RENAME TO postings")
        assert db.execute(f"SELECT * FROM {schema}.memories").fetchall() == before
        assert [hit.memory.content for hit in book.recall("tea")] == ["Ada likes tea"]
    server.give_back(tmp_path / "book")
