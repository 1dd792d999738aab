"""What an engine for millions must do: filters inside the search, and answers in several pieces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from commonplace.backends.milvus import database, searching
from commonplace.language import words
from commonplace.model.scope import EVERYTHING, Visible
from commonplace.ports.record_store import Changes, Document
from commonplace.ports.search_index import Where
from tests.conformance.samples import memory

from . import lite

ADA = Visible(scopes=frozenset({"/org/acme", "/org/acme/user/ada"}))


@pytest.fixture
def index() -> Iterator[Any]:
    index = lite.new_index()
    yield index
    index.close()


def fill(index: Any, *memories: Any) -> None:
    documents = tuple(Document(f"{one.id}.md", (one,)) for one in memories)
    index.apply(Changes(index.revision() + 1, documents))


def embed(index: Any, vectors: dict[str, bytes]) -> None:
    index.use_model("compass", 4)
    keys = {one.id: key for key, one in index.unembedded(visible=EVERYTHING, limit=99).items()}
    made = {keys[id]: [vector] for id, vector in vectors.items()}
    assert index.put_vectors(made, model="compass", dimensions=4)


def test_topic_and_scope_are_filters_of_the_search_itself(index: Any) -> None:
    """However many others are closer, those asked for are found."""
    brewing = memory("Leaves and hot water", "/org/acme/user/ada", topic="Brewing")
    loose = memory("A cup", "/org/acme")
    travel = [memory(f"Trip {n}", "/org/acme/user/ada", topic="travel") for n in range(20)]
    others = [memory(f"Secret {n}", "/org/other/user/eve", topic="brewing") for n in range(20)]
    fill(index, brewing, loose, *travel, *others)
    near, far = bytes([100, 0, 0, 0]), bytes([60, 80, 0, 0])
    embed(index, {one.id: near for one in (*travel, *others)} | {brewing.id: far, loose.id: far})
    found = index.gather(
        {}, near, visible=ADA, where=Where(topics=("brewing",)), pool=2, model="compass"
    )
    assert {one.id for one in found.candidates} == {brewing.id, loose.id}


def test_a_word_that_nearly_all_say_counts_for_little_though_its_list_is_not_read_to_the_end(
    index: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "WINDOW", 40)
    monkeypatch.setattr(searching, "COUNTED", 20)
    lighthouse = memory("Tea in the lighthouse")
    fill(index, *(memory(f"Tea at {n} sharp") for n in range(250)), lighthouse)
    asked = words.query("tea lighthouse")
    found = index.gather(asked, None, visible=EVERYTHING, where=Where(), pool=50).candidates
    best, *others = sorted(found, key=lambda one: one.keyword, reverse=True)
    assert best.id == lighthouse.id
    assert others
    assert max(one.keyword for one in others) < best.keyword / 3


def test_an_answer_of_several_pieces_is_whole(index: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "WINDOW", 10)
    monkeypatch.setattr(database, "NAMED", 7)
    notes = [memory(f"Note {n}") for n in range(25)]
    fill(index, *notes)
    assert len(index.select(Where(), visible=EVERYTHING, limit=100)) == 25
    assert index.count(Where(), visible=EVERYTHING, by="kind") == {"insight": 25}
    index.forget([one.id for one in notes[:20]])
    assert {one.id for one in index.select(Where(), visible=EVERYTHING)} == {
        one.id for one in notes[20:]
    }


def test_a_text_longer_than_milvus_takes_comes_back_whole_and_goes_whole(index: Any) -> None:
    long = memory("Ü" * 50_000 + " lighthouse " + "🗝" * 30_000, title="Long")
    fill(index, long)
    assert index.select(Where(), visible=EVERYTHING) == [long]
    renamed = long.but(title="Longer")
    index.apply(Changes(2, (Document(f"{long.id}.md", (renamed,)),)))
    assert index.select(Where(name="longer"), visible=EVERYTHING) == [renamed]
    parts = index._db.query("pieces", 'part != ""', ["owner"])
    assert len({part["owner"] for part in parts}) == 1, "none of the old one's is left"
    index.forget([long.id])
    assert index._db.query("pieces", "number >= 0", ["name"]) == []
