"""Vectors in every index: never two models compared, always those of the text there now."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from commonplace.model.memory import Memory
from commonplace.model.scope import EVERYTHING, Visible
from commonplace.ports.record_store import Changes, Document
from commonplace.ports.search_index import SearchIndex, Where
from tests.backends.postgres import server

from .indexes import ENGINES, INDEXES
from .samples import memory

NORTH, EAST, SOUTH = bytes([100, 0, 0, 0]), bytes([0, 100, 0, 0]), bytes([156, 0, 0, 0])
WIDE = bytes([100, 0, 0, 0, 0, 0])


@pytest.fixture(params=sorted(INDEXES | ENGINES))
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SearchIndex]:
    if request.param == "postgresql":
        server.need_pgvector()
    index = (INDEXES | ENGINES)[request.param](str(tmp_path / "index.db"))
    yield index
    index.close()


def apply(index: SearchIndex, *memories: Memory) -> None:
    documents = tuple(Document(f"{one.id}.md", (one,)) for one in memories)
    index.apply(Changes(index.revision() + 1, documents))


def in_line(index: SearchIndex, model: str | None = None) -> dict[str, int]:
    """The ids in line, and their keys."""
    waiting = index.unembedded(visible=EVERYTHING, limit=1000, model=model)
    return {one.id: key for key, one in waiting.items()}


def embed(
    index: SearchIndex, vectors: dict[str, list[bytes]], model: str = "compass", dimensions: int = 4
) -> bool:
    keys = in_line(index, model)
    made = {keys.get(id, 0): own for id, own in vectors.items()}
    return index.put_vectors(made, model=model, dimensions=dimensions)


def close_to(index: SearchIndex, vector: bytes, model: str | None = None) -> dict[str, float]:
    found = index.gather({}, vector, visible=EVERYTHING, where=Where(), least=-2.0, model=model)
    return {one.id: round(one.meaning, 2) for one in found.candidates if one.meaning is not None}


def test_a_memory_is_found_by_its_meaning_once_it_has_a_vector(index: SearchIndex) -> None:
    north, east = memory("The cabin is up north"), memory("The ferry goes east")
    apply(index, north, east)
    assert index.use_model("compass", 4)
    assert embed(index, {north.id: [NORTH], east.id: [EAST]})
    assert close_to(index, NORTH) == {north.id: 1.0, east.id: 0.0}
    assert in_line(index) == {}


def test_an_index_has_room_for_the_first_model_that_asks(index: SearchIndex) -> None:
    assert index.use_model("compass", 4, switch=False)
    assert index.use_model("compass", 4, switch=False)
    assert not index.use_model("sextant", 4, switch=False)
    assert not index.use_model("compass", 6, switch=False)
    assert index.use_model("sextant", 4)


def test_a_new_model_is_in_use_once_it_has_every_vector(index: SearchIndex) -> None:
    cabin, ferry = memory("The cabin is up north"), memory("The ferry goes east")
    apply(index, cabin, ferry)
    index.use_model("compass", 4)
    embed(index, {cabin.id: [NORTH], ferry.id: [EAST]})
    index.use_model("sextant", 6)
    assert index.models() == ["compass", "sextant"]
    assert embed(index, {ferry.id: [WIDE]}, "sextant", 6)
    assert close_to(index, NORTH) == close_to(index, NORTH, "compass") == {cabin.id: 1, ferry.id: 0}
    assert close_to(index, WIDE, "sextant") == {ferry.id: 1.0}, "as far as they are"
    assert (index.waiting("sextant"), index.waiting("compass")) == (1, 0)
    assert embed(index, {cabin.id: [WIDE]}, "sextant", 6)
    assert index.models() == ["sextant"]
    assert close_to(index, WIDE) == {cabin.id: 1.0, ferry.id: 1.0}
    assert close_to(index, NORTH, "compass") == {}


def test_what_comes_and_goes_meanwhile_is_followed_for_both_models(index: SearchIndex) -> None:
    cabin, ferry = memory("The cabin is up north"), memory("The ferry goes east")
    apply(index, cabin)
    index.use_model("compass", 4)
    embed(index, {cabin.id: [NORTH]})
    index.use_model("sextant", 6)
    apply(index, ferry)
    assert index.waiting("compass") == 1
    assert index.waiting("sextant") == 2
    assert embed(index, {ferry.id: [EAST]})
    index.forget([cabin.id])
    assert close_to(index, NORTH) == {ferry.id: 0.0}
    assert embed(index, {ferry.id: [WIDE]}, "sextant", 6)
    assert index.models() == ["sextant"]


def test_a_third_model_takes_the_place_of_the_one_on_its_way(index: SearchIndex) -> None:
    cabin = memory("The cabin is up north")
    apply(index, cabin)
    index.use_model("compass", 4)
    embed(index, {cabin.id: [NORTH]})
    index.use_model("sextant", 6)
    index.use_model("astrolabe", 4)
    assert index.models() == ["compass", "astrolabe"]
    assert not embed(index, {cabin.id: [WIDE]}, "sextant", 6)
    assert index.use_model("compass", 4)
    assert index.models() == ["compass"], "gone back to"
    assert close_to(index, NORTH) == {cabin.id: 1.0}


def test_an_empty_index_goes_over_at_once(index: SearchIndex) -> None:
    index.use_model("compass", 4)
    index.use_model("sextant", 6)
    assert index.models() == ["sextant"]


def test_vectors_wider_than_the_model_says_are_dropped(index: SearchIndex) -> None:
    cabin = memory("The cabin is up north")
    apply(index, cabin)
    index.use_model("compass", 4)
    assert not embed(index, {cabin.id: [WIDE]})
    assert not embed(index, {cabin.id: [NORTH, WIDE]})
    assert close_to(index, NORTH) == {}


def test_without_a_model_nothing_is_kept_or_compared(index: SearchIndex) -> None:
    cabin = memory("The cabin is up north")
    apply(index, cabin)
    assert not embed(index, {cabin.id: [NORTH]})
    assert close_to(index, NORTH) == close_to(index, NORTH, "compass") == {}


def test_a_question_is_compared_with_vectors_of_its_own_model_only(index: SearchIndex) -> None:
    cabin = memory("The cabin is up north")
    apply(index, cabin)
    index.use_model("openai/compass", 4)
    embed(index, {cabin.id: [NORTH]}, "openai/compass")
    assert close_to(index, NORTH, "openai/compass") == {cabin.id: 1.0}
    assert close_to(index, NORTH, "sextant") == {}
    assert close_to(index, NORTH) == {cabin.id: 1.0}
    assert close_to(index, WIDE) == close_to(index, WIDE, "openai/compass") == {}


def test_words_still_find_what_another_models_vector_cannot(index: SearchIndex) -> None:
    cabin = memory("The cabin is up north")
    apply(index, cabin)
    index.use_model("compass", 4)
    embed(index, {cabin.id: [NORTH]})
    found = index.gather(
        {"cabin": "cabin"}, WIDE, visible=EVERYTHING, where=Where(), model="sextant"
    )
    assert [(one.id, one.meaning) for one in found.candidates] == [(cabin.id, None)]


def test_the_vector_of_a_text_that_was_rewritten_meanwhile_is_not_kept(index: SearchIndex) -> None:
    ships = memory("All about ships")
    apply(index, ships)
    index.use_model("compass", 4)
    [old_key] = in_line(index).values()
    apply(index, ships.but(content="Entirely about tomatoes"))
    assert index.put_vectors({old_key: [NORTH, NORTH]}, model="compass", dimensions=4)
    assert close_to(index, NORTH) == {}
    assert set(in_line(index)) == {ships.id}


def test_a_change_of_status_keeps_the_vector(index: SearchIndex) -> None:
    ships = memory("All about ships")
    apply(index, ships)
    index.use_model("compass", 4)
    [key] = in_line(index).values()
    apply(index, ships.but(status="review"))
    assert index.put_vectors({key: [NORTH]}, model="compass", dimensions=4)
    assert close_to(index, NORTH) == {ships.id: 1.0}


def test_a_key_from_before_a_reset_names_no_text_afterwards(index: SearchIndex) -> None:
    ships = memory("All about ships")
    apply(index, ships)
    [old_key] = in_line(index).values()
    index.reset()
    apply(index, memory("All about pears"))
    index.use_model("compass", 4)
    assert index.put_vectors({old_key: [NORTH]}, model="compass", dimensions=4)
    assert close_to(index, NORTH) == {}


def test_a_late_first_look_does_not_take_the_passages_away(index: SearchIndex) -> None:
    trip = memory("First we go north. Then we go east.")
    apply(index, trip)
    index.use_model("compass", 4)
    [key] = in_line(index).values()
    embed(index, {trip.id: [NORTH, NORTH, EAST]})
    index.put_vectors({key: [NORTH]}, model="compass", dimensions=4, complete=False)
    [found] = index.gather({}, EAST, visible=EVERYTHING, where=Where(), least=-2.0).candidates
    assert found.passage == 2


def test_a_first_look_is_found_and_stays_in_line_for_the_rest(index: SearchIndex) -> None:
    trip = memory("First we go north. Then we go east.")
    apply(index, trip)
    index.use_model("compass", 4)
    [key] = in_line(index).values()
    index.put_vectors({key: [NORTH]}, model="compass", dimensions=4, complete=False)
    assert close_to(index, NORTH) == {trip.id: 1.0}
    assert in_line(index) == {trip.id: key}


def test_those_in_line_can_be_asked_for_by_id_and_as_far_as_visible(index: SearchIndex) -> None:
    tea, pears = memory("Ada likes tea"), memory("Bob likes pears", scope="/user/bob")
    apply(index, tea, pears)
    ask = index.unembedded
    assert list(ask(visible=EVERYTHING, limit=9).values()) == [pears, tea]
    assert list(ask(visible=EVERYTHING, limit=9, ids=[tea.id]).values()) == [tea]
    assert ask(visible=EVERYTHING, limit=9, ids=[]) == {}
    assert ask(visible=Visible(scopes=frozenset({"/user/bob"})), limit=9, ids=[tea.id]) == {}


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), max_size=12))
def test_whatever_the_order_of_events_vectors_are_of_their_model_and_their_text(
    index: SearchIndex, steps: list[tuple[int, int]]
) -> None:
    """Two embedders take turns switching and putting, while texts come, change and go."""
    index.reset()
    widths = {"compass": 4, "sextant": 6}
    texts = [memory(f"Note number {n}", id=f"note-{n}") for n in range(6)]
    for number, (what, which) in enumerate(steps):
        model = "compass" if which % 2 else "sextant"
        if what == 0:
            index.use_model(model, widths[model])
        elif what == 1:
            apply(index, texts[which].but(content=f"Note {which} rewritten {number} times"))
        elif what == 2:
            index.forget([texts[which].id])
        else:
            vector = bytes([100] * widths[model])
            made = {id: [vector] for id in in_line(index, model)}
            embed(index, made, model, widths[model])
    for model, width in widths.items():
        near = close_to(index, bytes([100] * width), model)
        assert set(near.values()) <= {1.0}
        if model in index.models():
            assert not near.keys() & in_line(index, model).keys()
            assert index.waiting(model) == len(in_line(index, model))
        else:
            assert near == {}


def test_memories_outside_conversations_can_be_asked_for(index: SearchIndex) -> None:
    said = [memory("yes", episode="call", position=n) for n in range(30)]
    written = memory("yes")
    apply(index, *said, written)

    def listed(in_conversation: bool | None) -> set[str]:
        where = Where(in_conversation=in_conversation)
        return {one.id for one in index.select(where, visible=EVERYTHING)}

    assert listed(False) == {written.id}
    assert listed(True) == {one.id for one in said}
    assert listed(None) == listed(False) | listed(True)
