"""`Forget everything I said about X` is obeyed, whatever language it and X were told in."""

from __future__ import annotations

import pytest

from commonplace import Commonplace
from tests.agent.test_typed_in_passing import kept
from tests.conftest import OpenBook

TOLD = (
    "The Zirbel sauna opens at six in the evening",
    "Die Zirbel ist montags geschlossen",
    "La Zirbel ferme en février",
    "La Zirbel está apagada en agosto",
    "La Zirbel costa dodici euro",
    "A Zirbel fica ao lado do rio",
    "De Zirbel heeft twee banken",
)
OTHER = "Die Lärche ist dienstags geschlossen"


@pytest.fixture
def book(open_vault: OpenBook) -> Commonplace:
    return open_vault(source="hook", context={"project": "spa"})


@pytest.mark.parametrize("told", TOLD)
@pytest.mark.parametrize(
    "said",
    [
        "forget everything I said about the Zirbel",
        "Delete all I told you about the Zirbel, please.",
        "lösch alles, was ich über die Zirbel gesagt habe",
        "Vergiss alles, was ich dir zur Zirbel erzählt habe",
        "Vergiss alles, was ich gesagt habe über die Zirbel",
        "oublie tout ce que j'ai dit sur la Zirbel",
        "borra todo lo que he dicho de la Zirbel",
        "dimentica tutto quello che ho detto sulla Zirbel",
        "apaga tudo o que falei da Zirbel",
        "vergeet alles wat ik over de Zirbel heb gezegd",
        "Vergeet alles wat ik heb gezegd over de Zirbel",
    ],
)
def test_one_memory_goes_in_whatever_language_it_is(
    book: Commonplace, told: str, said: str
) -> None:
    for one in (told, OTHER):
        book.save(one)
    book.session("later").add(said, role="user")
    assert kept(book) == [OTHER]


@pytest.mark.parametrize(
    "said",
    [
        "Lösche alles, was ich über die Zirbel gesagt habe",
        "efface tout ce que j'ai dit à propos de la Zirbel",
        "olvida todo lo que dije sobre la Zirbel",
        "vergeet alles wat ik over de Zirbel heb gezegd",
    ],
)
def test_several_memories_go_at_once(book: Commonplace, said: str) -> None:
    for one in (*TOLD[:3], OTHER):
        book.save(one)
    book.session("later").add(said, role="user")
    assert kept(book) == [OTHER]
    assert book.inbox() == []


@pytest.mark.parametrize("about", ["die Zirbel", "the Zirbel", "il Zirbel", "los Zirbel"])
def test_an_article_is_no_word_of_a_description(book: Commonplace, about: str) -> None:
    meant = book.save(TOLD[3])
    book.save(OTHER)
    assert [one.id for one in book.about(about).going] == [meant.id]


def test_an_article_alone_makes_no_turn_one_about_the_matter(book: Commonplace) -> None:
    session = book.session("one")
    session.add("Merke dir: die Lampe hängt im Hof", role="user")
    session.add("Vergiss alles, was ich über die Zirbel gesagt habe", role="user")
    assert "Lampe" in session.entries()[0].content
