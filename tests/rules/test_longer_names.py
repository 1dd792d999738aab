"""A longer name that holds another one means something else, and a description leaves it alone."""

from __future__ import annotations

import pytest

from commonplace.language.words import telling_terms
from commonplace.rules.longer_names import without_longer_names


@pytest.mark.parametrize(
    ("matter", "text"),
    [
        ("Greta", "Greta's Bakery opens at six"),
        ("Greta", "Our bread comes from Gretas Bakery"),
        ("greta", "Greta’s Bakery sells rye bread"),
        ("Java", "The Java Sea cruise starts in July"),
        ("Java", "Remember that the Java Sea cruise has room for nine"),
    ],
)
def test_a_name_of_another_thing_does_not_speak_of_the_matter(matter: str, text: str) -> None:
    assert without_longer_names(telling_terms(matter), text) == frozenset()


@pytest.mark.parametrize(
    ("matter", "text"),
    [
        ("Greta", "Greta's Bakery is not run by Greta"),
        ("Greta", "Greta Lund is our plumber"),
        ("Greta", "On Friday Greta, Piet and Jo count the till"),
        ("Greta", "Greta's birthday is in May"),
        ("Greta", "ask greta about the oven"),
        ("Java", "We write the parser in Java"),
        ("Java", "Java's GC pauses too long"),
        ("the dentist", "Dentist Lund called on Monday"),
    ],
)
def test_what_may_speak_of_the_matter_does(matter: str, text: str) -> None:
    assert without_longer_names(telling_terms(matter), text)
