"""How sure a recall is: a near miss is no answer, however many words it shares."""

from __future__ import annotations

import pytest

from commonplace import Commonplace
from tests.conftest import OpenBook

KNOWN = (
    "billing listens on 8443",
    "Bob is the CTO",
    "Ada prefers tea",
    "The staging database is db3",
    "The router stands in the cellar",
)


@pytest.fixture
def told(url: str, open_at: OpenBook) -> Commonplace:
    book = open_at(url, embedder="bundled")
    for text in KNOWN:
        book.save(text)
    return book


@pytest.mark.parametrize(
    "question",
    [
        "Which port does billing listen on?",
        "Who is the CTO?",
        "What does Ada prefer to drink?",
        "Which database does staging use?",
    ],
)
def test_an_answer_is_sure(told: Commonplace, question: str) -> None:
    found = told.recall(question)
    assert found.sure == "strong"
    assert found.sureness is not None
    assert found.sureness >= 0.7


@pytest.mark.parametrize(
    "question",
    [
        "Which port does search listen on?",
        "What does Bob prefer to drink?",
        "What is the password of the router?",
        "Who is the CFO?",
    ],
)
def test_a_near_miss_is_not(told: Commonplace, question: str) -> None:
    assert told.recall(question).sure != "strong"


def test_words_to_search_for_are_not_read(told: Commonplace) -> None:
    found = told.recall("staging database")
    assert (found.sure, found.sureness) == ("strong", None)


def test_a_book_without_vectors_reads_nothing(book: Commonplace) -> None:
    book.save("billing listens on 8443")
    assert book.recall("Which port does billing listen on?").sureness is None
