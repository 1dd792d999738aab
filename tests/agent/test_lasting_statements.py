"""Plain statements in languages that the listener has not learned are kept, work talk is not."""

from __future__ import annotations

import pytest

from commonplace import Commonplace
from tests.agent.test_typed_in_passing import kept, talk
from tests.conftest import OpenBook


@pytest.fixture
def book(open_vault: OpenBook) -> Commonplace:
    return open_vault(source="hook", context={"project": "tower"})


@pytest.mark.parametrize(
    "said",
    [
        "Das Uhrwerk der Turmuhr stammt aus Schramberg.",
        "Pfarrer Lindner läutet die kleine Glocke.",
        "Die Leiter zum Dachboden hat 31 Sprossen.",
        "Der Schlüssel zur Sakristei hängt hinter dem Ofen.",
        "Gerda hütet das Gästebuch im Pfarrhaus.",
        "La cloche du village sonne à six heures.",
        "Le moulin appartient à la famille Ferrand.",
        "El telar grande viene de Béjar.",
        "La escalera del faro tiene 88 peldaños.",
        "Il contrappeso della porta è di ghisa.",
        "La chiave della cripta pesa due chili.",
        "O sino da capela pesa 400 quilos.",
        "De klok van de kerk komt uit Aarle.",
    ],
)
def test_how_a_thing_is_is_kept_in_each_language(book: Commonplace, said: str) -> None:
    talk(book, "one", (said, "OK."))
    assert [one.rstrip(".") for one in kept(book)] == [said.rstrip(".")]
    assert [one.kind for one in book.list() if one.kind != "session-summary"] == ["insight"]


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("Fertig.", "Die Tabelle mit den Glocken ist noch leer."),
        ("Fertig.", "Der Test für die Glocken schlägt fehl."),
        ("Ich habe die Glocken sortiert.", "Die Glocken stehen in der zweiten Spalte doppelt."),
        ("Fertig.", "Das sieht gut aus, danke dir."),
        ("Fertig.", "Die Seite lädt heute sehr langsam."),
        ("Fertig.", "Das wäre vielleicht eine gute Idee."),
        ("Fertig.", "Leg bitte die Liste der Glocken an."),
        ("Fertig.", "Zeig mir die Liste der Glocken."),
        ("Voilà.", "La page des cloches ne marche pas."),
        ("Voilà.", "Le tableau des cloches est encore vide."),
        ("Hecho.", "La tabla de campanas está vacía."),
        ("Hecho.", "El botón de la campana no funciona."),
        ("Fatto.", "La pagina delle campane è ancora vuota."),
        ("Klaar.", "De tabel met klokken is nog leeg."),
        ("Fertig.", "Wann läutet die kleine Glocke am Sonntag?"),
    ],
)
def test_talk_of_the_work_is_not_kept(book: Commonplace, before: str, said: str) -> None:
    talk(book, "one", ("Los.", before), (said, "OK."))
    assert kept(book) == []


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("Ricorda che il vetro rosso copre la lampada.", "Il vetro rosso copre la lampada."),
        ("Retiens bien : la cloche sonne à six heures.", "La cloche sonne à six heures."),
        ("Lembra que o portão range no inverno.", "O portão range no inverno."),
        ("Onthoud dat de trap zeven treden heeft.", "De trap zeven treden heeft."),
    ],
)
def test_what_is_to_be_remembered_is_kept_in_each_language(
    book: Commonplace, said: str, line: str
) -> None:
    talk(book, "one", (said, "OK."))
    assert kept(book) == [line]
