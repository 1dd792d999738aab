"""Vectors in Milvus: filtered inside the search, checked by the index, removed for good."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pymilvus import MilvusClient

from commonplace.backends.milvus import vectors
from commonplace.backends.milvus.address import MilvusAddress, collection_name
from commonplace.backends.milvus.vectors import MilvusVectors
from commonplace.backends.sql.sqlite.index import SqliteIndex
from commonplace.model.memory import Memory
from commonplace.model.scope import EVERYTHING, Visible
from commonplace.ports.record_store import Changes, Document
from commonplace.ports.search_index import Where
from commonplace.ports.vector_engine import VectorFilter
from tests.conformance.samples import memory
from tests.on_disk import all_bytes

from . import lite

ADA = Visible(scopes=frozenset({"/org/acme", "/org/acme/user/ada"}))
NEAR, FAR = bytes([100, 0, 0, 0]), bytes([60, 80, 0, 0])


@pytest.fixture
def engine() -> Iterator[MilvusVectors]:
    engine = lite.new_engine()
    yield engine
    engine.close()


@pytest.fixture
def index(tmp_path: Path, engine: MilvusVectors) -> Iterator[SqliteIndex]:
    index = SqliteIndex(str(tmp_path / "index.db"), engine)
    yield index
    index._db.close()  # pyright: ignore[reportPrivateUsage] - the engine has a fixture of its own


def fill(index: SqliteIndex, *memories: Memory) -> None:
    documents = tuple(Document(f"{one.id}.md", (one,)) for one in memories)
    index.apply(Changes(index.revision() + 1, documents))


def embed(index: SqliteIndex, vectors: dict[str, bytes]) -> None:
    index.use_model("compass", 4)
    keys = {one.id: key for key, one in index.unembedded(visible=EVERYTHING, limit=99).items()}
    made = {keys[id]: [vector] for id, vector in vectors.items()}
    assert index.put_vectors(made, model="compass", dimensions=4)


def close_to(index: SqliteIndex, visible: Visible = EVERYTHING, **where: Any) -> set[str]:
    found = index.gather({}, NEAR, visible=visible, where=Where(**where), pool=2, model="compass")
    return {one.id for one in found.candidates}


def stored(engine: MilvusVectors) -> set[int]:
    """The keys that Milvus itself has."""
    [collection] = engine.collections()
    found = engine.nearest(collection, NEAR, VectorFilter(EVERYTHING), limit=100)
    return set(found or ())


def test_topic_and_scope_are_filters_of_the_search_itself(index: SqliteIndex) -> None:
    """However many others are closer, those asked for are found."""
    brewing = memory("Leaves and hot water", "/org/acme/user/ada", topic="Brewing")
    loose = memory("A cup", "/org/acme")
    travel = [memory(f"Trip {n}", "/org/acme/user/ada", topic="travel") for n in range(20)]
    others = [memory(f"Secret {n}", "/org/other/user/eve", topic="brewing") for n in range(20)]
    fill(index, brewing, loose, *travel, *others)
    embed(index, {one.id: NEAR for one in (*travel, *others)} | {brewing.id: FAR, loose.id: FAR})
    assert close_to(index, ADA, topics=("brewing",)) == {brewing.id, loose.id}
    assert close_to(index, ADA, scopes=("/org/acme",)) == {loose.id}


def test_milvus_never_ranks_what_the_caller_may_not_see(
    index: SqliteIndex, engine: MilvusVectors
) -> None:
    own, task = memory("Ada's", "/org/acme/user/ada"), memory("Task", "/org/acme/user/ada/task/7")
    fill(index, own, task, memory("Eve's", "/org/other/user/eve"), memory("Bob's", "/user/bob"))
    every = index.unembedded(visible=EVERYTHING, limit=9)
    embed(index, {one.id: NEAR for one in every.values()})
    keys = {one.id: key for key, one in every.items()}
    [collection] = engine.collections()
    found = engine.nearest(collection, NEAR, VectorFilter(ADA), limit=9)
    assert set(found or ()) == {keys[own.id]}
    with_tasks = ADA.but(task_parents=frozenset({"/org/acme/user/ada"}))
    found = engine.nearest(collection, NEAR, VectorFilter(with_tasks), limit=9)
    assert set(found or ()) == {keys[own.id], keys[task.id]}


def test_the_index_checks_what_an_engine_without_its_filter_would_return(
    index: SqliteIndex, engine: MilvusVectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, other = memory("Ada's", "/org/acme/user/ada"), memory("Eve's", "/org/other/user/eve")
    fill(index, own, other)
    embed(index, {own.id: NEAR, other.id: NEAR})
    monkeypatch.setattr(vectors, "_expression", lambda _: "")
    assert close_to(index, ADA) == {own.id}
    assert close_to(index) == {own.id, other.id}, "the filter of Milvus is gone"


def test_a_changed_topic_is_the_one_that_milvus_filters_by(index: SqliteIndex) -> None:
    note = memory("Leaves and hot water", topic="test")
    fill(index, note)
    embed(index, {note.id: NEAR})
    fill(index, note.but(topic="tests"))
    embed(index, {note.id: NEAR})
    assert close_to(index, topics=("tests",)) == {note.id}
    assert close_to(index, topics=("test",)) == set()


def test_a_topic_is_a_value_and_never_part_of_the_filter(index: SqliteIndex) -> None:
    odd = 'a" or key > 0 or topic in ["\\'
    note, other = memory("Odd", topic=odd), memory("Plain", topic="plain")
    fill(index, note, other)
    embed(index, {note.id: NEAR, other.id: NEAR})
    assert close_to(index, topics=(odd,)) == {note.id}


def test_a_memory_that_goes_takes_its_vector_along(
    index: SqliteIndex, engine: MilvusVectors
) -> None:
    stays, goes = memory("Stays"), memory("Goes")
    fill(index, stays, goes)
    embed(index, {stays.id: NEAR, goes.id: NEAR})
    assert len(stored(engine)) == 2
    index.forget([goes.id])
    assert len(stored(engine)) == 1
    index.apply(Changes(9, (Document(f"{stays.id}.md"),)))
    index.check_vectors()
    assert stored(engine) == set()


def test_a_vector_made_for_a_memory_that_went_meanwhile_does_not_stay(
    index: SqliteIndex, engine: MilvusVectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    note, other = memory("Purged while its vector is on the way"), memory("Other")
    fill(index, note, other)
    embed(index, {other.id: FAR})
    real = engine.put

    def slow(*arguments: Any) -> bool:
        index.forget([note.id])
        return real(*arguments)

    monkeypatch.setattr(engine, "put", slow)
    embed(index, {note.id: NEAR})
    assert close_to(index) == {other.id}
    index.check_vectors()
    assert len(stored(engine)) == 1


def test_answers_and_removals_of_several_pieces_are_whole(
    index: SqliteIndex, engine: MilvusVectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "MOST_LISTED", 7)
    monkeypatch.setattr(vectors, "BATCH_ROWS", 4)
    notes = [memory(f"Note {n}") for n in range(25)]
    fill(index, *notes)
    embed(index, {one.id: FAR for one in notes})
    found = index.gather({"note": "note"}, NEAR, visible=EVERYTHING, where=Where(), pool=25)
    assert sum(one.meaning is not None for one in found.candidates) == 25
    index.forget([one.id for one in notes[:20]])
    assert len(stored(engine)) == 5


def test_a_model_that_is_no_longer_used_leaves_no_collection(
    index: SqliteIndex, engine: MilvusVectors
) -> None:
    note = memory("Note")
    fill(index, note)
    embed(index, {note.id: NEAR})
    index.use_model("sextant", 6)
    [key] = index.unembedded(visible=EVERYTHING, limit=9, model="sextant")
    assert len(engine.collections()) == 1
    index.put_vectors({key: [bytes(6)]}, model="sextant", dimensions=6)
    assert len(engine.collections()) == 2
    index.check_vectors()
    assert len(engine.collections()) == 1
    index.reset()
    assert engine.collections() == set()


def test_lost_collections_are_filled_again(index: SqliteIndex, engine: MilvusVectors) -> None:
    note, other = memory("Note"), memory("Other")
    fill(index, note, other)
    embed(index, {note.id: NEAR, other.id: NEAR})
    for collection in engine.collections():
        engine.drop(collection)
    assert close_to(index) == set()
    assert index.waiting("compass") == 2
    embed(index, {note.id: NEAR})
    assert index.waiting("compass") == 1
    for collection in engine.collections():
        engine.drop(collection)
    embed(index, {other.id: NEAR})
    assert index.waiting("compass") == 1, "the new collection lacks the first one"


def test_purged_vectors_are_not_in_the_file_any_more(tmp_path: Path) -> None:
    place = tmp_path / "engine"
    place.mkdir()
    engine = MilvusVectors(MilvusAddress.parse(f"milvus:{place / 'index.db'}"), "purging")
    index = SqliteIndex(str(tmp_path / "index.db"), engine)
    stays, goes = memory("Stays", topic="weather"), memory("Goes", topic="zanzibarquokka")
    fill(index, stays, goes)
    embed(index, {stays.id: FAR, goes.id: NEAR})
    [collection] = engine.collections()
    engine._client.flush(engine._prefix + collection)  # pyright: ignore[reportPrivateUsage]

    def on_disk(text: bytes) -> bool:
        return text in all_bytes(place)

    assert on_disk(b"zanzibarquokka")
    assert on_disk(base64.b64encode(NEAR))
    index.forget([goes.id])
    assert not on_disk(b"zanzibarquokka")
    assert not on_disk(base64.b64encode(NEAR))
    assert close_to(index) == {stays.id}
    index.close()


def test_collections_of_another_format_are_dropped(engine: MilvusVectors) -> None:
    old = engine._prefix.replace(f"_v{vectors.FORMAT}_", "_v2_memories")  # pyright: ignore[reportPrivateUsage]
    other = collection_name("another_book_v2_memories")
    client: Any = MilvusClient(uri=lite.address().uri)
    for name in (old, other):
        client.create_collection(name, dimension=4)
    engine.collections()
    assert client.has_collection(other)
    assert not client.has_collection(old)
    client.drop_collection(other)


def test_an_address_is_shown_without_its_password() -> None:
    address = MilvusAddress.parse(
        "milvus://ada:s3cret@db.internal/notes?secure=true&consistency=strong"
    )
    assert address.url == "milvus://db.internal:19530/notes"
    assert (address.uri, address.token) == ("https://db.internal:19530", "ada:s3cret")
    assert (address.database, address.level) == ("notes", "Strong")


def test_a_collection_has_a_name_that_milvus_takes() -> None:
    assert collection_name("3f-a.b") == "commonplace_3f_a_b"
