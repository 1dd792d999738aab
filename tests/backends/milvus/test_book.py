"""A book whose vectors are in Milvus, opened as everybody opens one, with Milvus there and away."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from pymilvus.exceptions import MilvusException

import commonplace
from commonplace import Settings
from commonplace.backends.milvus import vectors
from commonplace.book import Commonplace
from commonplace.model.errors import BackendMissing, BadInput
from commonplace.ports.search_index import Where
from tests import ROOT, as_person
from tests.backends.postgres import server

from . import lite

FERRY = "The ferry to the cabin leaves at noon"
QUESTION = "when does the ferry leave?"
OTHER_PROCESS = """
import json, sys
import commonplace
from commonplace import Settings
from commonplace.ports.search_index import Where
url, state, index, question = sys.argv[1:]
settings = Settings(state=state, index=index, embedder="hash")
with commonplace.open(url, settings=settings, background=False) as book:
    hits = book.recall(question)
    index = book._engine.index
    [vector] = book._engine.embedder.embed([question], query=True)
    near = index.gather({}, vector, visible=book._engine.visible, where=Where())
    print(json.dumps({
        "found": [hit.memory.content for hit in hits],
        "by_vector": len(near.candidates),
        "embedder": book.status().embedder,
    }))
"""


def settings(place: Path, *, index: str) -> Settings:
    return Settings(state=str(place / "state"), embedder="hash", index=index)


def open_book(place: Path, index: str) -> Commonplace:
    """A vault with its vectors in Milvus."""
    chosen = settings(place, index=index)
    return commonplace.open(f"vault:{place / 'book'}", settings=chosen, background=False)


def found_by_vector(book: Commonplace, question: str = QUESTION) -> set[str]:
    """Contents that the vector of a question finds, without any word."""
    engine: Any = book._engine  # pyright: ignore[reportPrivateUsage]
    [vector] = engine.embedder.embed([question], query=True)
    found = engine.index.gather({}, vector, visible=engine.visible, where=Where())
    keys = [one.key for one in found.candidates]
    return {one.content for one in engine.index.fetch(keys, visible=engine.visible).values()}


def recalled(book: Commonplace) -> str:
    return book.recall(QUESTION)[0].memory.content


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Try an engine again right after a failure."""
    monkeypatch.setattr(vectors, "RETRY_S", 0.0)


@pytest.mark.parametrize("store", ["vault", "sqlite", "postgresql"])
def test_a_books_vectors_are_in_milvus_and_rebuilt_there(tmp_path: Path, store: str) -> None:
    where = f"{store}:{tmp_path / 'book'}"
    if store == "postgresql":
        where = server.made(tmp_path / "book")
    chosen = settings(tmp_path, index=lite.address().url)
    with commonplace.open(where, settings=chosen, background=False) as book:
        book.save(FERRY)
        book.save("Tea is at four")
        assert recalled(book) == FERRY
        assert FERRY in found_by_vector(book)
        assert book.sync(rebuild=True).indexed >= 2
        assert recalled(book) == FERRY
        assert FERRY in found_by_vector(book)
        assert book.status().index.endswith(f"vectors in {lite.address().url}")
    server.give_back(tmp_path / "book")


def test_a_closed_lite_file_is_searched_by_the_next_process(tmp_path: Path) -> None:
    index = f"milvus:{tmp_path / 'vectors.db'}"
    with open_book(tmp_path, index) as book:
        book.save(FERRY)
        book.save("Tea is at four")
    with open_book(tmp_path, index) as book:
        assert FERRY in found_by_vector(book), "in the same process"
    told = in_another_process(tmp_path, index)
    assert told["found"][0] == FERRY
    assert told["by_vector"] >= 1
    assert told["embedder"].startswith("hash")
    assert "words" not in told["embedder"]


def test_while_another_process_has_the_lite_file_words_answer(tmp_path: Path) -> None:
    index = f"milvus:{tmp_path / 'vectors.db'}"
    with open_book(tmp_path, index) as book:
        book.save(FERRY)
        told = in_another_process(tmp_path, index)
    assert told["found"] == [FERRY]
    assert told["by_vector"] == 0
    assert "another process may have it" in told["embedder"]


def in_another_process(place: Path, index: str) -> Any:
    done = subprocess.run(
        [sys.executable, "-c", OTHER_PROCESS, f"vault:{place}/book", place / "state", index,
         QUESTION],
        capture_output=True, text=True, check=True, cwd=ROOT,
    )  # fmt: skip
    assert done.stderr == "", "no traceback of a library"
    return json.loads(done.stdout)


@pytest.mark.parametrize("index", ["milvus://127.0.0.1:1", "milvus:{}/missing/vectors.db"])
def test_while_milvus_is_away_saving_works_and_words_answer(tmp_path: Path, index: str) -> None:
    with open_book(tmp_path, index.format(tmp_path)) as book:
        began = time.perf_counter()
        saved = book.save(FERRY)
        assert saved.indexed
        assert recalled(book) == FERRY
        book.sync()
        assert time.perf_counter() - began < 10
        told = book.status()
        assert told.memories == 1
        assert "Recall goes by words." in told.embedder
        [problem] = [one for one in book.doctor() if one.where == "vectors"]
        assert problem.what.startswith(("Milvus cannot be reached.", "There is no folder"))
        assert problem.hint
        assert as_person(book).purge(saved.id)
        assert list(book.recall(QUESTION)) == []


@pytest.mark.usefixtures("at_once")
def test_vectors_catch_up_once_milvus_is_back(tmp_path: Path) -> None:
    index = f"milvus:{tmp_path / 'engine' / 'vectors.db'}"
    with open_book(tmp_path, index) as book:
        book.save(FERRY)
        assert found_by_vector(book) == set()
        (tmp_path / "engine").mkdir()
        assert book.sync().embedded == 1
        assert found_by_vector(book) == {FERRY}
        assert book.status().embedder.startswith("hash")
        assert "Recall" not in book.status().embedder


def test_a_purge_while_milvus_is_away_reaches_it_later(tmp_path: Path) -> None:
    place, away = tmp_path / "engine", tmp_path / "engine-away"
    place.mkdir()
    index = f"milvus:{place / 'vectors.db'}"
    with open_book(tmp_path, index) as book:
        secret = book.save("Ottokar hides behind the lighthouse")
        book.save(FERRY)
        assert len(found_by_vector(book, "Ottokar lighthouse ferry")) == 2
    place.rename(away)
    with open_book(tmp_path, index) as book:
        as_person(book).purge(secret.id)
    away.rename(place)
    with open_book(tmp_path, index) as book:
        assert found_by_vector(book, "Ottokar lighthouse ferry") == {FERRY}, "never in between"
        book.sync()
        index_behind: Any = book._engine.index  # pyright: ignore[reportPrivateUsage]
        engine = index_behind._engine
        [collection] = engine.collections()
        name = engine._prefix + collection
        rows = engine._client.query(name, filter="key > 0", output_fields=["key"])
        assert len(rows) == 1


def test_two_books_share_a_server_without_seeing_each_other(tmp_path: Path) -> None:
    for name in ("ada", "bob"):
        (tmp_path / name).mkdir()
        with open_book(tmp_path / name, lite.address().url) as book:
            book.save(f"{name.title()} likes tea")
            assert found_by_vector(book, "tea") == {f"{name.title()} likes tea"}


WRITTEN = {
    "laptop": "Notes about the ferry were written on the train",
    "desktop": "The desk in the attic was painted green",
}


def test_two_devices_with_copies_of_one_book_have_their_own_vectors(tmp_path: Path) -> None:
    """Each device numbers the memories of its own index."""
    for state in ("laptop", "desktop", "laptop"):
        chosen = settings(tmp_path / state, index=lite.address().url)
        with commonplace.open(
            f"vault:{tmp_path / 'notes'}", settings=chosen, background=False
        ) as book:
            book.save(WRITTEN[state])
            book.sync()
            found = found_by_vector(book, "written on the train desk")
            assert WRITTEN[state] in found
    assert found == set(WRITTEN.values())


def test_a_server_that_is_away_for_a_moment_keeps_its_vectors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "RETRY_S", 0.3)
    with open_book(tmp_path, lite.address().url) as book:
        book.save(FERRY)
        index: Any = book._engine.index  # pyright: ignore[reportPrivateUsage]
        monkeypatch.setattr(index, "reset", lambda: pytest.fail("started again from nothing"))
        calls: list[None] = []

        def away(*_: Any, **__: Any) -> None:
            calls.append(None)
            raise MilvusException(message="server unavailable")

        with monkeypatch.context() as here:
            here.setattr(index._engine._client, "search", away)
            for _ in range(3):
                assert recalled(book) == FERRY
        assert len(calls) == 1, "the others did not wait for it"
        assert found_by_vector(book) == set()
        time.sleep(0.4)
        assert found_by_vector(book) == {FERRY}


def test_vectors_move_when_the_setting_changes(tmp_path: Path) -> None:
    for index in ("", lite.address().url, "", lite.address().url):
        with open_book(tmp_path, index) as book:
            book.save(FERRY)
            book.sync()
            assert found_by_vector(book) == {FERRY}
            assert recalled(book) == FERRY


@pytest.mark.parametrize(
    "index", ["milvus://", "milvus://host/?level=9", "milvus://host?consistency=no", "milvus:notes"]
)
def test_an_address_that_means_nothing_is_refused(tmp_path: Path, index: str) -> None:
    with pytest.raises(BadInput):
        open_book(tmp_path, index)


def test_an_engine_that_is_not_known_is_named(tmp_path: Path) -> None:
    with pytest.raises(BackendMissing, match="pinecone"):
        open_book(tmp_path, "pinecone://host")
