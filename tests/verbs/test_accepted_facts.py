"""A fact whose new value a person accepts keeps its key; questions differ at a glance."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace import Commonplace
from commonplace.ports.reasoner import Turn
from commonplace.rules.talk.exchange import exchanged_value
from tests import as_person
from tests.conftest import Clock, OpenBook


def told(book: Commonplace, before: str, said: str) -> str:
    """End a session in which a user corrects an agent; returns the id of the question."""
    book.session("s1").end([Turn("assistant", before), Turn("user", said)])
    (waiting,) = book.inbox()
    return waiting.memory.id


def holding(book: Commonplace, question: str) -> str:
    """The newer side of a question."""
    return book.get(question).derived_from[0]


@pytest.mark.parametrize(
    ("key", "old", "said", "value"),
    [
        ("office.city", "Utrecht", "No, the office city is Rotterdam now.", "Rotterdam"),
        ("log_level", "INFO", "That's wrong, log_level is DEBUG.", "DEBUG"),
    ],
)
def test_an_accepted_correction_from_a_conversation_keeps_the_key(
    open_vault: OpenBook, clock: Clock, key: str, old: str, said: str, value: str
) -> None:
    person, book = open_vault(source="person"), open_vault(source="mcp")
    person.fact_store(key, old)
    clock.pass_days(2)
    question = told(book, f"The {key.replace('.', ' ')} is {old}.", said)
    person.accept(question, keep=holding(book, question))
    fact = book.fact_recall(key)
    assert fact is not None
    assert (fact.value, fact.trust) == (value, "user")
    assert [one.value for one in book.history(key).versions] == [old, value]
    person.revert(question)
    fact = book.fact_recall(key)
    assert fact is not None
    assert fact.value == old
    assert len(book.inbox()) == 1


def test_a_line_of_facts_keeps_its_place(open_vault: OpenBook, vault: Path, clock: Clock) -> None:
    book = open_vault(source="mcp")
    folder = vault / "system"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "facts.md").write_text("- office.city: Utrecht\n- colour: red\n", encoding="utf-8")
    book.sync()
    clock.pass_days(2)
    question = told(book, "The office city is Utrecht.", "No, the office city is Rotterdam now.")
    as_person(book).accept(question, keep=holding(book, question))
    lines = (folder / "facts.md").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if "office.city" in line] == ["- office.city: Rotterdam"]
    as_person(book).revert(question)
    assert "- office.city: Utrecht" in (folder / "facts.md").read_text(encoding="utf-8")


def test_an_agents_accepted_correction_keeps_the_key(open_vault: OpenBook) -> None:
    person, book = open_vault(source="person"), open_vault(source="mcp")
    person.fact_store("deploy_branch", "main")
    with pytest.raises(Exception, match="waits for that person"):
        book.correct("deploy_branch", "release")
    person.accept(book.inbox()[0].memory.id)
    fact = book.fact_recall("deploy_branch")
    assert fact is not None
    assert fact.value == "release"


@pytest.mark.parametrize(
    ("key", "old", "said", "value"),
    [
        ("deploy_branch", "main", "The deploy branch is release", "release"),
        ("team.lead", "Rosa", "Our team lead is Carla Moreno from now on.", "Carla Moreno"),
        ("api.base_url", "/v1", "api.base_url = https://api.example.com/v2", "https://api.example.com/v2"),
        ("port", "8080", "The port is 9090.", "9090"),
        ("deploy_branch", "main", "The deploy branch is not main, but release", "release"),
    ],
)  # fmt: skip
def test_the_value_of_a_key_is_read_from_a_sentence_about_it(
    key: str, old: str, said: str, value: str
) -> None:
    assert exchanged_value(old, said, key=key) == value


def test_questions_differ_at_a_glance(book: Commonplace) -> None:
    start = "The weekly export of all the invoices of the customers in the northern region"
    pairs = [
        ("The backup job starts at 2 am", "Backups start at 4 am"),
        (f"{start} is sent on Mondays", f"{start} is sent on Wednesdays"),
    ]
    book.save_many([text for pair in pairs for text in pair])
    book.maintain()
    titles = [one.memory.content.partition("\n")[0] for one in book.inbox()]
    slugs = [one.memory.slug for one in book.inbox()]
    assert len(titles) == len(set(titles))
    assert not any(slug.startswith("which-one-holds") for slug in slugs)
    for title in titles:
        first, _, second = title.partition("” or “")
        assert first != second.partition("”")[0]
        assert title.endswith("which one holds?")
        assert len(title) < 160
