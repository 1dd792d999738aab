"""A rule that a user states in a session is in the inbox at once, at the start after a yes."""

from __future__ import annotations

import pytest

from commonplace import Commonplace, Refused
from commonplace.agent.sessions import SessionEnded
from commonplace.ports.reasoner import Turn
from tests import as_person
from tests.conftest import OpenBook

HERE = {"project": "tiles"}
RULES = [
    ("from now on always run golangci-lint before you commit", "golangci-lint"),
    ("Please never push to the branch main.", "push to the branch main"),
    ("Use pnpm, never npm.", "pnpm"),
    ("In future, write dates as MM/DD.", "MM/DD"),
    ("Don't add comments to generated files.", "generated files"),
]


def heard(book: Commonplace, text: str, session: str = "monday") -> SessionEnded:
    """A session of a host in which the user says something."""
    return book.as_context(HERE, source="hook").session(session).end([Turn("user", text)])


def start(book: Commonplace) -> str:
    return book.as_context(HERE, source="hook").session_start().text


@pytest.mark.parametrize(("said", "words"), RULES)
def test_a_rule_of_the_user_waits_in_the_inbox_and_comes_after_a_yes(
    open_vault: OpenBook, said: str, words: str
) -> None:
    book = open_vault()
    (added,) = heard(book, said).added
    (waiting,) = book.inbox()
    assert (waiting.action, waiting.memory.id) == ("confirm", added.id)
    assert book.status().waiting == 1
    assert book.standing().waiting == 1
    assert words not in start(book)
    assert added.id in [hit.memory.id for hit in book.as_context(HERE).recall(words)]
    as_person(book).accept(added.id)
    assert words in start(book)
    assert "unconfirmed" not in start(book).partition(words)[0].splitlines()[-1]
    assert book.inbox() == []
    assert book.status().waiting == 0


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("We ship from the branch `stable`, not from main.", "`stable`"),
        ("The tests run with `just test-all`, plain pytest misses the fixtures.", "just test-all"),
    ],
)
def test_a_statement_that_no_session_may_begin_with_is_asked_about(
    open_vault: OpenBook, said: str, words: str
) -> None:
    book = open_vault()
    (added,) = heard(book, said).added
    assert words not in start(book)
    assert [(one.action, one.memory.id) for one in book.inbox()] == [("confirm", added.id)]
    assert book.status().waiting == 1
    as_person(book).accept(added.id)
    assert words in start(book)
    assert book.inbox() == []


def test_a_plain_statement_of_the_user_asks_for_nothing(open_vault: OpenBook) -> None:
    book = open_vault()
    assert heard(book, "The staging box is heron-2, port 8443.").added
    assert book.inbox() == []


def test_an_order_that_an_agent_infers_stays_out_of_the_inbox(open_vault: OpenBook) -> None:
    book = open_vault()
    book.save("Deploys run `make ship` on the release branch", kind="insight")
    assert book.inbox() == []


def test_a_wish_without_an_order_comes_at_once_and_is_marked(open_vault: OpenBook) -> None:
    book = open_vault()
    heard(book, "I prefer tabs over spaces.")
    assert "unconfirmed) I prefer tabs" in start(book)
    assert [one.action for one in book.inbox()] == ["confirm"]
    as_person(book).accept(book.inbox()[0].memory.id)
    assert "(preference) I prefer tabs" in start(book)


def test_a_rule_that_a_person_rejects_is_gone_and_not_saved_again(open_vault: OpenBook) -> None:
    book = open_vault()
    (added,) = heard(book, "Please never push to the branch main.").added
    as_person(book).reject(added.id)
    again = heard(book, "Please never push to the branch main.", "tuesday")
    assert again.added == ()
    assert again.kept_back == ("A person has rejected this already.",)
    with pytest.raises(Refused, match="rejected this already"):
        book.as_context(HERE).save("Never push to the branch main.", kind="preference")
    assert book.inbox() == []


def test_an_order_that_an_agent_saves_as_a_preference_is_seen(open_vault: OpenBook) -> None:
    book = open_vault()
    saved = book.save("Always run the linter before a commit", kind="preference")
    assert [one.memory.id for one in book.inbox()] == [saved.id]


def test_what_an_agent_only_infers_asks_for_nothing(open_vault: OpenBook) -> None:
    book = open_vault()
    book.save("Ada drinks tea in the morning", kind="preference")
    assert book.inbox() == []


def test_a_start_says_that_something_waits(open_vault: OpenBook) -> None:
    book = open_vault()
    as_person(book).fact_store("branch", "main", scope="/project/tiles")
    book.as_context(HERE, source="hook").prompt("which branch?")
    heard(book, "from now on always run golangci-lint before you commit")
    started = book.as_context(HERE, source="hook").session_start(agent="claude").text
    assert "1 waits in the inbox." in started, "although the start names its host as agent"


def test_the_host_is_the_origin_of_what_its_sessions_taught(open_vault: OpenBook) -> None:
    book = open_vault()
    done = (
        book.as_context(HERE)
        .session("monday")
        .end([Turn("user", "I prefer tabs over spaces.")], agent="claude")
    )
    assert [one.memory.source_agent for one in done.added] == ["claude"]
    assert done.summary is not None
    assert (done.summary.source_agent, str(done.summary.scope)) == ("claude", "/project/tiles")


@pytest.mark.parametrize(
    "said",
    [
        "By the way I'm allergic to latex, so no latex gloves please",
        "I'm vegan, so never put honey into a menu",
        "My birthday is on 9 June, so never plan a release for that day",
        "No latex gloves please, because I'm allergic to it",
    ],
)
def test_a_fact_and_the_wish_that_follows_from_it_are_one_memory(
    open_vault: OpenBook, said: str
) -> None:
    book = open_vault()
    for session in ("monday", "tuesday"):
        heard(book, said, session)
    (kept,) = book.list()
    assert kept.content.casefold().rstrip(".") == said.casefold().removeprefix("by the way ")


def test_a_fact_of_the_person_beside_one_of_the_project_holds_everywhere(
    open_vault: OpenBook,
) -> None:
    book = open_vault()
    heard(book, "I'm vegan, and never push to the branch main in this project")
    own = [one for one in book.list() if one.scope.value("project") is None]
    assert [one.content for one in own] == ["I'm vegan."]
