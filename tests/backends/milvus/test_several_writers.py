"""Several processes write one index: whatever the order, the newest news holds.

Milvus Lite lets one process in, so these are several connections to it, stepped by hand to the
places where one process would overtake another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from commonplace.backends.milvus import state, vectors, writing
from commonplace.backends.milvus.database import MilvusDatabase
from commonplace.model.memory import Memory
from commonplace.model.scope import EVERYTHING
from commonplace.ports.record_store import Changes, Document
from commonplace.ports.search_index import Where
from tests.conformance.samples import memory

from . import lite

TEA = memory("Ada likes tea")
CHANGES = {
    "another text": TEA.but(content="Ada likes coffee"),
    "the same text in another state": TEA.but(status="archived"),
}


@pytest.fixture
def index() -> Iterator[Any]:
    index = lite.new_index()
    yield index
    index.close()


def news(revision: int, *memories: Memory) -> Changes:
    return Changes(revision, (Document("ada.md", memories),))


def held(index: Any) -> list[Memory]:
    return index.select(Where(), visible=EVERYTHING)


def overtaken(
    monkeypatch: pytest.MonkeyPatch, owner: Any, step: str, meanwhile: Callable[[], None]
) -> None:
    """Let something else happen right before a step of the next write."""
    real, waiting = getattr(owner, step), [meanwhile]

    def first(*arguments: Any, **named: Any) -> Any:
        if waiting:
            waiting.pop()()
        return real(*arguments, **named)

    monkeypatch.setattr(owner, step, first)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize(
    ("owner", "step"),
    [(state, "claim"), (writing, "_write"), (writing, "_settle"), (state, "advance")],
)
def test_a_slow_process_with_old_news_does_not_undo_newer_ones(
    index: Any, monkeypatch: pytest.MonkeyPatch, owner: Any, step: str, change: str
) -> None:
    index.apply(news(7, TEA.but(title="First")))
    newest = CHANGES[change]
    overtaken(monkeypatch, owner, step, lambda: index.apply(news(9, newest)))
    index.apply(news(8, TEA))
    assert held(index) == [newest]
    # It may be said to be at 8; then 9 is read once more.
    index.apply(news(9, newest))
    assert held(index) == [newest]
    assert index.revision() == 9


@pytest.mark.parametrize(("owner", "step"), [(writing, "_write"), (writing, "_settle")])
def test_two_processes_with_the_same_news_are_as_good_as_one(
    index: Any, monkeypatch: pytest.MonkeyPatch, owner: Any, step: str
) -> None:
    index.use_model("compass", 4)
    overtaken(monkeypatch, owner, step, lambda: index.apply(news(8, TEA)))
    index.apply(news(8, TEA))
    assert held(index) == [TEA]
    assert index.waiting("compass") == 1


@pytest.mark.parametrize("step", ["line_up", "_remove_outdated", "_retire", "_settle"])
def test_a_process_that_stops_on_its_way_leaves_work_that_is_done_again(
    index: Any, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    index.apply(news(1, TEA))
    index.use_model("compass", 4)
    [key] = index.unembedded(visible=EVERYTHING, limit=9)
    index.put_vectors({key: [bytes([100, 0, 0, 0])]}, model="compass", dimensions=4)
    coffee = TEA.but(content="Ada likes coffee")

    def stop(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as here:
        here.setattr(writing, step, stop)
        with pytest.raises(KeyboardInterrupt):
            index.apply(news(2, coffee))
    assert index.revision() == 1, "so that it is read again"
    assert held(index) == [coffee], "what is new is written before what is old is removed"
    index.apply(news(2, coffee))
    assert held(index) == [coffee]
    assert index.waiting("compass") == 1
    found = index.gather({"tea": "tea"}, None, visible=EVERYTHING, where=Where()).candidates
    assert found == ()


def test_a_vector_that_comes_after_its_text_was_purged_is_not_kept(
    index: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.apply(news(1, TEA))
    index.use_model("compass", 4)
    [key] = index.unembedded(visible=EVERYTHING, limit=9)
    overtaken(monkeypatch, vectors, "_filled", lambda: index.forget([TEA.id]))
    index.put_vectors({key: [bytes([100, 0, 0, 0])]}, model="compass", dimensions=4)
    database: MilvusDatabase = index._db
    [model] = state.models(database)
    assert database.query(model.collection, "revision >= 0", ["text"]) == []


def test_a_model_that_was_being_lined_up_when_a_process_stopped_is_lined_up_by_the_next(
    index: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.apply(news(1, TEA))

    def stop(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as here:
        here.setattr(vectors, "line_up", stop)
        with pytest.raises(KeyboardInterrupt):
            index.use_model("compass", 4)
    assert index.use_model("compass", 4, switch=False)
    assert index.waiting("compass") == 1
