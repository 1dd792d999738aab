"""A wish to forget a matter is told from talk of the work that uses the same words."""

from __future__ import annotations

import pytest

from commonplace.rules.talk import off_record
from commonplace.rules.talk.forget_wishes import named_wish

WISHES = {
    "scrap the dentist thing": "dentist",
    "ok forget the standup thing, we cancelled it": "standup",
    "we don't do standups any more. forget the standup thing please": "standup",
    "never mind what I said about the Lisbon trip": "the Lisbon trip",
    "ignore what I said yesterday about the budget": "the budget",
    "I take back what I said about the budget": "the budget",
    "what I said about the budget earlier, scratch that": "the budget",
    "delete what I told you about my salary from your notes": "my salary",
    "forget that I ever mentioned Piet": "Piet",
    "forget about Piet because he retired": "Piet",
    "actually you can forget about Dr. Weber": "Dr. Weber",
    "you can forget the parking spot": "the parking spot",
    "the trip is off, so forget about the Lisbon trip": "the Lisbon trip",
    "could you forget about the Lisbon trip?": "the Lisbon trip",
    "drop the note on the parking spot": "the parking spot",
    "strike the parking spot from memory": "the parking spot",
    "remove the dentist from your notes please": "the dentist",
    "pls forget what i told u about my landlord": "my landlord",
    "erase everything you know about my salary": "my salary",
    "disregard my earlier note on the tent": "the tent",
    "forget the thing about the tent": "the tent",
    "forget my allergy to nuts, the test was negative": "allergy to nuts",
    "the tent thing is off, forget it": "tent",
    "das Zelt kannst du vergessen": "das Zelt",
    "vergiss alles über das Zelt": "das Zelt",
    "Was ich über das Zelt gesagt habe, gilt nicht mehr": "das Zelt",
    "efface tout ce que tu sais sur la tente": "la tente",
    "no hagas caso de lo que dije sobre la tienda": "la tienda",
    "vergiss das mit dem Zahnarzt": "dem Zahnarzt",
    "Vergiss bitte die Sache mit dem Umzug": "dem Umzug",
    "vergiss, was ich über den Zahnarzt gesagt habe": "den Zahnarzt",
    "Das mit dem Zahnarzt kannst du vergessen": "dem Zahnarzt",
    "Kannst du bitte das mit dem Zahnarzt vergessen?": "dem Zahnarzt",
    "streich das mit dem Zahnarzt": "dem Zahnarzt",
    "lösch die Notiz zum Zahnarzt": "Zahnarzt",
    "oublie ce que j'ai dit sur le pain de seigle": "le pain de seigle",
    "laisse tomber l'histoire du pain": "pain",
    "tu peux oublier le pain de seigle": "le pain de seigle",
    "olvida lo de la reunión": "la reunión",
    "olvida lo que dije de la reunión": "la reunión",
    "borra la nota sobre la reunión": "la reunión",
    "dimentica quello che ho detto sul mutuo": "mutuo",
    "lascia perdere il mutuo": "il mutuo",
    "esquece o que eu disse sobre o ensaio": "o ensaio",
    "apaga a nota sobre o ensaio": "o ensaio",
    "Esqueça aquilo do ensaio": "ensaio",
    "vergeet wat ik over Piet zei": "Piet",
}

STATED = {
    "forget that the oven opens at six": "the oven opens at six",
    "you can forget that Ilka waters the ferns, thanks": "Ilka waters the ferns",
    "please forget the fact that the gate code is 4711": "the gate code is 4711",
    "Could you forget that I live in Graz?": "I live in Graz",
    "vergiss bitte, dass der Ofen um sechs öffnet": "der Ofen um sechs öffnet",
    "oublie que le four ouvre à six heures": "le four ouvre à six heures",
    "olvida que el horno abre a las seis": "el horno abre a las seis",
    "dimentica che il forno apre alle sei": "il forno apre alle sei",
    "esquece que o forno abre às seis": "o forno abre às seis",
    "vergeet dat de oven om zes uur opent": "de oven om zes uur opent",
}
WORK = [
    "forget that idea",
    "forget that, we use yeast",
    "forget that branch, go on",
    "don't forget that the oven opens at six",
    "I forgot that the oven opens at six",
    "you forget that the oven opens at six",
    "did you forget that the oven opens at six?",
    "she said to forget that the oven opens at six",
    "forget that the oven opens at six for now",
    "vergiss nicht, dass der Ofen um sechs öffnet",
    "vous oubliez que le four ouvre à six heures",
    "no olvides que el horno abre a las seis",
    "non dimenticare che il forno apre alle sei",
    "vergeet dat idee",
    "forget the cache",
    "forget about the cache, use redis",
    "forget about the tests for now",
    "forget about the migration",
    "you can forget the semicolon",
    "never mind, it works now",
    "never mind the typo",
    "drop the table users",
    "scrap the old branch",
    "drop that from the list",
    "don't forget the dentist",
    "please don't forget about the dentist",
    "I forgot the dentist",
    "did you forget about the dentist?",
    "we should never forget what the client said about colours",
    'she said: "forget about the dentist"',
    "he told me to forget about the trip",
    "The customer wrote: forget what I said about the invoice",
    'Add a "forget about the trip" button',
    "translate 'never mind what I said about the trip' into German",
    "if the user says forget about the trip, clear it",
    "forget about it",
    "forget about that",
    "please forget this afterwards",
    "drop everything in the cache",
    "keep the note about retries in the README",
    "remove all of the comments",
    "clear everything on the page",
    "forget the whole thing",
    "remove the comment about retries from main.py",
    "Forget everything about the old design, start fresh",
    "vergiss nicht den Zahnarzt",
    "ich habe vergessen, was ich über den Zahnarzt gesagt habe",
    "lass das mit dem Refactoring erstmal",
    "n'oublie pas le pain",
    "no olvides la reunión",
    "non dimenticare il mutuo",
    "não esqueça o ensaio",
]


@pytest.mark.parametrize(("said", "matter"), WISHES.items())
def test_a_wish_names_its_matter(said: str, matter: str) -> None:
    wish = named_wish(said)
    assert wish is not None
    assert wish.about == matter


@pytest.mark.parametrize(("said", "matter"), STATED.items())
def test_a_matter_may_be_a_whole_sentence(said: str, matter: str) -> None:
    wish = off_record.wish_to_forget(said)
    assert wish is not None
    assert (wish.about, wish.stated) == (matter, True)


@pytest.mark.parametrize("said", WORK)
def test_talk_of_the_work_is_no_wish(said: str) -> None:
    assert off_record.wish_to_forget(said) is None


@pytest.mark.parametrize(
    ("said", "rest"),
    [
        ("Never mind what I said about Redis, we use Valkey now", "we use Valkey now"),
        ("forget about Piet because he retired", ""),
        ("Thanks. Scrap the dentist thing. Now the parser", "Thanks.\nNow the parser"),
    ],
)
def test_what_is_said_with_a_wish_is_left(said: str, rest: str) -> None:
    wish = named_wish(said)
    assert wish is not None
    assert wish.rest == rest
