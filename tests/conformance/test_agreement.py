"""Every index on a server ranks as the embedded one does, number by number."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from commonplace.backends.neural.fallback import HashingEmbedder
from commonplace.backends.sql.sqlite.index import SqliteIndex
from commonplace.language import words
from commonplace.model.memory import Memory
from commonplace.model.scope import EVERYTHING, Visible
from commonplace.ports.record_store import Changes, Document
from commonplace.ports.search_index import Candidate, SearchIndex, Where

from .indexes import ENGINES, INDEXES
from .samples import memory

ADA = Visible(scopes=frozenset({"/", "/user/ada"}), task_parents=frozenset({"/user/ada"}))
BOB = Visible(scopes=frozenset({"/", "/user/bob"}))
SCOPES = ("/", "/user/ada", "/user/bob", "/user/ada/task/7", "/project/x")
THINGS = ("orders database", "billing service", "lighthouse", "node 18 runtime", "tea kitchen")
DOINGS = ("moved to Oregon", "needs a backup", "was painted red", "fails on Fridays")
QUESTIONS = (
    "where is the orders database?",
    "what fails on fridays and needs a backup",
    "who painted the lighthouse red",
    "node 18",
    "the spare key behind the barometer",
    "nothing of the kind was ever said",
)


def library() -> list[Memory]:
    """Some two hundred notes, conversations and facts, and one that is a book."""
    made = [
        memory(
            f"The {thing} {doing} in week {n}. " * (1 + n % 3),
            SCOPES[n % len(SCOPES)],
            title=thing.title() if n % 7 == 0 else "",
            tags=("ops",) if n % 5 == 0 else (),
            episode=f"talk-{n // 10}" if n % 4 == 0 else None,
            position=n if n % 4 == 0 else None,
        )
        for n, (thing, doing) in enumerate(
            (t, d) for _ in range(10) for t in THINGS for d in DOINGS
        )
    ]
    pages = [f"Page {n} tells of weather and wind, of week {n} and of tea. " for n in range(400)]
    pages[300] += "The spare key of the lighthouse hangs behind the barometer."
    return [*made, memory("".join(pages), "/user/ada", title="Handbook")]


@pytest.fixture(scope="module", params=["postgresql", *ENGINES])
def both(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[SearchIndex, SearchIndex]]:
    place = tmp_path_factory.mktemp("agreement")
    embedded = SqliteIndex(str(place / "index.db"))
    served = (INDEXES | ENGINES)[request.param](str(place / "book"))
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


def shown(candidates: tuple[Candidate, ...]) -> dict[str, tuple[Any, ...]]:
    return {
        one.id: (
            one.scope, round(one.keyword, 9), round(one.covered, 9), one.terms, one.position,
            None if one.meaning is None else pytest.approx(one.meaning, abs=1e-4),
            one.passage, one.created,
        )
        for one in candidates
    }  # fmt: skip


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("visible", [EVERYTHING, ADA, BOB], ids=["owner", "ada", "bob"])
def test_both_gather_the_same_with_the_same_scores(
    both: tuple[SearchIndex, SearchIndex], question: str, visible: Visible
) -> None:
    [vector] = HashingEmbedder().embed([question], query=True)
    found = [
        index.gather(words.query_terms(question), vector, visible=visible, where=Where(), pool=300)
        for index in both
    ]
    assert shown(found[1].candidates) == shown(found[0].candidates)
    assert found[1].mass == pytest.approx(found[0].mass)
    assert found[0].candidates


def test_common_words_of_a_long_question_are_passed_over_alike(
    both: tuple[SearchIndex, SearchIndex],
) -> None:
    long = words.query_terms(" ".join(one.content for one in library()[:60]))
    found = [index.gather(long, None, visible=EVERYTHING, where=Where()) for index in both]
    assert shown(found[1].candidates) == shown(found[0].candidates)
