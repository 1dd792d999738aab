"""Two memories that contradict each other, until a person decides: marked, and never sure."""

from __future__ import annotations

from datetime import timedelta

import pytest

from commonplace import Commonplace
from commonplace.model.identity import short_id
from commonplace.model.memory import Memory
from commonplace.ports.reasoner import Turn
from tests import as_person
from tests.conftest import Clock, OpenBook

OLD, NEW = "The backup job starts at 2 am", "Backups start at 4 am"
QUESTION = "when does the backup start?"


@pytest.fixture
def disputed(open_vault: OpenBook, clock: Clock) -> tuple[Commonplace, Memory, Memory]:
    """A book with an older and a newer memory that a person is asked about."""
    book = open_vault(embedder="bundled")
    old, new = book.save_many([OLD, NEW])
    clock.pass_days(1)
    book.save("The office plants are watered on Fridays")
    book.maintain()
    assert [one.action for one in book.inbox()] == ["contradiction"]
    return book, old.memory, new.memory


def test_the_newer_comes_first_and_each_names_the_other(
    disputed: tuple[Commonplace, Memory, Memory],
) -> None:
    book, old, new = disputed
    found = book.recall(QUESTION)
    assert [hit.memory.id for hit in found][:2] == [new.id, old.id]
    assert [hit.disputed_with for hit in found][:2] == [(old.id,), (new.id,)]
    assert found.sure != "strong"
    for hit, other in zip(found, (old, new), strict=False):
        assert short_id(other.id) in " ".join(why.words for why in hit.why)


def test_one_that_is_found_alone_names_the_other(
    disputed: tuple[Commonplace, Memory, Memory],
) -> None:
    book, old, new = disputed
    (hit,) = book.recall(OLD, limit=1)
    other = {old.id: new.id, new.id: old.id}[hit.memory.id]
    assert hit.disputed_with == (other,)
    assert book.recall(OLD, limit=1).sure != "strong"


def test_a_prompt_shows_both_with_the_short_id_of_the_other(
    disputed: tuple[Commonplace, Memory, Memory],
) -> None:
    book, old, new = disputed
    made = book.prompt(QUESTION)
    assert made.ids == (new.id, old.id)
    for one, other in ((old, new), (new, old)):
        (line,) = [line for line in made.text.splitlines() if f"[{short_id(one.id)}]" in line]
        assert f"disputed by {short_id(other.id)}" in line


def test_after_the_decision_nothing_is_disputed(
    disputed: tuple[Commonplace, Memory, Memory],
) -> None:
    book, _, new = disputed
    (waiting,) = book.inbox()
    as_person(book).accept(waiting.memory.id, keep=new.id)
    found = book.recall(QUESTION)
    assert found[0].memory.id == new.id
    assert found[0].disputed_with == ()
    as_person(book).revert(waiting.memory.id)
    as_person(book).reject(book.inbox()[0].memory.id)
    assert {hit.disputed_with for hit in book.recall(QUESTION)} == {()}


def test_a_person_s_word_comes_first_and_is_disputed_too(url: str, open_at: OpenBook) -> None:
    person = open_at(url, source="cli").save("Bob lives in Munich").memory
    book = open_at(url, source="mcp")
    agents = book.save("Bob lives in Berlin").memory
    found = book.recall("where does Bob live?")
    assert [hit.memory.id for hit in found] == [person.id, agents.id]
    assert [hit.disputed_with for hit in found] == [(agents.id,), (person.id,)]
    assert found.sure == "weak"


def test_a_question_of_today_says_nothing_of_an_earlier_day(
    disputed: tuple[Commonplace, Memory, Memory], clock: Clock
) -> None:
    book, old, _ = disputed
    clock.pass_days(1)
    (hit,) = book.recall(QUESTION, as_of=old.created + timedelta(hours=1), limit=1)
    assert hit.disputed_with == ()


def test_a_fact_that_a_person_corrected_in_a_conversation_is_marked_everywhere(
    url: str, open_at: OpenBook
) -> None:
    fact = open_at(url, source="cli").fact_store("deploy.branch", "release").memory
    book = open_at(url, source="hook")
    assert not book.marks([fact])
    before, said = "We deploy from release.", "not any more: since Monday we deploy from trunk"
    book.session("s1").end([Turn("assistant", before), Turn("user", said)])
    (question,) = book.inbox()
    new = question.memory.derived_from[0]
    assert book.marks([fact])[fact.id].disputed_with == (new,)
    assert "- (fact, disputed) deploy.branch: release" in book.session_start().text
    assert f"release (or: {book.get(new).content})" in book.session_start().text
    open_at(url, source="cli").accept(question.memory.id, keep=new)
    held = book.fact_recall("deploy.branch")
    assert held is not None
    assert held.value == "trunk"
    assert "- deploy.branch: trunk" in book.session_start().text


def test_a_fact_ends_where_its_new_value_cannot_be_told(url: str, open_at: OpenBook) -> None:
    open_at(url, source="cli").fact_store("currency", "EUR")
    book = open_at(url, source="hook")
    said = "Not any more: from January on Femke wants CHF, and the shop in Oslo NOK."
    book.session("s1").end([Turn("assistant", "The currency is EUR."), Turn("user", said)])
    (question,) = book.inbox()
    new = question.memory.derived_from[0]
    open_at(url, source="cli").accept(question.memory.id, keep=new)
    assert book.fact_recall("currency") is None
    assert "CHF" in book.get(new).content
