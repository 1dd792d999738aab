"""Short corrections and decisions of users are kept as sentences that a later reader understands.

Each exchange has what the assistant said, what the user answered, and words that the kept sentence
has; an exchange without words teaches nothing.
"""

from __future__ import annotations

from functools import cache

import pytest

from commonplace.books.services import rules_reasoner
from commonplace.ports.reasoner import Reasoner, Turn

EXCHANGES = [
    ("I'll cut the release from trunk.", "Nope, from orchard-9.", "release orchard-9"),
    ("Logging in to the staging host heron-1.", "Er, it's heron-3.", "staging heron-3"),
    (
        "I'll retry the upload three times with a pause in between.",
        "No, don't retry at all, the queue does that.",
        "retry upload queue",
    ),
    ("I'll run npm test before the commit.", "no we use just check here", "just check"),
    (
        "Two caterers are left: Brandt and Olive Lane.",
        "Let's go with Olive Lane, they do vegan.",
        "caterers Olive Lane vegan",
    ),
    (
        "Should I send the invoices by post as well?",
        "The decision is: no more paper invoices.",
        "no more paper invoices",
    ),
    ("I set the thermostat in the nursery to 22.", "Nah, 19.", "nursery 19"),
    (
        "The rehearsal is in the chapel on Mondays.",
        "Not the chapel, the gym hall.",
        "rehearsal gym hall",
    ),
    ("Booking the dentist for Tuesday at 9.", "No, Wednesday.", "dentist Wednesday"),
    ("I'd water the figs every day.", "No, only on Sundays.", "figs Sundays"),
    ("I'll book this ticket under travel costs.", "No, under training.", "ticket training"),
    (
        "Which database shall we use for the archive, DuckDB or Postgres?",
        "DuckDB, that's decided.",
        "archive DuckDB",
    ),
    (
        "We could name the newsletter Tidings or Postbag.",
        "We'll go with Postbag.",
        "newsletter Postbag",
    ),
    ("I'll indent with tabs.", "nope, two spaces in this repo", "two spaces repo"),
    ("I'll deploy from main.", "From where exactly?", ""),
    ("Two hotels are left: Krone and Adler.", "If we went with Krone, what would it cost?", ""),
    ("I'll run the tests.", "Thanks, that's it for now.", ""),
    ("Shall I also update the docs?", "No, thanks.", ""),
    ("Should I start with the header?", "Let's start with the footer.", ""),
    ("Shall I delete the branch?", "No, don't.", ""),
]
LATER = [
    ("I'm exporting the wedding photos as PNG.", "No, TIFF.", "photos TIFF"),
    ("I'll file the motion with the court in Bremen.", "Nope, in Oldenburg.", "motion Oldenburg"),
    ("The choir sings the Fauré first.", "no it's the Duruflé", "choir Duruflé"),
    ("I'd feed the calves at six.", "Wrong, at five thirty.", "calves five thirty"),
    ("I'll log the errors to stdout.", "nah, to stderr. stdout is data", "errors stderr"),
    ("The parents' evening is on 4 March.", "No, the 11th.", "parents 11th"),
    (
        "Shall we take the coast road or the pass?",
        "Let's go with the pass, Ana gets sick on the coast road.",
        "pass",
    ),
    ("I can print the menu on kraft or on linen paper.", "Linen paper it is.", "menu linen"),
    ("I'll restart the print server every night.", "No, never restart it, ask Kofi.", "Kofi"),
    ("I'm using yarn to install the packages.", "no, we use bun in this repo", "bun"),
    ("The sample is spun at 4000 rpm.", "Nope. 2500.", "sample 2500"),
    ("I booked the viewing with Ms Roth.", "No, with Mr Falk, she is on leave.", "viewing Falk"),
    (
        "Do we still send the catalogue to lapsed members?",
        "Decision: no catalogue for lapsed members any more.",
        "no catalogue lapsed members",
    ),
    ("I'd call the new shelf Poetry.", "No, Verse.", "shelf Verse"),
    ("I'd call the new shelf Poetry.", "Would Verse be better?", ""),
    ("I'll file it in Bremen.", "No worries, go ahead.", ""),
    ("Which route did they choose?", 'Marta said "let\'s go with the pass".', ""),
    ("The build is red.", "no idea why, it was green here an hour ago", ""),
    ("Shall I go on with the appendix?", "Let's go with a short break first.", ""),
    ("Should I use TIFF?", "Maybe we'd go with TIFF if the printer wants it, not sure yet.", ""),
]
"""Written after the code that keeps them."""
TRIED = [
    ("The staging box is called yak-2, right?", "No, it's zebra-4.", "staging zebra-4"),
    ("I retry failed uploads three times.", "No, don't retry at all.", "retry failed uploads"),
    ("I'll deploy from main then.", "Nope, from harvest-2026.", "Deploy from harvest-2026, not"),
]
"""Found by trying the hooks."""
TALK = [
    ("17 files were renamed.", "Weren't there 18? Let me count... no, 17, fine.", ""),
    ("The book is out of print.", "Of course it is. Antiquarian then?", ""),
    ("Should I record a change?", "Nothing was settled. Leave it.", ""),
    ("Here's the joke for the panto.", "oh no it isn't!", ""),
    ("I'll deploy from main.", "No, later.", ""),
    ("I'll deploy it in staging.", "Nope, in a minute.", ""),
    ("Shall I invite Peter?", "No, Marta.", ""),
]


@cache
def listening() -> Reasoner:
    return rules_reasoner()


def kept(before: str, said: str) -> list[str]:
    turns = [Turn("assistant", before), Turn("user", said)]
    return [lesson.content for lesson in listening().lessons(turns) if lesson.sure >= 1.0]


@pytest.mark.parametrize(
    ("before", "said", "words"),
    [one for one in (*EXCHANGES, *LATER, *TRIED) if one[2]],
)
def test_a_short_answer_is_kept_as_a_sentence_that_stands_alone(
    before: str, said: str, words: str
) -> None:
    (sentence,) = kept(before, said)
    assert [word for word in words.split() if word.casefold() not in sentence.casefold()] == []
    assert "(About:" not in sentence


@pytest.mark.parametrize(
    ("before", "said"), [one[:2] for one in (*EXCHANGES, *LATER, *TALK) if not one[2]]
)
def test_a_short_answer_that_teaches_nothing_is_not_kept(before: str, said: str) -> None:
    assert kept(before, said) == []


def test_a_value_that_may_be_said_of_the_name_does_not_take_its_place() -> None:
    (line,) = kept("I'll write that Mr Haile is stateless.", "No, Eritrean, he has no papers.")
    assert line.startswith("Eritrean, he has no papers")
