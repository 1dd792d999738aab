"""No live summary of a session names what a user asked to forget, nor the wish."""

from __future__ import annotations

import pytest

from commonplace import Commonplace
from commonplace.ports.reasoner import Turn
from commonplace.rules.talk.forget_wishes import named_wish
from tests.agent.test_typed_in_passing import kept, talk
from tests.conftest import OpenBook

WORK = "Please write the programme for the spring concert as a two page leaflet."
DONE = "I wrote the leaflet: the first page has the programme, the second one the names."


@pytest.fixture
def book(open_vault: OpenBook) -> Commonplace:
    return open_vault(source="hook", context={"project": "choir"})


def summaries(book: Commonplace) -> list[str]:
    """Titles and texts of the live summaries."""
    return [f"{one.title}\n{one.content}" for one in book.list(kinds=["session-summary"])]


WISHES = [
    "Forget that the gondolier rings on Mondays.",
    "Drop the note on the gondolier.",
    "Forget what I said about the gondolier.",
    "You can forget the gondolier.",
    "Vergiss, dass der Gondolier montags klingelt.",
    "Vergiss das mit dem Gondolier.",
    "Oublie que le gondolier sonne le lundi.",
    "Olvida que el gondolier llama los lunes.",
    "Dimentica che il gondolier suona il lunedì.",
    "Esquece que o gondolier toca às segundas.",
    "Vergeet dat de gondolier op maandag belt.",
]


@pytest.mark.parametrize("said", WISHES)
@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("captured", [True, False])
def test_the_wish_is_in_no_summary(
    book: Commonplace, said: str, first: bool, captured: bool
) -> None:
    pairs = [(said, "Done, the gondolier is forgotten."), (WORK, DONE)]
    pairs = pairs if first else pairs[::-1]
    if captured:
        session = book.session("one")
        for user, agent in pairs:
            session.add(user, role="user")
            session.add(agent, role="assistant")
        session.end()
    else:
        talk(book, "one", *pairs)
    [told] = summaries(book)
    assert "gondolier" not in told.lower()
    assert "programme" in told.splitlines()[0]


def test_what_was_said_before_the_wish_is_in_no_summary_and_what_comes_after_is(
    book: Commonplace,
) -> None:
    talk(
        book,
        "one",
        ("Let's paint the gondola hut green. We print forty leaflets.", "Forty leaflets it is."),
        ("Forget about the gondola hut, we rent the barn.", "The gondola hut is out."),
        ("Decision: we rent the barn until October.", "Noted."),
    )
    [told] = summaries(book)
    assert "hut" not in told
    assert "barn" in told


@pytest.mark.parametrize(
    "said", ["drop the note on the varnish", "Forget that Ilka brings the varnish."]
)
def test_a_summary_of_an_earlier_session_loses_its_line(book: Commonplace, said: str) -> None:
    talk(book, "one", (WORK, DONE), ("No, Ilka brings the varnish, not the wax", "Noted."))
    assert any("varnish" in one for one in summaries(book))
    for one in book.list():
        if one.kind != "session-summary":
            book.forget(one.id)
    book.session("two").add(said, role="user")
    [told] = summaries(book)
    assert "varnish" not in told
    assert "leaflet" in told


def test_what_is_repeated_to_be_forgotten_ends(book: Commonplace) -> None:
    for one in ("The gondolier rings on Mondays", "The gondolier has a red boat"):
        book.save(one)
    book.session("later").add("Please forget that the gondolier rings on Mondays.", role="user")
    assert kept(book) == ["The gondolier has a red boat"]


@pytest.mark.parametrize(
    "said",
    [
        "forget that branch",
        "Forget that, let's use the old hall",
        "You forget that the gondolier rings on Mondays",
        "Never forget that the gondolier rings on Mondays",
        "Don't forget that the gondolier rings on Mondays",
        "Vergiss nicht, dass der Gondolier montags klingelt",
        "N'oublie pas que le gondolier sonne le lundi",
        "We must not forget that the gondolier rings on Mondays",
    ],
)
def test_a_reminder_is_no_wish_to_forget(said: str) -> None:
    assert named_wish(said) is None


def test_a_session_of_a_wish_alone_leaves_no_summary(book: Commonplace) -> None:
    book.session("one").end(
        [Turn("user", "Drop the note on the gondolier."), Turn("assistant", "Gone.")]
    )
    assert summaries(book) == []


@pytest.mark.parametrize("captured", [True, False])
@pytest.mark.parametrize(
    ("wish", "again"),
    [
        ("Drop the note on the gondolier.", "Forget what I just said."),
        ("Vergiss das mit dem Gondolier.", "Vergiss, was ich eben gesagt habe"),
        ("Forget what I said about the gondolier.", "Vergiss, was ich eben gesagt habe"),
        ("Forget that the gondolier rings on Mondays.", "Forget what I just said."),
    ],
)
def test_what_takes_back_a_wish_does_not_undo_it(
    book: Commonplace, wish: str, again: str, captured: bool
) -> None:
    said = ("Remember that the gondolier rings on Mondays at noon", wish, again, WORK)
    if captured:
        session = book.session("one")
        for one in said:
            session.add(one, role="user")
        session.end()
    else:
        agent = book.as_context({"project": "choir"})
        agent._engine = agent._engine.but(source="mcp")  # pyright: ignore[reportPrivateUsage]
        agent.session("one").end([Turn("user", one) for one in said])
    assert "gondolier" not in " ".join((*kept(book), *summaries(book))).lower()


def test_what_is_told_beside_a_wish_is_taken_back(book: Commonplace) -> None:
    session = book.session("one")
    session.add("Drop the note on the gondolier. Remember that the hall is oak.", role="user")
    session.add("Forget what I just said.", role="user")
    session.end()
    assert not [one for one in kept(book) if "oak" in one]
