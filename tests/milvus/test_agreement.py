"""The index in Milvus ranks as the embedded one does, number by number."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from commonplace.embedders.hashing import HashingEmbedder
from commonplace.indexes.sqlite import SqliteIndex
from commonplace.ports.records import Changes, Document
from commonplace.ports.searching import SearchIndex, Where
from commonplace.rules import words
from commonplace.scope import EVERYTHING, Visible
from tests.postgres.test_agreement import ADA, BOB, QUESTIONS, library, shown

from . import lite


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[SearchIndex, SearchIndex]]:
    embedded = SqliteIndex(str(tmp_path_factory.mktemp("agreement") / "index.db"))
    served = lite.new_index()
    embedder = HashingEmbedder()
    documents = tuple(Document(f"{one.id}.md", (one,)) for one in library())
    for index in (embedded, served):
        index.apply(Changes(1, documents))
        index.use_model(embedder.model, embedder.dimensions)
        waiting = index.unembedded(visible=EVERYTHING, limit=1000)
        made = {key: embedder.embed([one.content[:200]] * 2) for key, one in waiting.items()}
        assert index.put_vectors(made, model=embedder.model, dimensions=embedder.dimensions)
    yield embedded, served
    embedded.close()
    served.close()


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("visible", [EVERYTHING, ADA, BOB], ids=["owner", "ada", "bob"])
def test_both_gather_the_same_with_the_same_scores(
    both: tuple[SearchIndex, SearchIndex], question: str, visible: Visible
) -> None:
    [vector] = HashingEmbedder().embed([question], query=True)
    found = [
        index.gather(words.query(question), vector, visible=visible, where=Where(), pool=300)
        for index in both
    ]
    assert shown(found[1].candidates) == shown(found[0].candidates)
    assert found[1].mass == pytest.approx(found[0].mass)
    assert found[0].candidates


def test_common_words_of_a_long_question_are_passed_over_alike(
    both: tuple[SearchIndex, SearchIndex],
) -> None:
    long = words.query(" ".join(one.content for one in library()[:60]))
    found = [index.gather(long, None, visible=EVERYTHING, where=Where()) for index in both]
    assert shown(found[1].candidates) == shown(found[0].candidates)
