"""Corrections as people make them: hasty, in other words, in other languages, or none at all.

Ends what the user says is wrong, asks where another thing may be meant, and leaves the rest.
"""

from __future__ import annotations

import pytest

from tests import as_person
from tests.agent.test_typed_in_passing import kept, talk
from tests.conftest import OpenBook

CORRECTED = [
    ("We release from the branch trunk", "I tagged trunk and started the release.",
     "no, we release from main since last week", "main"),
    ("The oven bakes the baguettes at 220 degrees", "Baguettes go in at 220 degrees.",
     "thats too cold its 245 now", "245"),
    ("Rehearsals of the choir are at 19:30 on Wednesdays", "Rehearsal on Wednesday at 19:30.",
     "nope 20:00, ppl cant make it earlier", "20:00"),
    ("Aisle 7 holds the fragile goods", "Into aisle 7, with the fragile goods.",
     "Not any more, the fragile goods moved to aisle 12.", "aisle 12"),
    ("The orders API is rate limited to 100 requests per minute",
     "Throttled to 100 requests per minute.", "limit is 250 per minute not 100", "250"),
    ("Anna is allergic to peanuts", "No peanuts for Anna.", "not peanuts, cashews!!", "cashews"),
    ("Contracts are signed by Petra Holm", "Ready for Petra Holm's signature.",
     "Petra left. Contracts are signed by Tomás Reyes now.", "Reyes"),
    ("Samples are stored at -20 degrees", "Labelled: store at -20.",
     "-80!! always has been, sorry", "80"),
    ("Releases go out from trunk", "Done, tagged on trunk.",
     "no, we ship from main these days", "main"),
    ("Tickets are answered within two working days", "We answer within two working days.",
     "our response time is one working day now", "one working day"),
    ("Releases go out from trunk", "Done, tagged on trunk.",
     "nein, wir releasen jetzt von main", "main"),
    ("Le pain de seigle coûte 4 euros", "Pain de seigle, 4 euros.",
     "non, le pain de seigle coûte 5 euros maintenant", "5 euros"),
    ("El taller abre a las ocho", "Abrimos a las ocho.",
     "no, ahora el taller abre a las nueve", "nueve"),
    ("Il forno si accende alle sei", "Forno alle sei.",
     "no, adesso il forno si accende alle cinque", "cinque"),
    ("A padaria abre às sete", "Abrimos às sete.", "não, agora a padaria abre às oito", "oito"),
]  # fmt: skip

ASKED = [
    ("Standup is at 9:30", "Invited for 9:30.", "no, the daily meeting starts at ten now"),
    ("Milk is collected at 5 am", "Alarm at 4:45, the lorry comes at 5.",
     "the tanker picks it up at half past six now"),
    ("The gym shuts at ten", "Until ten, when the gym shuts.",
     "no, the fitness room closes at nine these days"),
]  # fmt: skip

LEFT = [
    ("Rehearsals of the choir are at 19:30 on Wednesdays", "Wednesday, 19:30.",
     "next week only it's 20:00, because of the concert"),
    ("The oven bakes the baguettes at 220 degrees", "Baguettes at 220 degrees.",
     "no, I meant print the plan, not show it"),
    ("The orders API is rate limited to 100 requests per minute",
     "Sends 100 requests per minute.", "no, send 500 per minute, I want to see it fail"),
    ("Ms. Ferreira teaches class 4b", "Written to Ms. Ferreira.",
     "no, Mr. Adeyemi teaches 5a, he needs it as well"),
    ("Audio guides cost 4 euros", "Audio guides cost 4 euros.",
     "actually the flyer costs 300 euros to print, leave it"),
    ("Milk is collected at 5 am", "Milk is collected at 5 am here.",
     "my neighbour's milk is collected at 7"),
    ("The gym shuts at ten", "Ten, the gym shuts at ten.",
     "no, write it in the calendar, not in the chat"),
    ("Invoices are printed on the Brother", "Sent to the Brother.",
     "no, print the flyer first"),
    ("Check-in is from 15:00", "Check-in from 15:00.",
     "the sauna opens at 16:00, add that"),
    ("Standup is at 9:30", "9:30", "heute ausnahmsweise um zehn"),
]  # fmt: skip


@pytest.mark.parametrize(("memory", "reply", "said", "now"), CORRECTED)
def test_what_the_user_says_is_wrong_ends(
    open_vault: OpenBook, memory: str, reply: str, said: str, now: str
) -> None:
    book = open_vault(source="hook", context={"project": "work"}, embedder="bundled")
    book.save(memory)
    talk(book, "one", ("please do it", reply), (said, "Changed."))
    assert memory not in kept(book)
    assert any(now in one for one in kept(book))


@pytest.mark.parametrize(("memory", "reply", "said"), ASKED)
def test_a_matter_in_other_words_is_asked_about(
    open_vault: OpenBook, memory: str, reply: str, said: str
) -> None:
    book = open_vault(source="hook", context={"project": "work"}, embedder="bundled")
    held = book.save(memory)
    talk(book, "one", ("please do it", reply), (said, "Changed."))
    assert memory in kept(book)
    assert [one for one in book.inbox() if held.id in one.memory.derived_from]


@pytest.mark.parametrize(("memory", "reply", "said"), LEFT)
def test_what_is_no_correction_of_a_memory_leaves_it(
    open_vault: OpenBook, memory: str, reply: str, said: str
) -> None:
    book = open_vault(source="hook", context={"project": "work"}, embedder="bundled")
    held = book.save(memory)
    talk(book, "one", ("please do it", reply), (said, "Ok."))
    assert memory in kept(book)
    assert not [one for one in book.inbox() if held.id in one.memory.derived_from]


def test_a_piece_that_corrects_a_persons_note_is_asked_about_as_a_whole_sentence(
    open_vault: OpenBook,
) -> None:
    book = open_vault(source="hook", context={"project": "work"}, embedder="bundled")
    wool = as_person(book).save("The wool for the cardigan is merino.")
    talk(book, "one", ("How do I wash the cardigan?", "Cold, it's merino."),
         ("It's alpaca, not merino.", "Then by hand."))  # fmt: skip
    assert "The wool for the cardigan is alpaca." in kept(book)
    assert [one for one in book.inbox() if wool.id in one.memory.derived_from]


def test_a_correction_of_what_looks_like_a_credential_is_not_lost(open_vault: OpenBook) -> None:
    book = open_vault(source="hook", context={"project": "work"}, embedder="bundled")
    book.save("Nuri's bus pass costs 29 a month.")
    talk(book, "one", ("What do we pay for Nuri's bus pass?", "29 a month."),
         ("It went up to 34.", "34 then."))  # fmt: skip
    (line,) = kept(book)
    assert "bus pass" in line
    assert "It went up to 34" in line
