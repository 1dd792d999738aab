"""How the book fares, in figures: what is counted, what rings, who is told."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest

from commonplace import Commonplace, Refused
from commonplace.model.memory import Draft
from commonplace.rules.screening.credential_formats import FORMATS
from commonplace.verbs.health import PeriodFigures
from tests import as_person
from tests.conftest import Clock
from tests.rules import made_credentials as made

TOKEN = made.credential(
    next(form for form in FORMATS if form.label == "GitHub token"), random.Random(3)
)


def lately(book: Commonplace, clock: Clock) -> PeriodFigures:
    return book.vitals(clock.now - timedelta(days=30))


def ringing(book: Commonplace, clock: Clock) -> list[str]:
    return [alarm.name for alarm, _ in lately(book, clock).alarms]


def test_a_new_book_is_well_and_has_nothing_to_tell(book: Commonplace, clock: Clock) -> None:
    found = lately(book, clock)
    assert (found.hit_ratio, found.repeated, found.days, found.alarms) == (None, None, (), ())
    assert (found.hot, found.cold, found.duplicates, found.refused) == ((), (), (), ())


def test_hot_is_what_was_recalled_and_cold_what_never_was(book: Commonplace, clock: Clock) -> None:
    cold = book.save("Orchids need rain water on Sundays")
    hot = book.save("The barometer is read at dawn and dusk")
    for _ in range(3):
        book.recall("when is the barometer read", limit=1)
    found = lately(book, clock)
    assert [(memory.id, count) for memory, count in found.hot] == [(hot.id, 3)]
    assert [memory.id for memory in found.cold] == [cold.id]
    older = Draft("The orangery is aired in May", created=datetime(2021, 3, 4, tzinfo=UTC))
    book.take_in(lambda: [older], kind="mem0")
    first, second = lately(book, clock).cold
    assert (first.content, second.id) == (older.content, cold.id), "oldest by what they say"


def test_questions_and_prompts_are_told_apart(book: Commonplace, clock: Clock) -> None:
    book.save("The ferry leaves at nine in the morning")
    book.recall("when does the ferry leave")
    book.recall("zymurgy quokka")
    book.prompt("Book me the ferry in the morning")
    found = lately(book, clock)
    assert (found.asked, found.handed, found.hit_ratio) == (2, 1, 0.5)
    assert found.recall_p95_s is not None
    assert found.days[0][1:] == (1, 3, 0)


def test_twenty_one_secrets_in_a_day_ring_and_twenty_do_not(
    book: Commonplace, clock: Clock
) -> None:
    with pytest.raises(Refused):
        book.save_many([f"Key {n}: {TOKEN}" for n in range(20)])
    found = lately(book, clock)
    assert (found.refused, found.blocked, found.alarms) == ((("credential", 20),), 20, ())
    with pytest.raises(Refused):
        book.save(f"One more: {TOKEN}")
    assert ringing(book, clock) == ["MemoryBlockedWrites"]
    clock.pass_days(1.1)
    assert ringing(book, clock) == []
    assert lately(book, clock).blocked == 21


def test_a_storm_of_writes_rings(book: Commonplace, clock: Clock) -> None:
    names = [f"{a}{b}" for a in "abcdefghijklmnopqr" for b in "stuvwxyzabcdefg"]
    book.save_many([f"The ship {name} carries {name}-wood" for name in names[:251]])
    (found,) = lately(book, clock).alarms
    assert (found[0].name, round(found[1])) == ("MemoryWriteStorm", 50)
    assert "written in a minute" in found[0].said(found[1])


def test_a_book_that_nobody_reads_grows_stale_and_rings(book: Commonplace, clock: Clock) -> None:
    for animal in ("otter", "heron", "badger"):
        book.save(f"The {animal} lives by the mill", kind="insight")
    assert ringing(book, clock) == []
    clock.pass_days(330)
    assert ringing(book, clock) == ["MemoryStale"]
    assert lately(book, clock).standing.stale_at(0.5) > 0.5


def test_a_first_import_rings_nothing(book: Commonplace, clock: Clock) -> None:
    """Hundreds at once, with secrets, with repeats, and with two values of many things."""
    things = [f"{a}{b}" for a in "abcdefghijklmnopqr" for b in "stuvwxyzabcdefghij"]
    long_ago = clock.now - timedelta(days=700)
    texts = [f"The {one} server listens on port {port}" for one in things[:30] for port in (1, 2)]
    texts += [f"The ship {one} carries {one}-wood" for one in things[:40]]
    texts += [f"Key {n}: {TOKEN}" for n in range(30)]
    drafts = [Draft(text, created=long_ago) for text in texts]
    assert book.take_in(lambda: drafts, kind="mem0").refused == 30
    book.take_in(lambda: drafts, kind="mem0")
    book.maintain()
    found = lately(book, clock)
    assert found.standing.waiting > 20
    assert [alarm.name for alarm, _ in found.alarms] == []


FIRSTS = (
    "amber", "birch", "cedar", "dune", "ember", "fjord", "grove", "heron", "inlet", "jetty",
    "kelp", "larch", "moss", "north", "otter", "pine", "quay", "reed", "slate", "tide",
)  # fmt: skip
LASTS = (
    "bank", "bay", "cape", "dale", "edge", "fell", "gate", "holm", "isle", "keep", "lane", "mead",
    "nook", "port", "ridge", "spit", "tor", "vale", "wick", "yard", "brook", "cliff", "field",
    "ford", "haven",
)  # fmt: skip
DEEDS = (
    "keeps a lighthouse", "sells rope", "mends nets", "bakes rye bread", "has a ferry",
    "hosts the fair", "stores grain", "builds boats", "grows pears", "smokes herring",
)  # fmt: skip


@pytest.mark.slow
def test_a_first_import_of_five_thousand_rings_nothing_and_a_storm_beside_it_does(
    book: Commonplace, clock: Clock
) -> None:
    villages = [a + b for a in FIRSTS for b in LASTS]
    texts = [f"The village {one} {does}" for does in DEEDS for one in villages]
    assert len(texts) == 5_000
    assert book.take_in(lambda: [Draft(text) for text in texts], kind="mem0").refused == 0
    found = lately(book, clock)
    assert dict(found.standing.by_status) == {"active": 5_000}
    assert found.alarms == ()
    book.save_many([f"The ship {one} carries {one}-wood" for one in villages[:251]])
    assert ringing(book, clock) == ["MemoryWriteStorm"]


def test_what_waits_longer_than_a_day_rings(book: Commonplace, clock: Clock) -> None:
    person = as_person(book)
    for number in range(21):
        person.fact_store(f"berth.{number}", "free")
        book.fact_store(f"berth.{number}", "taken")
    assert "MemoryInboxFull" not in ringing(book, clock)
    assert lately(book, clock).standing.overdue == 0
    clock.pass_days(1.1)
    assert lately(book, clock).standing.overdue == 21
    assert "MemoryInboxFull" in ringing(book, clock)


def test_a_user_with_many_scopes_rings(book: Commonplace, clock: Clock) -> None:
    book.save_many(
        [
            {"content": f"Task {n} begins with a list", "scope": f"/user/ada/project/p{n}"}
            for n in range(51)
        ]
    )
    found = lately(book, clock)
    assert found.standing.scopes_of_one_user == 51
    assert "MemoryManyScopes" in [alarm.name for alarm, _ in found.alarms]


def test_everybody_is_told_of_their_own_only(book: Commonplace, clock: Clock) -> None:
    ada, bob = (book.as_context({"user": user, "role": "member"}) for user in ("ada", "bob"))
    ada.save("Ada keeps an engine in the shed")
    ada.recall("what does Ada keep")
    with pytest.raises(Refused):
        ada.save(f"Token {TOKEN}")
    theirs = lately(bob, clock)
    assert (theirs.asked, theirs.days, theirs.refused, theirs.cold) == (0, (), (), ())
    assert theirs.standing.by_status == ()
    # How large the whole is says something of others, too.
    assert (theirs.standing.record_bytes, theirs.standing.local_bytes) == (0, 0)
    assert lately(ada, clock).blocked == 1
    assert lately(book, clock).standing.record_bytes > 0
