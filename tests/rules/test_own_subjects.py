"""What a text tells of one matter is taken out only where what it tells of others stands alone."""

from __future__ import annotations

import pytest

from commonplace.rules.own_subjects import without_matter


def left(text: str, matter: str) -> str | None:
    """What stays; None where that is not sure."""
    found = without_matter(text, lambda told: matter.lower() in told.lower())
    return found.text if found.sure else None


@pytest.mark.parametrize(
    ("text", "matter", "stays"),
    [
        ("Odile keeps the seals, Odette does the minutes.", "Odette", "Odile keeps the seals."),
        ("Odile keeps the seals, Odette does the minutes.", "Odile", "Odette does the minutes."),
        ("Runa feeds the hens and Runo feeds the geese", "Runo", "Runa feeds the hens."),
        ("Runa feeds the hens, while Runo feeds the geese", "Runa", "Runo feeds the geese."),
        ("The sexton has a key; the vicar has the cup", "vicar", "The sexton has a key."),
        (
            "Schwester Alma hat den Schlüssel, Schwester Alwine die Laterne.",
            "Alma",
            "Schwester Alwine hat die Laterne.",
        ),
        (
            "Schwester Alma hat den Schlüssel, Schwester Alwine die Laterne.",
            "Alwine",
            "Schwester Alma hat den Schlüssel.",
        ),
        ("Der Küster hat die Leiter, der Pfarrer das Seil", "Küster", "Der Pfarrer hat das Seil."),
        ("Luc fait le pain et Luce tient la caisse", "Luce", "Luc fait le pain."),
        ("Inés trae el pan y Inma guarda la llave", "Inés", "Inma guarda la llave."),
        ("Ugo porta il pane, Ugolina il vino", "Ugo ", "Ugolina porta il vino."),
        ("A Rita traz o pão e a Rute leva a chave", "Rute", "A Rita traz o pão."),
        ("Joost brengt het brood en Joke heeft de sleutel", "Joke", "Joost brengt het brood."),
        ("The vat leaks. The press needs oil.", "vat", "The press needs oil."),
        ("The vat leaks. It is old. The press needs oil.", "vat", "The press needs oil."),
    ],
)
def test_the_other_statement_stays_and_stands_alone(text: str, matter: str, stays: str) -> None:
    assert left(text, matter) == stays


@pytest.mark.parametrize(
    ("text", "matter"),
    [
        ("Odette does the minutes, the accounts and the big red ledger", "Odette"),
        ("Odette does the minutes and keeps the seals", "Odette"),
        ("The tailor, Mister Finch, is in Rope Street", "tailor"),
        ("My fitting is on Tuesday at three, in Rope Street", "fitting"),
        ("Odette works with Jo and Olga on Fridays", "Odette"),
        ("Odette teaches Odette's nephew, Odette pays the rent", "Odette"),
        ("The vat leaks. It stands in the yard.", "vat"),
        ("# Vat\n\nThe vat leaks.", "vat"),
    ],
)
def test_a_text_about_the_matter_alone_goes_whole(text: str, matter: str) -> None:
    assert left(text, matter) == ""


@pytest.mark.parametrize(
    ("text", "matter"),
    [
        ("Odette has the minutes, Olga and Jo have the seals", "Odette"),
        ("Odette has a boat, Olga has the oars and the motor of it", "Odette"),
        ("Odile and Odette share the office, Olga has the attic", "Odette"),
        ("Odette likes Oslo and Bergen very much", "Odette"),
    ],
)
def test_where_clauses_are_not_clear_nothing_is_sure(text: str, matter: str) -> None:
    assert left(text, matter) is None
