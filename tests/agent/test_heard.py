"""What users say in their own words is kept, and corrects what is stored."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import commonplace
from commonplace import Commonplace
from commonplace.model.memory import LIVE
from commonplace.ports.reasoner import Turn


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Commonplace]:
    with commonplace.open(f"sqlite://{tmp_path}/book.db") as opened:
        yield opened


def talk(book: Commonplace, *turns: str) -> None:
    """A conversation that begins with the agent, and its end."""
    speakers = ("assistant", "user")
    said = [Turn(speakers[at % 2], text) for at, text in enumerate(turns)]
    book.session("talk").end(said)


def live(book: Commonplace) -> list[str]:
    return [one.content for one in book.list() if one.status in LIVE]


@pytest.mark.parametrize(
    ("stored", "before", "said", "holds"),
    [
        (
            "The deploy branch is main.",
            "Deploying from the branch main.",
            "No, it's release.",
            "The deploy branch is release.",
        ),
        (
            "The rate limit of the public API is 60 requests a minute.",
            "I'll stay under 60 requests a minute.",
            "They raised that to 120 last week, so you can go faster.",
            "120",
        ),
        (
            "The user orders brand X detergent.",
            "Shall I order brand X again?",
            "We've switched to brand Y, the old one gave Nadia a rash.",
            "brand Y",
        ),
        (
            "Bob is on call for billing.",
            "I'd page Bob.",
            "Bob left in March. Chioma is on call for billing now.",
            "Chioma is on call for billing now.",
        ),
        (
            "log_level is INFO in the worker.",
            "The worker logs at INFO.",
            "log_level was changed from INFO to DEBUG in the worker on Monday.",
            "DEBUG",
        ),
    ],
)
def test_what_a_user_says_replaces_what_is_stored(
    book: Commonplace, stored: str, before: str, said: str, holds: str
) -> None:
    book.save("The office plants are watered on Fridays.")
    old = book.save(stored).memory
    talk(book, before, said)
    assert book.get(old.id).status not in LIVE
    assert any(holds in text for text in live(book))
    assert "The office plants are watered on Fridays." in live(book)


def test_a_correction_reaches_an_agents_fact(book: Commonplace) -> None:
    book.fact_store("deploy.branch", "granite")
    talk(book, "I deploy from granite then.", "No, we deploy from the branch basalt, not granite.")
    fact = book.fact_recall("deploy.branch")
    assert fact is not None
    assert fact.value == "basalt"


@pytest.mark.parametrize(
    "said",
    [
        "Please keep your answers short from now on.",
        "Can you use metric units in future?",
        "I'd like you to use British spelling.",
        "I'm a vegetarian.",
        "I'm based in Lisbon.",
        "We standardised on pnpm.",
        "Our client's name is Globex, not Globax.",
        "No deletion on weekends, that's a hard rule from ops.",
        "I don't like it when you apologise all the time.",
    ],
)
def test_what_is_stated_plainly_is_kept(book: Commonplace, said: str) -> None:
    talk(book, "Here is the draft.", said)
    kept = [one.content for one in book.list()] + [one.memory.content for one in book.inbox()]
    words = {word.strip(".,?").casefold() for word in said.split() if len(word) > 4}
    assert any(
        len(words & {w.strip(".,?").casefold() for w in text.split()}) >= len(words) / 2
        for text in kept
    ), kept


@pytest.mark.parametrize(
    "said",
    [
        "What if we deployed from release instead?",
        "My boss always wants bullet points, poor thing.",
        "Make this paragraph shorter, please.",
        "Thanks, that works!",
        "Wasn't that 45?",
        "He wrote: “never use tabs, I hate them”. What do I answer?",
    ],
)
def test_what_teaches_nothing_is_not_kept(book: Commonplace, said: str) -> None:
    old = book.save("The deploy branch is main.").memory
    talk(book, "Deploying from main.", said)
    assert book.get(old.id).status == "active"
    assert [one for one in book.list() if one.kind not in ("session-summary",)] == [
        book.get(old.id)
    ]


def test_two_live_values_come_newest_first_and_name_each_other(book: Commonplace) -> None:
    book.save_many(["Marek drives a car made by Skoda.", "Marek drives a car made by Fiat."])
    found = book.recall("Which car does Marek drive?")
    assert [hit.memory.content for hit in found[:2]] == [
        "Marek drives a car made by Fiat.",
        "Marek drives a car made by Skoda.",
    ]
    assert found.sure != "strong"
    assert any("Skoda" in why.words for why in found[0].why)
    assert any("Fiat" in why.words for why in found[1].why)


@pytest.mark.parametrize(
    ("stored", "said"),
    [
        ("The nightly import runs on worker-3.", "Leave the nightly import where it is."),
        ("The sitter gets 14 euros an hour.", "The sitter's rate is fine the way it is."),
        ("Ines books the train tickets.", "Ines is away this week so I book the train myself."),
        ("We buy bread at the corner shop.", "I'm fetching bread at the market today."),
    ],
)
def test_what_stays_and_what_happens_once_retires_nothing(
    book: Commonplace, stored: str, said: str
) -> None:
    old = book.save(stored).memory
    talk(book, "Anything to change?", said)
    assert book.get(old.id).status in LIVE


@pytest.mark.parametrize(
    "back",
    [
        "Scrap that, I misread the table. It's still 850.",
        "Wait, forget that, I was looking at the wrong sheet.",
    ],
)
def test_what_a_user_takes_back_changes_nothing(book: Commonplace, back: str) -> None:
    old = book.save("The day rate is 850 euros.").memory
    talk(book, "The day rate is 850.", "The day rate is 900 now.", "Noted, 900.", back)
    assert book.get(old.id).status == "active"
    assert not any("900" in text for text in live(book))


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("LH 1820", "The flight is OS 233, they rebooked us."),
        ("Lindenweg 4, Bonn", "The address is Amselgasse 19, Köln."),
        ("tank01", "The backup host is vault02."),
        ("4,500 euros", "The budget is 6,000 dollars."),
    ],
)
def test_no_value_is_made_of_an_old_and_a_new_one(book: Commonplace, value: str, said: str) -> None:
    book.fact_store("thing", value)
    talk(book, f"I use {value}.", said)
    fact = book.fact_recall("thing")
    assert fact is not None
    assert fact.value == value or str(fact.value) in said


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Lea takes metformin.", "Lea takes ibuprofen."),
        ("Rosa speaks Spanish.", "Rosa speaks Polish."),
        ("Nils has a cat.", "Nils has a dog."),
        ("Heron 3", "Heron 4"),
        ("The shop opens at nine.", "The shop opens at ten today because of the fair."),
    ],
)
def test_what_may_hold_beside_another_retires_nothing(
    book: Commonplace, one: str, other: str
) -> None:
    old = book.save(one).memory
    assert book.save(other).action == "created"
    assert book.get(old.id).status == "active"


def test_a_sentence_is_kept_with_what_it_speaks_of(book: Commonplace) -> None:
    said = "We have new cleaners for the office. They come on Thursdays now, after six."
    book.session("s1").end([Turn("assistant", "Anything else?"), Turn("user", said)])
    kept = [one.content for one in book.list() if "Thursdays" in one.content]
    assert all("cleaners" in one for one in kept)


@pytest.mark.parametrize(
    "said",
    ["They come on Thursdays now, after six.", "He only takes calls in the morning these days."],
)
def test_a_sentence_about_nobody_named_is_left_out(book: Commonplace, said: str) -> None:
    book.session("s1").end([Turn("assistant", "Anything else?"), Turn("user", said)])
    assert [one.content for one in book.list() if one.content == said] == []


def test_one_turn_corrects_every_memory_that_it_clearly_ends(book: Commonplace) -> None:
    for text in ("Reviews take place in the room Ahorn.", "The standup is held in Ahorn."):
        book.save(text)
    book.save("The office plants are watered on Fridays.")
    talk(
        book,
        "I'll book the room Ahorn for the review.",
        "Ahorn is gone, they made it a storage room. Reviews are in Birke now, and so is the "
        "standup.",
    )
    assert set(live(book)) == {
        "Ahorn is gone, they made it a storage room.",
        "Reviews are in Birke now, and so is the standup.",
        "The office plants are watered on Fridays.",
    }


def test_a_figure_corrects_the_memory_of_which_it_was_quoted(book: Commonplace) -> None:
    old = book.save("Zone C deliveries cost 22.").memory
    other = book.save("Zone A deliveries cost 14.").memory
    talk(book, "Car assigned, price 22.", "nah, 25")
    assert book.get(old.id).status not in LIVE
    assert book.get(other.id).status in LIVE
    assert any("25" in one for one in live(book))


def test_what_a_turn_says_stays_is_left(book: Commonplace) -> None:
    gas = book.save("The gas supplier is Brightwell.").memory
    talk(
        book,
        "What can I do?",
        "Please draft a cancellation to Brightwell for the electricity. We have gone to Ampere "
        "as of the 1st; gas stays where it is.",
    )
    assert book.get(gas.id).status == "active"


def test_what_is_decided_later_leaves_the_record_of_an_earlier_session(book: Commonplace) -> None:
    asked = "How fast does the rye stone turn?"
    for session, said in (
        ("first", "No, the rye stone turns at 110 rpm."),
        ("second", "We decided to use granite for the rye stone."),
    ):
        turns = [Turn("user", asked), Turn("assistant", "At 90 rpm."), Turn("user", said)]
        book.session(session).end(turns)
    records = book.list(kinds=["session-summary"], include_archive=True)
    assert len(records) == 2
    assert {one.status for one in records} <= {*LIVE, "archived"}
    assert any("granite" in text for text in live(book))


def test_a_value_alone_answers_a_question_about_a_memory(book: Commonplace) -> None:
    book.save("The ferry to Holm leaves at 7:20.")
    book.save("The ferry to Skarn leaves at 8:05.")
    book.save("Ottoline keeps the harbour log.")
    talk(
        book,
        "Does the Holm ferry still leave at 7:20?",
        "6:50.",
        "Who keeps the harbour log?",
        "Bertil, since the storm",
        "I'll print 8:05 for the Skarn ferry.",
        "8:05, yes",
    )
    assert sorted(live(book)) == [
        "Bertil keeps the harbour log.",
        "The ferry to Holm leaves at 6:50.",
        "The ferry to Skarn leaves at 8:05.",
    ]


def test_one_occasion_leaves_the_rule(book: Commonplace) -> None:
    book.save("Peggy has her hair set on Thursdays at 11.")
    talk(book, "Peggy is down for 11 on Thursday.", "Peggy's doing 12 instead of 11 this week.")
    assert "Peggy has her hair set on Thursdays at 11." in live(book)


@pytest.mark.parametrize(
    ("stored", "before", "said"),
    [
        ("The guest bed is number 14.", "", "Now the page about the guest bed."),
        (
            "The parish pays the organist.",
            "The parish pays the organist.",
            "So they promised, yes.",
        ),
        (
            "The band rehearses on Mondays at eight.",
            "The band rehearses Monday at eight.",
            "This week it's on Wednesday, because of the fair.",
        ),
        (
            "The workshop is in hall 4.",
            "I'll send them to hall 4.",
            "It's being rewired, so we're in hall 6 until Easter.",
        ),
        (
            "Letters are stored in Ghent.",
            "Letters are stored in Ghent.",
            "The board wants us to consider Bruges, nothing decided yet.",
        ),
        (
            "Orsola waters the ferns on Fridays.",
            "Orsola waters the ferns on Fridays.",
            "She's away until the 9th, so Piet does it meanwhile.",
        ),
    ],
)
def test_a_yes_an_exception_and_what_is_open_end_nothing(
    book: Commonplace, stored: str, before: str, said: str
) -> None:
    book.save(stored)
    turns = [Turn("assistant", before), Turn("user", said)] if before else [Turn("user", said)]
    book.session("talk").end(turns)
    assert stored in live(book)


def test_what_replaces_a_memory_says_what_it_is_about(book: Commonplace) -> None:
    book.save("Parcels are packed by Nora in shed 2.")
    talk(book, "Nora packs the parcels in shed 2.", "Ilse does that these days.")
    [kept] = live(book)
    assert "Ilse" in kept
    assert "parcels" in kept.lower()
    talk(book, "Who keeps the stamps?", "Karel Novotny, since October.")
    assert any("Who keeps the stamps?" in one and "Karel" in one for one in live(book))


def test_a_decision_ends_what_it_was_asked_about(book: Commonplace) -> None:
    book.save("The choir's site is hosted with Hetzner.")
    talk(book, "Should I keep Hetzner for the choir's site?", "Let's go with Infomaniak.")
    assert live(book) == ["The choir's site is hosted with Infomaniak."]


@pytest.mark.parametrize(
    ("wrong", "others", "before", "said"),
    [
        (
            "Day ticket for the ferry: €14, children half.",
            (
                "The hall is let for €60 an evening.",
                "Membership of the rowing club costs €25.",
                "Budget for the new roof: 48,000.",
            ),
            "Two tickets for the ferry at €14 makes €28.",
            "it's €16 each since this morning, they've put up a new board",
        ),
        (
            "Swimming lesson for Ada: Fridays at four.",
            (
                "Visitors may bring dogs to the museum on Mondays.",
                "The compost is collected on Fridays.",
            ),
            "Ada has her swimming lesson on Friday.",
            "Mondays they've moved her to",
        ),
        (
            "Team meeting starts at 9:15 in the green room.",
            (
                "Good Friday: no meeting, Monday as usual.",
                "I'm late with the column, the editor wants it by noon on the 12th.",
            ),
            "Team meeting at quarter past nine tomorrow, as usual.",
            "quarter past eight, we want the truck loaded before the heat",
        ),
        (
            "I phone Mum 7:30 pm, after supper.",
            (
                "Morning huddle 7:50, the school-run parents asked for it.",
                "The bakery opens at 7:30.",
            ),
            "I'll remind you to phone your mother at half past seven tonight.",
            "do it at 8 in the morning every day, she's brighter then",
        ),
    ],
)
def test_only_what_was_spoken_of_is_corrected(
    book: Commonplace, wrong: str, others: tuple[str, ...], before: str, said: str
) -> None:
    for text in (wrong, *others):
        book.save(text)
    talk(book, before, said)
    assert wrong not in live(book)
    assert set(others) <= set(live(book))


def test_what_was_not_spoken_of_stays(book: Commonplace) -> None:
    book.save("I prefer short commit messages.")
    talk(book, "Noted.", "We decided: in general, every module gets a README.")
    assert "I prefer short commit messages." in live(book)


@pytest.mark.parametrize(
    ("kind", "stored", "said"),
    [
        (
            "fix",
            "The image build hangs at the package step when the mirror is down; set another mirror",
            "the image build hangs at the package step",
        ),
        (
            "insight",
            "The login test fails on Fridays because the clock of the runner is off",
            "the login test fails on fridays",
        ),
    ],
)
def test_a_trouble_that_is_told_again_leaves_what_explains_it(
    book: Commonplace, kind: str, stored: str, said: str
) -> None:
    book.save(stored, kind=kind)
    talk(book, "Good morning.", said, "I'll have a look.")
    assert live(book) == [stored]


def test_a_rule_on_when_leaves_the_rule_on_how(book: Commonplace) -> None:
    stored = "Run the tests with `just test-all`, plain pytest misses the fixtures."
    book.save(stored)
    talk(book, "Good morning.", "run all tests before you touch anything", "All tests pass.")
    assert stored in live(book)
