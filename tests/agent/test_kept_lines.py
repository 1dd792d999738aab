"""A line kept of a conversation reads as a sentence that stands alone, as a secretary writes it.

It has no `Actually,` at its beginning and no `she` of whom nobody was named, its values are those
that were said, and what it is about is in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import commonplace
from commonplace import Commonplace
from commonplace.model.memory import LIVE
from commonplace.ports.reasoner import Turn


class Exchange(NamedTuple):
    """An assistant's turn, the user's answer, and what a kept line has.

    Words of `has` stand apart with spaces, other good wordings of one with `|`; where several
    lines are wanted, each has an entry. `earlier` are the turns before, the user's first.
    """

    before: str
    said: str
    has: tuple[str, ...]
    lacks: str = ""
    notes: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()


OPENERS = re.compile(
    r"(?i)(?:no+|nope|nah|actually|well|oh|ok(?:ay)?|hm+|um+|er+|sorry|wait|wrong|so|but|and|yes"
    r"|yeah|right|i told you|as i said)\b[ ,.!:…—–-]"
)
GARBLED = re.compile(r"(?i)\b(?:to|at|on|in|from) (?:till?|until|to|at|on|in|from|by)\b|:the\b")
"""A value with two words before it that lead to it, or within another value."""
POINTS = re.compile(
    r"(?i)(?:it|he|she|they|this|that|these|those|them|his|her|their|its)(?:'\w+)?\b"
)

EXCHANGES = [
    Exchange(
        "I'll put the boiler service in the calendar for October.",
        "Actually it moved to September, the firm does them earlier now.",
        ("boiler September",),
        notes=("The gas boiler is serviced in October.",),
    ),
    Exchange(
        "Parents' evening is on 12 March, shall I block it?",
        "No, the 14th.",
        ("evening 14 March",),
        lacks="12",
        notes=("Parents' evening is on 12 March.",),
    ),
    Exchange(
        "Dr Amsel sees new patients on Tuesdays, so I'd offer that.",
        "hm, wait — she does that on Thursdays now",
        ("Amsel Thursday new|patients",),
        notes=("Dr Amsel sees new patients on Tuesdays.",),
    ),
    Exchange(
        "Customers can return it within 30 days.",
        "No, six weeks.",
        ("return six weeks",),
        lacks="days|42",
        notes=("The returns window is 30 days.",),
    ),
    Exchange(
        "The export job times out after 30 minutes, so I'd split it.",
        "they gave it an hour last week",
        ("export hour",),
        lacks="60|1 hour",
        notes=("The export job times out after 30 minutes.",),
    ),
    Exchange(
        "Shall I drop the orangery to six degrees overnight?",
        "no, half six is when I shut the vents there, the heat stays at eight",
        ("orangery vents half|six eight",),
        notes=("The orangery is heated to eight degrees at night.",),
    ),
    Exchange(
        "I'll tell the newcomers Wednesdays at 19:00 in the library.",
        "Wrong room, the chess club is in the old post office now.",
        ("chess post office",),
        lacks="Wrong room",
        notes=("The chess club meets in the library on Wednesdays at 19:00.",),
    ),
    Exchange(
        "The night train leaves from platform 7.",
        "no it's 9 now",
        ("train 9",),
        notes=("The night train to Vienna leaves from platform 7.",),
    ),
    Exchange(
        "I'll point the migration at db-2, where the staging database is.",
        "actually it moved to db-5 on Friday",
        ("staging database db-5",),
        notes=("The staging database is on db-2.",),
    ),
    Exchange(
        "I'll leave walnuts out for Rosalind.",
        "It's hazelnuts she can't have, walnuts are fine.",
        ("Rosalind hazelnuts",),
        notes=("Rosalind is allergic to walnuts.",),
    ),
    Exchange(
        "On Saturday you're open from nine to one.",
        "No, till two, since May.",
        ("Saturday two",),
        notes=("The shop is open on Saturdays from nine to one.",),
    ),
    Exchange(
        "I'd book Mr Okoro for the scan at the Lindenhof.",
        "Nope, he has to go to the river site, the Lindenhof scanner is broken.",
        ("Okoro river",),
    ),
    Exchange(
        "Year 6 goes to the planetarium on the 3rd of June.",
        "No, the 10th.",
        ("Year planetarium 10 June",),
    ),
    Exchange(
        "I'd prune the espalier pears in February.",
        "Actually, never prune them before the end of March, frost gets in.",
        ("pears prune March",),
    ),
    Exchange(
        "The boathouse key is with Tamsin, right?",
        "No, she handed it to Joss in spring.",
        ("boathouse|key Joss",),
    ),
    Exchange(
        "I'll run the linter with flake8.",
        "Hm, wait — we use ruff here.",
        ("ruff",),
        lacks="wait",
    ),
    Exchange(
        "Shall I order the usual oat milk, six cartons?",
        "Four is enough, the fridge is small.",
        ("milk Four",),
    ),
    Exchange(
        "I've put you down for a window seat on the train.",
        "Always an aisle seat please, my knee needs it.",
        ("aisle seat",),
    ),
    Exchange(
        "I'll quote the oak shelf at 140 euros.",
        "oh no, it went up to 165 in january",
        ("shelf 165",),
    ),
    Exchange(
        "The walk-in surgery closes at 18:00, so there's time.",
        "quarter past five since the new year",
        ("surgery quarter past five",),
        lacks="17:15|5:15",
        notes=("The walk-in surgery closes at 18:00.",),
    ),
    Exchange(
        "We could print the programme on recycled or coated paper.",
        "Recycled paper it is.",
        ("programme recycled",),
    ),
    Exchange(
        "Two coaches have replied, Imre and Dunja.",
        "Let's go with Dunja, she knows the juniors.",
        ("coach Dunja juniors",),
    ),
    Exchange(
        "Here's the summary of the board meeting.",
        "Please don't send me these before eight in the morning.",
        ("summar|meeting eight",),
    ),
    Exchange(
        "I addressed the letter to the landlady as Dear Sir or Madam.",
        "I'd rather you used her name, she hates that.",
        ("landlady name",),
    ),
    Exchange(
        "It was 77 degrees in the greenhouse.",
        "From now on, give me temperatures in Celsius.",
        ("temperatures Celsius",),
        lacks="From now on",
    ),
    Exchange("What's Edda's shoe size these days?", "She's a 34 now.", ("Edda shoe 34",)),
    Exchange(
        "Where do you keep the spare fuses?",
        "In the biscuit tin above the meter.",
        ("fuses biscuit tin",),
    ),
    Exchange(
        "Who signs off the risk assessments?",
        "Mrs Pell does, since Easter.",
        ("risk assessments Pell",),
    ),
    Exchange(
        "How often do the orchids get fed?",
        "Every third watering, at half strength.",
        ("orchids third half",),
    ),
    Exchange(
        "Logs are kept for 14 days, so Monday's are still there.",
        "We keep them for a month now, legal asked for it.",
        ("logs month",),
        lacks="30|14",
        notes=("Logs are kept for 14 days.",),
    ),
    Exchange(
        "The choir rehearses on Tuesdays in the vestry.",
        "Actually, on Mondays now, and in the crypt.",
        ("choir|rehears Mondays", "choir|rehears crypt"),
        notes=("The choir rehearses on Tuesdays in the vestry.",),
    ),
    Exchange(
        "The stall is booked for the spring fair.",
        "The stall fee is 45 euros. For members it's 30 euros.",
        ("fee 45", "members 30 fee|stall"),
    ),
    Exchange(
        "I'll put the seed trays down for seven in the evening.",
        "no, half six",
        ("seed trays half six",),
        earlier=("Water the seed trays every evening at seven.",),
    ),
    Exchange(
        "The AGM is on the 2nd of November at the pavilion.",
        "nah its the 9th, pavilion is right",
        ("AGM 9 November",),
    ),
    Exchange(
        "Check-in for the chalet is from 16:00.",
        "3pm, they told me on the phone",
        ("chalet 3pm",),
        lacks="15:00",
        notes=("Check-in for the chalet is from 16:00.",),
    ),
    Exchange(
        "I've added a comment above every function.",
        "Way too many. Only comment where the reason isn't obvious.",
        ("comment reason",),
    ),
    Exchange(
        "I'll remind you about the bins on Tuesday night, bin day is Wednesday.",
        "It's Thursday since they changed the round.",
        ("bin Thursday",),
        notes=("Bin day is Wednesday.",),
    ),
    Exchange(
        "Ms Ferrante gets her physio at the Marienhof.",
        "sorry, I told you wrong: she goes to the Elisabeth centre.",
        ("Ferrante Elisabeth",),
        lacks="sorry|told you",
    ),
    Exchange(
        "The allotment water is turned on in March.",
        "Well, actually, not before April, the pipes froze once.",
        ("allotment|water April",),
    ),
    Exchange(
        "Milo's piano is on Monday at 16:30, shall I drive him?",
        "He's been switched to Wednesdays, same time.",
        ("Milo piano Wednesday",),
        notes=("Milo's piano lesson is on Mondays at 16:30.",),
    ),
]

LATER = [
    Exchange(
        "I'll set the fish tank to 26 degrees.",
        "Er, no, 24, they are cold water fish.",
        ("tank 24",),
        notes=("The fish tank is kept at 26 degrees.",),
    ),
    Exchange(
        "The recital is on the 8th of May in the town hall.",
        "nope, the 15th",
        ("recital 15 May",),
    ),
    Exchange(
        "Shall I give the spare key to Mrs Adeyemi?",
        "No, she moved out, the key is with the caretaker.",
        ("key caretaker",),
    ),
    Exchange(
        "I'd store the session tokens in the cookie.",
        "Oh wait, we keep them in Redis.",
        ("tokens Redis",),
    ),
    Exchange(
        "The waiting list opens in autumn.",
        "Actually it opens in spring, I got that wrong.",
        ("waiting spring",),
        notes=("The waiting list of the nursery opens in autumn.",),
    ),
    Exchange(
        "How long do library books go out for?",
        "Three weeks, children get a month.",
        ("books three weeks month",),
        lacks="21|30",
    ),
    Exchange(
        "I'll mark Bruno as vegetarian for the club dinner.",
        "He eats fish too, so put pescatarian.",
        ("Bruno fish|pescatarian",),
    ),
    Exchange(
        "The van holds six crates.",
        "eight since we took the bench out",
        ("van eight",),
        notes=("The van holds six crates.",),
    ),
    Exchange(
        "I've drafted the invitation in German.",
        "Please always write to them in Danish.",
        ("invitation|Danish Danish",),
    ),
    Exchange(
        "We can hang the posters in the foyer or the canteen.",
        "Let's go with the canteen, more people see them there.",
        ("posters canteen",),
    ),
    Exchange(
        "The tomatoes get watered every morning.",
        "Sorry, I should have said: only every other day, they split otherwise.",
        ("tomatoes other day",),
        lacks="sorry|should have",
        notes=("The tomatoes are watered every morning.",),
    ),
    Exchange(
        "Your flight lands at 21:40.",
        "that's the old one, the new one lands at ten past eight",
        ("flight|new ten past eight",),
        lacks="20:10",
        notes=("The flight from Porto lands at 21:40.",),
    ),
    Exchange(
        "I'll ring Dr Lindqvist's practice on Monday.",
        "They're closed on Mondays.",
        ("Lindqvist|practice Mondays",),
    ),
    Exchange(
        "The deposit for the hall is 200 euros.",
        "No, 250, and they want it in cash.",
        ("deposit 250", "cash deposit|250"),
        notes=("The deposit for the hall is 200 euros.",),
    ),
    Exchange(
        "Fatima teaches the beginners on Thursdays.",
        "not any more, Yusuf does",
        ("Yusuf beginners",),
        notes=("Fatima teaches the beginners on Thursdays.",),
    ),
    Exchange(
        "I've put the retro on Friday at 15:00.",
        "hmm no. half two, people leave early on fridays",
        ("retro half two",),
        lacks="14:30|2:30",
    ),
    Exchange(
        "The shop takes returns without a receipt.",
        "Since January only with one, fyi.",
        ("returns January",),
        lacks="fyi",
        notes=("The shop takes returns without a receipt.",),
    ),
]
"""Written after the code that keeps them."""
UNHEARD = [
    Exchange(
        "The build takes 40 minutes on the old runner.",
        "Well, it's down to a quarter of an hour now.",
        ("build quarter hour",),
        lacks="15",
    ),
    Exchange(
        "Which pharmacy do you use?",
        "The one on Harbour Street.",
        ("pharmacy Harbour",),
    ),
    Exchange(
        "What does the physio want you to do before bed?",
        "She wants ten minutes of stretching.",
        ("physio ten minutes stretching",),
    ),
]
"""The listener keeps nothing of these yet. A line that it keeps one day has to stand alone."""

QUIET = [
    ("I'll order six cartons of oat milk.", "Hm, wait, let me check the fridge first."),
    ("Bin day is Wednesday.", "Actually, can you check that?"),
    ("I've moved the meeting.", "No, I mean thanks, that's great."),
    ("She wants the blue one.", "Who does?"),
    ("Shall I book the table?", "No, not yet, I'm waiting for Ilse."),
    ("The draft is ready.", "Actually, make the second paragraph shorter."),
    ("Which of the two shall I take?", "no idea, you pick"),
    ("The test fails on line 40.", "oh, I see it now, my fault"),
    ("I'd plant the beans in May.", "Would June be too late?"),
    ("The train leaves at 9.", "ok wait, someone's at the door"),
    ("Six rows were skipped.", "hm, that's odd"),
    ("Here's the recipe.", "No rush, I'll cook it tomorrow."),
    ("I'll write to the surgery.", "Actually I'll ring them myself now."),
    ("Should I add the coach's number?", "no need, he's in the group"),
    ("The invoice is 140 euros.", "Well, that was quick!"),
]


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Commonplace]:
    with commonplace.open(f"sqlite://{tmp_path}/book.db") as opened:
        yield opened


def lines_kept(book: Commonplace, exchange: Exchange) -> list[str]:
    """The lines that a conversation adds to the notes of a book, whether certain or asked about."""
    for note in exchange.notes:
        book.save(note)
    # An earlier turn is the user's, and the assistant answers it with `before`.
    said = [Turn("user", one) for one in exchange.earlier]
    said += [Turn("assistant", exchange.before), Turn("user", exchange.said)]
    book.session("talk").end(said)
    live = [one.content for one in book.list() if one.status in LIVE and not one.aliases]
    asked = [one.memory.content for one in book.inbox()]
    known = {*exchange.notes, *exchange.earlier}
    return [one for one in dict.fromkeys((*live, *asked)) if one not in known]


def is_in(words: str, line: str) -> bool:
    """Whether a line has one of several words, its beginning at the beginning of a word."""
    found = (re.search(rf"(?i)(?<!\w){re.escape(one)}", line) for one in words.split("|"))
    return any(found)


def said_in(line: str) -> str:
    """The person's words in a line: all of it, or the answer that it quotes."""
    return line.rpartition("“")[2]


@pytest.mark.parametrize("exchange", [*EXCHANGES, *LATER, *UNHEARD], ids=lambda one: one.said[:40])
def test_a_kept_line_stands_alone(book: Commonplace, exchange: Exchange) -> None:
    lines = lines_kept(book, exchange)
    for wanted in exchange.has if lines or exchange not in UNHEARD else ():
        assert any(all(is_in(word, line) for word in wanted.split()) for line in lines), lines
    # `turned on in March` was said so.
    told = f"{exchange.before} {exchange.said}"
    assert not [one for line in lines for one in GARBLED.findall(line) if one not in told]
    assert not [one for one in lines if exchange.lacks and is_in(exchange.lacks, one)]
    assert not [one for one in lines if OPENERS.match(said_in(one))]
    assert not [one for one in lines if "“" not in one and POINTS.match(one)]


@pytest.mark.parametrize(("before", "said"), QUIET)
def test_of_such_a_turn_nothing_is_kept(book: Commonplace, before: str, said: str) -> None:
    assert lines_kept(book, Exchange(before, said, ())) == []


def test_two_lines_of_one_turn_are_not_asked_about_against_each_other(book: Commonplace) -> None:
    lines_kept(
        book,
        Exchange(
            "The stall is booked for the spring fair.",
            "The stall fee is 45 euros. For members the stall fee is 30 euros.",
            (),
        ),
    )
    assert [one.memory.content for one in book.inbox()] == []


TALKS = [
    (
        [
            "Write the notice for the parents: the planetarium trip is on the 3rd of June.",
            "The notice says the 3rd of June.",
            "Oh sorry, it's the 10th of June.",
            "Changed to the 10th of June.",
        ],
        "10th of June",
        "3rd",
    ),
    (
        [
            "Set up the nightly export for the shop.",
            "The export is set up and times out after 30 minutes.",
            "Actually, give it an hour.",
            "Done, the export times out after an hour.",
        ],
        "an hour",
        "30 minutes|60 minutes",
    ),
    (
        [
            "Book the vestry for the choir on Tuesday.",
            "The vestry is booked for Tuesday.",
            "No, not the vestry, the crypt.",
            "The crypt is booked for Tuesday.",
        ],
        "crypt",
        "vestry",
    ),
    (
        [
            "Drop the orangery to six degrees overnight.",
            "The orangery is set to six degrees overnight.",
            "No, eight degrees, the lemons are in there.",
            "The orangery is set to eight degrees.",
        ],
        "eight degrees",
        "six degrees",
    ),
]


@pytest.mark.parametrize(("said", "has", "lacks"), TALKS, ids=lambda one: one[0][:30])
def test_a_summary_has_the_corrected_value(
    book: Commonplace, said: list[str], has: str, lacks: str
) -> None:
    speakers = ("user", "assistant")
    turns = [Turn(speakers[at % 2], text) for at, text in enumerate(said)]
    book.session("talk").end(turns)
    [summary] = book.list(kinds=["session-summary"])
    assert is_in(has, summary.content), summary.content
    assert not is_in(lacks, summary.content), summary.content
