"""What people say in other languages than English is kept as plainly, and in the same place."""

from __future__ import annotations

import pytest

from commonplace import Commonplace
from commonplace.rules.talk.lessons import is_about_person
from commonplace.rules.talk.personal_facts import personal_facts
from tests.agent.test_typed_in_passing import kept, talk
from tests.conftest import OpenBook


@pytest.mark.parametrize(
    ("said", "line"),
    [
        (
            "Tut mir leid, Korrektur: den Leim rühren wir aus Quark und Kalk, nicht aus Mehl.",
            "Den Leim rühren wir aus Quark und Kalk, nicht aus Mehl.",
        ),
        (
            "Entschuldigung, ich meinte: die Uhr hat 12 Räder, nicht 9.",
            "Die Uhr hat 12 Räder, nicht 9.",
        ),
        (
            "Désolé, je voulais dire : la vitre a 24 carreaux, pas 16.",
            "La vitre a 24 carreaux, pas 16.",
        ),
        ("Perdona, corrección: la masa lleva miel, no azúcar.", "La masa lleva miel, no azúcar."),
        (
            "Scusa, correzione: la colla si fa con la calce, non con la farina.",
            "La colla si fa con la calce, non con la farina.",
        ),
        ("Desculpa, correção: a massa leva mel, não açúcar.", "A massa leva mel, não açúcar."),
        (
            "Sorry, ik bedoelde: de klok heeft 12 raderen, niet 9.",
            "De klok heeft 12 raderen, niet 9.",
        ),
    ],
)
def test_words_that_only_open_a_correction_are_not_kept(
    book: Commonplace, said: str, line: str
) -> None:
    talk(book, "one", ("Schau bitte in die Datei.", "Ok."), (said, "Ok."))
    assert kept(book) == [line]


@pytest.mark.parametrize(
    ("correction", "further"),
    [
        (
            "Entschuldigung, ich meinte: die Uhr hat 12 Räder, nicht 9.",
            "Rosa, meine Nichte, hat am 4. Mai Geburtstag.",
        ),
        (
            "Pardon, je voulais dire : la vitre a 24 carreaux, pas 16.",
            "Rosa, ma nièce, fête son anniversaire le 4 mai.",
        ),
        (
            "Perdón, quise decir: el reloj tiene 12 ruedas, no 9.",
            "Rosa, mi sobrina, cumple años el 4 de mayo.",
        ),
    ],
)
def test_a_sentence_that_stands_alone_is_glued_to_no_other(
    book: Commonplace, correction: str, further: str
) -> None:
    talk(book, "one", (correction, "12."), (further, "Ok."))
    assert further in kept(book)
    assert len(kept(book)) == 2
    assert not book.inbox()


@pytest.mark.parametrize(
    "said",
    [
        "Antworte in diesem Projekt bitte immer kurz und auf Deutsch.",
        "Dans ce projet, réponds toujours en français et brièvement.",
        "En este proyecto responde siempre en español.",
        "In questo progetto rispondi sempre in italiano.",
        "Neste projeto responde sempre em português.",
        "Antwoord in dit project altijd kort en in het Nederlands.",
    ],
)
def test_a_rule_of_this_project_is_the_project_s(open_vault: OpenBook, said: str) -> None:
    book = open_vault(context={"project": "clock"})
    talk(book, "one", (said, "Ok."))
    assert [(one.content, str(one.scope)) for one in book.list() if one.kind == "preference"] == [
        (said, "/project/clock")
    ]


@pytest.mark.parametrize(
    "said",
    [
        "Antworte mir in jedem Projekt auf Deutsch.",
        "Réponds-moi en français dans chaque projet, je préfère.",
        "Prefiero respuestas cortas en cada proyecto.",
        "Answer me briefly in every project.",
        "In ogni progetto per me rispondi nella mia lingua.",
        "Em cada projeto quero respostas na minha língua.",
        "Antwoord mij in elk project in mijn taal.",
    ],
)
def test_a_rule_of_every_project_is_the_person_s(said: str) -> None:
    assert is_about_person(said)


@pytest.mark.parametrize(
    "said",
    [
        "Wir haben beschlossen, die zweite Glocke nicht zu gießen.",
        "Wir haben uns entschieden, das Dach mit Schiefer zu decken, weil es hält.",
        "On a décidé de ne pas fondre la deuxième cloche.",
        "Nous avons décidé de couvrir le toit d'ardoise parce que ça tient.",
        "Hemos decidido no fundir la segunda campana.",
        "Abbiamo deciso di non fondere la seconda campana perché costa troppo.",
        "Decidimos não fundir o segundo sino.",
        "We hebben besloten de tweede klok niet te gieten.",
    ],
)
def test_a_decision_is_kept(book: Commonplace, said: str) -> None:
    talk(book, "one", (said, "Ok."))
    assert kept(book) == [said]


@pytest.mark.parametrize(
    "said",
    [
        "Haben wir beschlossen, die zweite Glocke zu gießen?",
        "Wir haben noch nicht beschlossen, was mit der Glocke wird?",
        "Wir haben beschlossen, heute früher aufzuhören.",
        "On a décidé de manger d'abord.",
        "¿Hemos decidido fundir la campana?",
        "Abbiamo deciso di continuare domani.",
        "Decidimos parar agora.",
        "We hebben besloten straks verder te gaan.",
    ],
)
def test_a_question_and_a_plan_for_today_are_no_decision(book: Commonplace, said: str) -> None:
    talk(book, "one", (said, "Ok."))
    assert kept(book) == []


@pytest.mark.parametrize(
    ("said", "line"),
    [
        (
            "Non, pas des tableaux, des listes s'il te plaît. Toujours.",
            "Pas des tableaux, des listes s'il te plaît, toujours.",
        ),
        (
            "Nein, keine Tabellen, bitte Listen. Immer.",
            "Keine Tabellen, bitte Listen, immer.",
        ),
        ("No, not tables, lists please. Always.", "Not tables, lists please, always."),
        ("Escribe los nombres con mayúscula, siempre.", ""),
        ("Scrivi sempre le date come 5.11.2026.", ""),
        ("Non usare mai le tabelle per gli indici.", ""),
        ("Escreve sempre as datas por extenso.", ""),
        ("Schrijf de maten altijd in millimeters.", ""),
        ("N'écris jamais les noms en majuscules.", ""),
    ],
)
def test_a_rule_from_now_on_is_kept_as_one(open_vault: OpenBook, said: str, line: str) -> None:
    book = open_vault(context={"project": "clock"})
    talk(book, "one", ("Schau bitte in die Datei.", "Ok."), (said, "Ok."))
    assert [(one.kind, one.content) for one in book.list() if one.kind != "session-summary"] == [
        ("preference", line or said)
    ]


@pytest.mark.parametrize(
    "said",
    [
        "Schreibst du die Namen immer groß?",
        "Schreib die Namen bitte groß.",
        "Il script écrit toujours deux fichiers.",
        "¿Escribes siempre los nombres con mayúscula?",
        "Escribe los nombres con mayúscula.",
        "Scrivi la data nel titolo.",
        "Perché scrivi sempre due volte la data?",
        "Schrijf de datum in de titel.",
        "Der Test schlägt fehl. Immer.",
        "Le test échoue. Toujours.",
    ],
)
def test_a_question_an_order_and_a_report_are_no_rule(open_vault: OpenBook, said: str) -> None:
    book = open_vault(context={"project": "clock"})
    talk(book, "one", ("Schau bitte in die Datei.", "Ok."), (said, "Ok."))
    assert not [one.content for one in book.list() if one.kind == "preference"]


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        ("und ich bin Linkshänder, deshalb die Zange spiegelverkehrt", "Ich bin Linkshänder."),
        ("et je suis gauchère, donc la pince en miroir", "Je suis gauchère."),
        ("y soy zurdo, así que la pinza al revés", "Soy zurdo."),
        ("e sono mancina, quindi la pinza al contrario", "Sono mancina."),
        ("e sou canhoto, por isso a pinça ao contrário", "Sou canhoto."),
        ("en ik ben linkshandig, dus de tang in spiegelbeeld", "Ik ben linkshandig."),
        ("Rosa, meine Nichte, hat am 4. Mai Geburtstag.", ""),
        ("Ma nièce Rosa fête son anniversaire le 4 mai.", ""),
        ("Mi sobrina Rosa cumple años el 4 de mayo.", ""),
        ("Mia nipote Rosa compie gli anni il 4 maggio.", ""),
        ("Minha sobrinha Rosa faz anos em 4 de maio.", ""),
        ("Mijn nichtje Rosa is jarig op 4 mei.", ""),
    ],
)
def test_a_fact_about_the_person_and_their_kin_is_theirs(
    open_vault: OpenBook, said: str, fact: str
) -> None:
    book = open_vault(context={"project": "clock"})
    talk(book, "one", ("Schau bitte in die Datei.", "Ok."), (said, "Ok."))
    assert [
        (one.kind, one.content.rstrip("."), str(one.scope))
        for one in book.list()
        if one.kind != "session-summary"
    ] == [("insight", (fact or said).rstrip("."), "/")]


@pytest.mark.parametrize(
    "said",
    [
        "Bin ich Linkshänder?",
        "Ich bin gleich wieder da.",
        "Je suis en réunion.",
        "Soy yo otra vez.",
        "Sono in ritardo.",
        "Hat meine Nichte im Mai Geburtstag?",
    ],
)
def test_what_passes_and_what_is_asked_is_no_fact_about_the_person(said: str) -> None:
    assert not personal_facts(said)


@pytest.mark.parametrize(
    "said",
    [
        "don't use the wide tables just now, my screen is tiny",
        "this time use tabs in the export",
        "Schreib als Nächstes den Bericht über die Orgel.",
        "Gib die Längen heute bitte in Zoll an",
        "cette fois, mets les longueurs en pouces",
        "esta vez usa pulgadas en la tabla",
        "stavolta usa i pollici nella tabella",
    ],
)
def test_a_wish_for_this_once_is_no_preference(book: Commonplace, said: str) -> None:
    talk(book, "one", (said, "OK."))
    assert kept(book) == []


@pytest.mark.parametrize(
    "said",
    [
        "Always put today on top of the list of dates.",
        "Schreib die Berichte ab heute immer auf Deutsch.",
        "I prefer tables to lists.",
    ],
)
def test_a_wish_that_holds_on_is_kept_though_it_names_a_day(book: Commonplace, said: str) -> None:
    talk(book, "one", (said, "OK."))
    assert [one.rstrip(".") for one in kept(book)] == [said.rstrip(".")]


@pytest.mark.parametrize(
    "said",
    [
        "es ist kein Zeiss, sondern ein Leitz Ortholux",
        "no es una Sartorius, es una Mettler nueva",
    ],
)
def test_what_something_is_instead_is_no_preference(book: Commonplace, said: str) -> None:
    talk(book, "one", (said, "OK."))
    assert [one.kind for one in book.list() if one.kind != "session-summary"] == ["insight"]
