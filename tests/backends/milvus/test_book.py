"""A book whose index is in Milvus, opened as everybody opens one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pymilvus.exceptions import MilvusException

import commonplace
from commonplace import Settings
from commonplace.backends.milvus.address import MilvusAddress, collection_name
from commonplace.model.errors import BackendMissing, BadInput, Unavailable
from tests.backends.postgres import server

from . import lite

OTHER_PROCESS = """
import sys
import commonplace
from commonplace import Settings
from commonplace.model.errors import Busy
url, state, index = sys.argv[1:]
try:
    commonplace.open(url, settings=Settings(state=state, index=index, embedder="none"))
except Busy as error:
    print(error.sentence)
"""


def settings(place: Path, *, index: str) -> Settings:
    return Settings(state=str(place / "state"), embedder="hash", index=index)


def everything(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


@pytest.mark.parametrize("store", ["vault", "sqlite", "postgresql"])
def test_a_book_is_searched_in_milvus_and_rebuilt_there_from_its_store(
    tmp_path: Path, store: str
) -> None:
    where = f"{store}:{tmp_path / 'book'}"
    if store == "postgresql":
        where = server.made(tmp_path / "book")
    with commonplace.open(
        where, settings=settings(tmp_path, index=lite.address().url), background=False
    ) as book:
        saved = book.save("The ferry to the cabin leaves at noon")
        book.save("Tea is at four")
        assert book.recall("when does the ferry leave?")[0].memory.id == saved.id
        assert book.sync(rebuild=True).indexed >= 2
        assert book.recall("when does the ferry leave?")[0].memory.id == saved.id
        assert book.status().index == lite.address().url
    server.give_back(tmp_path / "book")


def test_what_was_purged_is_not_in_the_file_any_more(tmp_path: Path) -> None:
    place = tmp_path / "engine"
    place.mkdir()
    file = place / "index.db"
    chosen = settings(tmp_path, index=f"milvus:{file}")
    with commonplace.open(f"vault:{tmp_path / 'book'}", settings=chosen, background=False) as book:
        kept = book.save("The ferry to the cabin leaves at noon")
        secret = book.save("Ottokar hides behind the lighthouse")
        assert b"Ottokar" in everything(place)
        book.purge(secret.id)
        assert b"Ottokar" not in everything(place)
        assert b"cabin" in everything(place)
        assert book.recall("when does the ferry leave?")[0].memory.id == kept.id
        assert book.recall("where is Ottokar?").sure != "strong"


def test_two_books_share_a_server_without_seeing_each_other(tmp_path: Path) -> None:
    for name in ("ada", "bob"):
        (tmp_path / name).mkdir()
        chosen = settings(tmp_path / name, index=lite.address().url)
        with commonplace.open(
            f"vault:{tmp_path / name / 'notes'}", settings=chosen, background=False
        ) as book:
            book.save(f"{name.title()} likes tea")
            assert [hit.memory.content for hit in book.recall("tea")] == [
                f"{name.title()} likes tea"
            ]


def test_two_devices_with_copies_of_one_book_have_an_index_each(tmp_path: Path) -> None:
    """They number changes each in its own way."""
    for state in ("laptop", "desktop"):
        chosen = settings(tmp_path / state, index=lite.address().url)
        with commonplace.open(
            f"vault:{tmp_path / 'notes'}", settings=chosen, background=False
        ) as book:
            book.save(f"Written on the {state}")
            found = {hit.memory.content for hit in book.recall("what was written?")}
            assert f"Written on the {state}" in found
    assert len(found) == 2, "the notes themselves are the same"


def test_a_file_that_another_process_has_is_named_as_such(tmp_path: Path) -> None:
    index = lite.address().url
    done = subprocess.run(
        [sys.executable, "-c", OTHER_PROCESS, f"vault:{tmp_path / 'book'}", tmp_path, index],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "another process may have it" in done.stdout
    assert done.stderr == "", "no traceback of a library"


def test_a_server_that_is_away_for_a_moment_keeps_its_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = settings(tmp_path, index=lite.address().url)
    with commonplace.open(f"vault:{tmp_path / 'book'}", settings=chosen, background=False) as book:
        saved = book.save("The ferry to the cabin leaves at noon")
        index: Any = book._engine.index
        monkeypatch.setattr(index, "reset", lambda: pytest.fail("started again from nothing"))

        def away(*_: Any, **__: Any) -> None:
            raise MilvusException(message="server unavailable")

        with monkeypatch.context() as here:
            here.setattr(index._db._client, "query", away)
            with pytest.raises(Unavailable):
                book.recall("when does the ferry leave?")
        assert book.recall("when does the ferry leave?")[0].memory.id == saved.id


def test_an_index_that_somebody_dropped_is_filled_anew(tmp_path: Path) -> None:
    chosen = settings(tmp_path, index=lite.address().url)
    with commonplace.open(f"vault:{tmp_path / 'book'}", settings=chosen, background=False) as book:
        saved = book.save("The ferry to the cabin leaves at noon")
        index: Any = book._engine.index
        index.remove()
        assert book.recall("when does the ferry leave?")[0].memory.id == saved.id


def test_a_server_that_cannot_be_reached_is_named_as_such(tmp_path: Path) -> None:
    chosen = settings(tmp_path, index="milvus://127.0.0.1:1")
    with pytest.raises(Unavailable) as refused:
        commonplace.open(f"vault:{tmp_path / 'book'}", settings=chosen)
    assert "cannot be reached" in refused.value.sentence


@pytest.mark.parametrize(
    "index", ["milvus://", "milvus://host/?level=9", "milvus://host?consistency=no", "milvus:notes"]
)
def test_an_address_that_means_nothing_is_refused(tmp_path: Path, index: str) -> None:
    with pytest.raises(BadInput):
        commonplace.open(f"vault:{tmp_path / 'book'}", settings=settings(tmp_path, index=index))


def test_an_index_that_is_not_known_is_named(tmp_path: Path) -> None:
    with pytest.raises(BackendMissing, match="pinecone"):
        commonplace.open(
            f"vault:{tmp_path / 'book'}", settings=settings(tmp_path, index="pinecone://host")
        )


def test_an_address_is_shown_without_its_password() -> None:
    address = MilvusAddress.parse(
        "milvus://ada:s3cret@db.internal/notes?secure=true&consistency=strong"
    )
    assert address.url == "milvus://db.internal:19530/notes"
    assert (address.uri, address.token) == ("https://db.internal:19530", "ada:s3cret")
    assert (address.database, address.level) == ("notes", "Strong")


def test_a_collection_has_a_name_that_milvus_takes() -> None:
    assert collection_name("3f-a.b") == "commonplace_3f_a_b"
