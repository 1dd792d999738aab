"""A repair puts its value into what the same person said before, in seven languages."""

from __future__ import annotations

import pytest

from commonplace.ports.reasoner import Turn
from commonplace.rules.talk.lessons import own_sentences
from commonplace.rules.talk.repairs import put_right, repair_opener, repaired


def meant(told: str, reply: str, repair: str) -> list[str]:
    turns = [Turn("user", told), Turn("assistant", reply), Turn("user", repair)]
    return [one.text for one in repaired(turns, own_sentences).turns if one.speaker == "user"]


@pytest.mark.parametrize(
    ("told", "repair", "whole"),
    [
        ("The kiln reaches 1200 degrees.", "no wait, 1250 degrees", "1250 degrees"),
        ("Der Ofen erreicht 1200 Grad.", "nein warte, 1250 Grad", "Der Ofen erreicht 1250 Grad."),
        ("Die Probe ist am Dienstag.", "ach nee, am Mittwoch", "Die Probe ist am Mittwoch."),
        ("Das Boot ist ein Dufour 34.", "Quatsch, ein Dufour 36", "Das Boot ist ein Dufour 36."),
        ("Der Chor singt in Linz.", "moment, in Graz", "Der Chor singt in Graz."),
        ("das Tor ist um 8 offen", "ähm ich meine um 9", "Das Tor ist um 9 offen."),
        ("Le four monte à 1200 degrés.", "non attends, 1250", "Le four monte à 1250 degrés."),
        ("La chorale chante le mardi.", "pardon, le jeudi", "La chorale chante le jeudi."),
        ("La porte est verte.", "je voulais dire bleue", "La porte est bleue."),
        ("El horno llega a 1200 grados.", "no espera, 1250", "El horno llega a 1250 grados."),
        ("El coro canta los martes.", "perdón, quise decir los jueves", "canta los jueves."),
        ("La barca tiene 3 velas.", "digo 4", "La barca tiene 4 velas."),
        ("Il forno arriva a 1200 gradi.", "no aspetta, 1250", "Il forno arriva a 1250 gradi."),
        ("Il coro canta il martedì.", "scusa, volevo dire il giovedì", "canta il giovedì."),
        ("La porta è verde.", "anzi, blu", "La porta è blu."),
        ("O forno chega a 1200 graus.", "não espera, 1250", "O forno chega a 1250 graus."),
        ("O coro canta na terça.", "desculpa, na quinta", "O coro canta na quinta."),
        ("De oven haalt 1200 graden.", "nee wacht, 1250", "De oven haalt 1250 graden."),
        ("Het koor zingt op dinsdag.", "sorry, ik bedoel op donderdag", "zingt op donderdag."),
    ],
)
def test_a_repair_in_the_next_turn_is_part_of_what_was_said(
    told: str, repair: str, whole: str
) -> None:
    first, then = meant(told, "Hm.", repair)
    assert whole in first
    assert not then


@pytest.mark.parametrize(
    ("told", "reply", "said"),
    [
        ("Der Ofen erreicht 1200 Grad.", "Gut.", "Moment, ich hole ihn."),
        ("Der Ofen erreicht 1200 Grad.", "Gut.", "Entschuldigung, wie heißt das Modell 12?"),
        ("Der Ofen erreicht 1200 Grad.", "Ich bestelle 4 Platten.", "nein warte, 6"),
        ("Der Ofen erreicht 1200 Grad.", "Gut.", "Tut mir leid, dass es 20 Minuten dauerte."),
        ("Der Ofen erreicht 1200 Grad.", "Gut.", "sorry, 3 Brote sind verbrannt"),
        ("Le four monte à 1200 degrés.", "Bien.", "Pardon, j'étais au téléphone."),
        ("Le four monte à 1200 degrés.", "Bien.", "attends, il y a 2 fours"),
        ("El coro canta los martes.", "Vale.", "Espera, te mando la lista."),
        ("El coro canta los martes.", "Vale.", "perdón, ¿qué dijiste?"),
        ("Il coro canta il martedì.", "Bene.", "Scusa, ma devo andare."),
        ("Il coro canta il martedì.", "Bene.", "aspetta, arriva qualcuno"),
        ("O coro canta na terça.", "Certo.", "Desculpa, já volto."),
        ("Het koor zingt op dinsdag.", "Oké.", "Wacht, ik zoek het op."),
        ("Which day is the rehearsal?", "On Tuesday.", "sorry, on Thursday"),
        ("Der Chor singt in Linz.", "Gut.", "Er schrieb: „nein warte, in Graz“"),
    ],
)
def test_other_words_after_a_wait_or_an_apology_change_nothing(
    told: str, reply: str, said: str
) -> None:
    assert meant(told, reply, said) == [told, said]


@pytest.mark.parametrize(
    ("told", "whole"),
    [
        ("Wir backen dienstags, nein warte, donnerstags.", "Wir backen donnerstags."),
        ("On ouvre à 8 heures, pardon, à 9 heures.", "On ouvre à 9 heures."),
        ("El taller abre a las 8, digo, a las 9.", "El taller abre a las 9."),
        ("Il forno ha 3 piani, anzi, 4.", "Il forno ha 4 piani."),
        ("O ateliê abre às 8, quer dizer, às 9.", "O ateliê abre às 9."),
        ("De werkplaats opent om 8 uur, ik bedoel, om 9 uur.", "De werkplaats opent om 9 uur."),
    ],
)
def test_a_repair_in_one_breath_is_one_statement(told: str, whole: str) -> None:
    assert own_sentences(told) == [whole]


def test_a_repair_between_several_figures_needs_the_word_beside_it() -> None:
    assert put_right("Der Turm hat 3 Glocken und 14 Stufen", "16 Stufen") == (
        "Der Turm hat 3 Glocken und 16 Stufen."
    )
    assert not put_right("Der Turm hat 3 Glocken und 14 Stufen", "16")


def test_the_reason_of_an_apology_opens_no_repair() -> None:
    assert repair_opener("Entschuldigung, dass ich störe") is None
    assert repair_opener("perdón por la demora") is None
    assert repair_opener("nein warte, 12")
