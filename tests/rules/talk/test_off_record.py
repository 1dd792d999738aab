"""A turn that its user asked not to keep is kept out; a request about files or code is not one."""

from __future__ import annotations

import subprocess
import sys

import pytest

from commonplace.ports.reasoner import Turn
from commonplace.rules.talk import off_record

KEPT_OUT = [
    "Don't write this down: Marta is getting divorced",
    "Please do not keep a record of this, I failed the exam",
    "This stays between you and me. I'm planning to resign.",
    "Between the two of us, the merger is off",
    "This is not for the record, the auditors come on Monday",
    "My sister is pregnant, but please don't make a note of that",
    "Nothing of this goes into your memory: I owe my brother 4,000 euros",
    "This mustn't be stored anywhere: the safe is behind the painting",
    "I'd rather you didn't remember this — I was fired in 2019",
    "Can you not save this? Tom has cancer",
    "Never store what I'm telling you now: we're three months behind on rent",
    "In confidence: Olaf is going to be let go",
    "Strictly confidential, the offer is 2.1 million",
    "Off-record, the CTO hates the plan",
    "No need to remember this, but my cat was ill all night",
    "Don't commit this to memory, I voted for the greens",
    "Do not add this to your notes: Ben earns 61k",
    "Please leave this out of your memory: my ex works there",
    "Keep it to yourself: we're buying Nordlicht",
    "I don't want this remembered. Tom and Lena are separating.",
    "I don't want you to save that I was at the clinic",
    "Don't remember that Ines is leaving in May",
    "You shouldn't note this: the landlord accepts cash",
    "Don’t tell anyone, but we lost the Hansen account",
    "Ines is leaving in May (don't save that)",
    "hey, dont remember this but im looking for another job",
    "Dass Ines geht, bitte nicht speichern",
    "Speichere das nicht: mein Gehalt ist 61.000",
    "Merk dir das bitte nicht, aber Olaf kündigt im Mai",
    "Unter uns gesagt, die Fusion ist vom Tisch",
    "Das bleibt unter uns: wir kaufen Nordlicht",
    "Nur im Vertrauen: Tom ist krank",
    "Behalte das für dich: wir haben den Vertrag verloren",
    "Ne retiens pas ça : je cherche un autre emploi",
    "N'enregistre pas ceci, mais Olaf part en mai",
    "Entre nous, la fusion est annulée",
    "Que cela reste entre nous : Tom est malade",
    "No guardes esto: gano 61.000",
    "No lo recuerdes, pero Olaf se va en mayo",
    "Entre nosotros, la fusión está cancelada",
    "Que quede entre tú y yo: Tom está enfermo",
    "Non salvare questo: guadagno 61.000",
    "Non ricordarlo, ma Olaf se ne va a maggio",
    "Resti tra noi: Tom è malato",
    "Não guarde isto: ganho 61.000",
    "Não se lembre disso, mas o Olaf sai em maio",
    "Fica entre nós: o Tom está doente",
    "Onthoud dit niet: ik verdien 61.000",
    "Sla dit niet op, maar Olaf vertrekt in mei",
    "Dit blijft onder ons: Tom is ziek",
    "别记住这个：我要辞职了",
    "这件事不要保存，汤姆病了",
    "これは覚えないでください。転職を考えています",
    "ここだけの話、合併はなくなりました",
    "Not for your notes: my marriage is over",
    "Let's keep this off the record, I'm interviewing at Hooli",
    "don't put this in your memory, I have ADHD",
    "Please don't keep this, I'm bankrupt",
    "I'm telling you this in confidence, the CEO is ill",
    "You must not remember this: code name is Bluebird",
    "This is private, please don't store it. I had a miscarriage.",
    "Please do not retain this information: my blood type is AB",
    "Ignore this for your memory: I'm drunk",
    "Do not memorise this, the alarm is off at night",
    "never save this, my father is in prison",
    "Can you please not remember this? I lied to Tom",
    "this should not be remembered: I cried at work",
    "Don't save this information: my salary is 70k",
    "Bitte merke dir nicht, dass Tom krank ist",
    "Bitte nichts davon speichern: wir sind pleite",
    "Das hier ist vertraulich: wir sind pleite",
    "Nicht notieren: wir sind pleite",
    "Notiere das bitte nicht, wir sind pleite",
    "Vergiss das bitte wieder: wir sind pleite",
    "S'il te plaît, ne note pas ça : on est ruinés",
    "Ne mémorise pas que Tom est malade",
    "C'est confidentiel, on est ruinés",
    "Por favor, no guardes esto, estamos en quiebra",
    "No recuerdes que Tom está enfermo",
    "Esto es confidencial: estamos en quiebra",
    "Per favore non memorizzare questo, siamo falliti",
    "Non annotare che Tom è malato",
    "Por favor não salve isso: estamos falidos",
    "Não anote que o Tom está doente",
    "Niet onthouden: we zijn failliet",
    "Sla dit alsjeblieft niet op: we zijn failliet",
    "Onthoud niet dat Tom ziek is",
    "Please forget this afterwards: my shoe size is 52",
    "Do not remember the following: Tom is ill",
    "Speichere dies bitte nicht ab: Tom ist krank",
    "Ines is leaving in May\nDon't save this",
    "Don't save this\nInes is leaving in May",
    "```\nx = 1\n```\nDon't save this: x is my salary",
    "- Don't save this: Ines is leaving in May",
    "If you can, don't save this: Tom is ill",
    "Du sollst dir nicht merken, dass Tom krank ist",
]
"""Sentences with something to keep and the wish that it is not kept."""

HARMLESS = [
    "Don't save the file yet",
    "Don't forget the tests",
    "Keep this short",
    "Don't store this in localStorage, use a cookie",
    "Never store passwords in plain text",
    "Don't log this exception, raise it",
    "Do not save it to disk before the upload is complete",
    "I don't remember this test at all",
    "I can't remember that port, what was it?",
    "Don't you remember this?",
    "We don't keep this in stock any more",
    "This must not be stored in plain text",
    "This should not be logged at INFO",
    "Remember this: we deploy on Mondays",
    "Please save this: the demo is on Friday",
    "Don't record metrics for the health route",
    "Compute the token but don't store it",
    "The record of this call is missing, write it again",
    "Forget it, use the other branch",
    "Forget the old API, we use v2 now",
    "Keep the difference between us and the competition in mind",
    "Split the bill between us and Femke",
    "The contract is confidential by default, set confidential: true in the header",
    "Write a privacy note that says we do not save this data",
    "Don't write this function in Python, use Rust",
    "The cache must not remember this value after a restart",
    "Add a checkbox 'Don't remember this device'",
    "No need to run the tests this time",
    "Don't note every change in the changelog, only those users see",
    "Never keep this branch open for more than a week",
    "You don't need to save this file, the watcher does it",
    "Vergiss nicht, die Tests laufen zu lassen",
    "Speichere die Datei noch nicht",
    "Merk dir: wir deployen montags",
    "Der Unterschied zwischen uns und ihnen ist der Preis",
    "N'enregistre pas le fichier dans /tmp",
    "N'oublie pas que la démo est vendredi",
    "No guardes el archivo todavía",
    "No olvides que la demo es el viernes",
    "Non salvare il file in questa cartella",
    "Não guarde o arquivo na pasta temporária",
    "Sla het bestand nog niet op",
    "Onthoud dit: we deployen op maandag",
    "不要保存这个文件到桌面",
    "このファイルは保存しないでください",
    "From now on don't save intermediate results",
    "Don't save this to the database until it is validated",
    "Please don't store that much data in the session",
    "Never record audio without asking",
    "Don't keep it simple, make it fast",
    "Don't write this down the drain",
    "Keep this in sync with main",
    "The secret is stored in vault, don't move it",
    "Please note that this is confidential data and must be encrypted",
    "Between us and the API there is a proxy",
    "I never remember this command",
    "Do you not save this automatically?",
    "You didn't save this file",
    "It should not be kept in the cache longer than 5 minutes",
    "Do not retain cycles here, use weak references",
    "Don't remember me: uncheck the box by default",
    "Write a test that this is not remembered",
    "don't save that yet",
    "Don't store this as a string, use an int",
    "Nicht vergessen: Tests laufen lassen",
    "Bitte nicht die Datei speichern",
    "Speichere das nicht in der Session, sondern im Cookie",
    "Ne garde pas cette branche",
    "No guardes la sesión",
    "Non tenere aperta la connessione",
    "Onthoud dat we op maandag deployen",
    "Forget everything about the old design, start fresh",
    "Forget what the docs say about retries, use 3",
    "Drop that from the list",
    "Remove that from the log",
    "Delete that from the summary",
    "Keep it out of the log",
    "Don't write it to the log",
    "Strike that from the record in the table",
    "If the value is null, don't store it",
    "When the user logs out, do not keep it.",
    "The server should read the token and never store it.",
    "You don't need to keep it",
    "You don't need to store it, it's cached",
    "No need to keep this. Always delete merged branches.",
    "The file was locked, it couldn't be saved",
    "That can't be saved",
    "The form says that this won't be saved.",
    "Don't write that we support Windows, because we don't",
    "This goes into your memory: we deploy on Mondays",
    "Our customer list is strictly confidential, never paste it into issues",
    "Die Kundenliste ist vertraulich, nie loggen.",
    "Ich kann mir den Port nicht merken",
    "Der Cache soll sich das nicht merken",
    "Wenn der Wert null ist, nicht speichern",
    "Bitte nicht speichern, nur anzeigen",
    "Den Token lesen und nicht speichern",
    "Si c'est null, ne le stocke pas.",
    "Si es null, no lo guardes",
    "如果为空，不要保存。",
]
"""Sentences with the same words that ask for nothing of the kind."""

TAKEN_BACK = [
    "Forget what I just said",
    "Please forget what I told you",
    "scratch that, don't note it",
    "Actually, please don't save that.",
    "Don't remember that please",
    "Delete that from your memory",
    "Strike that from the record.",
    "Forget I said that",
    "Forget my last message",
    "You didn't hear that from me, don't keep it",
    "Vergiss, was ich gerade gesagt habe",
    "Das bitte nicht merken.",
    "Oublie ce que je viens de dire",
    "Olvida lo que acabo de decir",
    "Dimentica quello che ho appena detto",
    "Esqueça o que eu acabei de dizer",
    "Vergeet wat ik net zei",
    "忘掉我刚才说的话",
    "さっき言ったことは忘れてください",
]
"""Turns without anything of their own, which mean the turn before."""


def kept(*said: str) -> list[str]:
    """What is left of a conversation; the user speaks first."""
    turns = [Turn("assistant" if at % 2 else "user", one) for at, one in enumerate(said)]
    return left_of(turns)


def left_of(turns: list[Turn]) -> list[str]:
    return [
        "" if mark else turn.text for turn, mark in zip(turns, off_record.marks(turns), strict=True)
    ]


@pytest.mark.parametrize("said", KEPT_OUT)
def test_what_its_user_asked_not_to_keep_is_kept_out_with_the_answer(said: str) -> None:
    told = kept("Bump the timeout", "Done.", said, "I will not.", "Now the parser", "Ok.")
    assert told == ["Bump the timeout", "Done.", "", "", "Now the parser", "Ok."]


@pytest.mark.parametrize("said", HARMLESS)
def test_a_request_about_work_is_kept(said: str) -> None:
    every = ["Bump the timeout", "Done.", said, "Ok.", "Now the parser", "Ok."]
    assert kept(*every) == every


@pytest.mark.parametrize("said", TAKEN_BACK)
def test_a_turn_without_anything_of_its_own_takes_back_the_one_before(said: str) -> None:
    told = kept("Bump the timeout", "Done.", "Ines is leaving in May", "I see.", said, "Sure.")
    assert told == ["Bump the timeout", "Done.", "", "", "", ""]


def test_what_was_said_about_a_thing_is_taken_back_wherever_it_was_said() -> None:
    told = kept(
        "Olaf wants to resign", "Oh.", "Now the parser", "Done.",
        "please forget what I said about Olaf", "Forgotten.",
    )  # fmt: skip
    assert told == ["", "", "Now the parser", "Done.", "", ""]


@pytest.mark.parametrize(
    "said",
    [
        "Can I tell you something off the record?",
        "I'll tell you something in confidence.",
        "What I say next, please don't save.",
        "Kann ich dir etwas im Vertrauen sagen?",
    ],
)
def test_an_announced_secret_is_kept_out(said: str) -> None:
    told = kept("Bump the timeout", "Done.", said, "Sure.", "Ines leaves", "Oh.", "Now the parser")
    assert told == ["Bump the timeout", "Done.", "", "", "", "", "Now the parser"]


@pytest.mark.parametrize(
    "said",
    [
        "Don't save anything from this conversation",
        "Please do not remember anything I say today",
        "This whole session is off the record.",
        "Nothing in this chat may be stored",
        "Speichere nichts aus diesem Gespräch",
        "N'enregistre rien de cette conversation",
        "No guardes nada de esta conversación",
    ],
)
def test_a_conversation_that_is_not_to_be_kept_leaves_nothing(said: str) -> None:
    told = kept("We deploy from main", "Ok.", said, "Sure.", "I prefer tabs", "Ok.")
    assert told == ["", "", "", "", "", ""]


def test_a_mark_in_place_of_a_turn_says_the_same_again() -> None:
    said = [
        "Bump it",
        "Done.",
        "Off the record: Tom is ill",
        "Oh.",
        "Don't save anything I say",
        "",
    ]
    turns = [Turn("assistant" if at % 2 else "user", one) for at, one in enumerate(said)]
    for many in range(1, len(turns) + 1):
        marks = off_record.marks(turns[:many])
        stored = [
            one.but(text=mark or one.text) for one, mark in zip(turns[:many], marks, strict=True)
        ]
        left = list(map(bool, left_of(turns[:many])))
        assert list(map(bool, left_of(stored))) == left


def test_what_is_said_after_taking_something_back_is_kept() -> None:
    said = "Forget what I said about Redis, we use Valkey now"
    told = kept("We use Redis", "Ok.", "Now the parser", "Done.", said, "Noted.")
    assert told == ["", "", "Now the parser", "Done.", said, "Noted."]


@pytest.mark.parametrize(
    "said",
    ["Why does this test fail in CI?", "I want a config from the template that does not pass."],
)
def test_hardly_a_prompt_pays_for_reading_wishes(said: str) -> None:
    # Those modules take a cold start longer than its answer.
    code = (
        "import sys; from commonplace.rules.talk import off_record as o; o.read_wish(sys.argv[1]);"
        "assert not {'re', 'commonplace.rules.talk.lessons'} & {*sys.modules}"
    )
    subprocess.run([sys.executable, "-c", code, said], check=True)


def test_an_agent_that_offers_not_to_keep_something_decides_nothing() -> None:
    every = ["My name is Lena", "I won't remember this: off the record.", "Thanks", "Sure."]
    assert kept(*every) == every
