"""What was learned by doing is kept; what a model knows or the repository says waits for a person.

The three lists were written before the rule.
"""

from __future__ import annotations

from typing import Any

import pytest

from commonplace import Commonplace
from commonplace.rules.authority import WAITS
from commonplace.rules.content_rule import IN_THE_REPOSITORY, KNOWN_ANYWAY, content_reason
from tests import ROOT, as_person
from tests.conftest import OpenBook


def texts(name: str) -> list[str]:
    path = ROOT / "tests/rules/content_rule" / f"{name}.txt"
    return path.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("text", texts("learned"))
def test_what_was_learned_by_doing_is_let_through(text: str) -> None:
    assert content_reason(text) == ""


@pytest.mark.parametrize(
    ("name", "reason"), [("encyclopedia", KNOWN_ANYWAY), ("repository", IN_THE_REPOSITORY)]
)
def test_most_of_what_is_known_anyway_is_noticed(name: str, reason: str) -> None:
    found = [content_reason(text) for text in texts(name)]
    assert len(found) == 40
    assert found.count(reason) >= 36


def test_one_sentence_of_its_own_saves_a_text() -> None:
    general = "Redis is an in-memory key-value store, often used as a cache."
    assert content_reason(general)
    assert not content_reason(f"{general} Ours on port 6380 holds the sessions.")
    assert not content_reason(f"{general} The mill runs it on port 6380 for sessions.")


def saved(book: Commonplace, text: str, **fields: Any) -> tuple[str, str]:
    done = book.save(text, **fields)
    return done.action, done.why


def test_an_agent_s_encyclopedia_waits_in_the_inbox_and_nothing_is_lost(
    open_vault: OpenBook,
) -> None:
    book = open_vault(source="mcp")
    text = "Docker is a platform that packages applications into containers."
    assert saved(book, text) == ("staged", KNOWN_ANYWAY)
    assert saved(book, text) == ("staged", WAITS)
    assert not book.recall("what is docker?")
    (waiting,) = book.inbox()
    as_person(book).accept(waiting.memory.id)
    assert book.recall("what is docker?")[0].memory.content == text
    assert saved(book, text) == ("deduplicated", "")


def test_people_facts_conversations_and_files_are_not_asked_why(open_vault: OpenBook) -> None:
    text = "JSON is a lightweight data-interchange format."
    book = open_vault()
    assert saved(book, text, key="json", value="a format")[0] == "created"
    assert saved(book, text, episode="monday", position=1)[0] == "created"
    assert saved(as_person(book), text)[0] == "created"
    outside = book.as_context(book.context, source="import:notes")
    assert saved(outside, "YAML is a data serialization language.")[0] == "created"
