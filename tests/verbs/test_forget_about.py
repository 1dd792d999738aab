"""Forgetting and purging by description: the exact set, its confirmation and its undo."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from commonplace import BadInput, Commonplace, Conflict, NotAllowed, NotFound, Proposed, Refused
from commonplace.rules import description_match
from commonplace.verbs import forget_about
from tests import as_person
from tests.verbs.forgetting.measure import described, fill, measure, read_rows

FILES = ("known", "held", "second", "third", "fourth")
LEFT_SHORT = {
    "my old job at Initech", "the divorce from Daniel", "Mia's school trip to Rügen",
    "the coffee machine warranty", "the payment bug in version 4.2",
}  # fmt: skip
"""Descriptions with notes that name only a part of them, or name it otherwise; those stay."""


def _oslo(book: Commonplace) -> list[str]:
    texts = ("Budget for the Oslo trip is 900 euros", "Our trip to Oslo starts on 12 March")
    return [book.save(text).id for text in texts]


def test_descriptions_mean_the_planted_notes_and_no_near_miss(open_vault: Any) -> None:
    book = open_vault()
    rows = [row for name in FILES for row in read_rows(name)]
    fill(book, rows)
    found = [measure(book, described(row)) for row in rows]
    assert {one.about: one.wrongly for one in found if one.wrongly} == {}
    assert {one.about for one in found if one.left} == LEFT_SHORT


def test_what_is_near_stays_and_says_why(book: Commonplace) -> None:
    _oslo(book)
    theirs = book.save("Jonas's trip to Oslo was cancelled because of the strike")
    other = book.save("The Bergen trip begins with a train that leaves from Oslo")
    near = {one.memory.id: one.why for one in book.about("the Oslo trip").near}
    assert near == {theirs.id: "it is another person's", other.id: "it is another one"}


@pytest.mark.parametrize(
    ("told", "other", "asked"),
    [
        ("五月十号开始里斯本的旅行", "六月去马德里的旅行", "里斯本旅行"),
        ("五月十号开始里斯本旅行", "六月去马德里旅行", "里斯本的旅行"),
        ("歯医者の予約は火曜日です", "美容院の予約は水曜日です", "歯医者予約"),
    ],
)
def test_a_particle_between_two_nouns_tells_nothing(
    book: Commonplace, told: str, other: str, asked: str
) -> None:
    meant = book.save(told)
    book.save(other)
    assert [one.id for one in book.about(asked).going] == [meant.id]


@pytest.mark.parametrize(
    ("matter", "meant", "other"),
    [
        ("Greta", "Greta likes rye bread", "Gretas Bakery opens at six"),
        ("greta", "Greta likes rye bread", "We meet at Greta's Bakery on Friday"),
        ("Greta", "Lunch is with Greta, Piet and Jo", "Greta Garbo Street is closed"),
        ("Greta", "On Friday Greta counts the till", "The Greta Bakery has no chairs"),
        ("Java", "The parser is written in Java", "The Java Sea cruise starts in July"),
        ("java", "Java is our language", "Java Sea cruise tickets cost 90 euros"),
    ],
)
def test_a_longer_name_that_holds_the_one_that_is_named_is_only_near(
    book: Commonplace, matter: str, meant: str, other: str
) -> None:
    for text in (meant, other, "Gretasund has a harbour", "Javanese is taught"):
        book.save(text)
    seen = book.about(matter)
    assert [one.content for one in seen.going] == [meant]
    near = {one.memory.content: one.why for one in seen.near}
    assert near[other] == "its name is part of a longer one"


@pytest.mark.parametrize(
    ("matter", "meant", "other"),
    [
        ("the bus to Tregarth", "The bus to Tregarth is red", "The bus from Tregarth is blue"),
        ("the bus from Tregarth", "The bus from Tregarth is blue", "The bus to Tregarth is red"),
        ("der Bus nach Binz", "Der Bus nach Binz ist rot", "Der Bus von Binz ist blau"),
        ("le bac vers Dol", "Le bac vers Dol est rouge", "On paie à bord du bac de Dol"),
        ("el tren a Jaca", "El tren a Jaca es rojo", "El tren de Jaca es azul"),
        ("de bus naar Edam", "De bus naar Edam is rood", "De bus uit Edam is blauw"),
    ],
)
def test_the_way_back_is_another_thing(
    book: Commonplace, matter: str, meant: str, other: str
) -> None:
    for text in (meant, other):
        book.save(text)
    seen = book.about(matter)
    assert [one.content for one in seen.going] == [meant]
    assert other in {one.memory.content for one in seen.near}


def test_a_place_without_a_way_is_the_same_thing(book: Commonplace) -> None:
    for text in ("The Tregarth bus is red", "The bus to Tregarth costs 4 euros"):
        book.save(text)
    assert len(book.about("the bus to Tregarth").going) == 2
    assert len(book.about("the Tregarth bus").going) == 2


@pytest.mark.parametrize(
    ("matter", "meant", "other"),
    [
        ("Bertin", "Bertin likes pears", "The chapel Saint-Bertin is cold"),
        ("Luise", "Luise singt Alt", "Die Anna-Luise fährt um neun"),
        ("Marco", "Marco suona il corno", "La barca Gian-Marco è verde"),
    ],
)
def test_a_hyphenated_name_that_holds_the_named_one_is_only_near(
    book: Commonplace, matter: str, meant: str, other: str
) -> None:
    for text in (meant, other):
        book.save(text)
    seen = book.about(matter)
    assert [one.content for one in seen.going] == [meant]
    near = {one.memory.content: one.why for one in seen.near}
    assert near[other] == "its name is part of a longer one"


def test_a_fact_that_is_filed_under_another_person_stays(book: Commonplace) -> None:
    _oslo(book)
    book.save("Jonas's trip to Oslo was cancelled")
    theirs = book.fact_store("jonas.oslo_trip.hotel", "Bristol")
    ours = book.fact_store("oslo_trip.hotel", "Scandic")
    seen = book.about("the Oslo trip")
    assert ours.id in {one.id for one in seen.going}
    assert theirs.id not in {one.id for one in seen.going}


def test_shared_tags_alone_do_not_make_it_the_same(book: Commonplace) -> None:
    _oslo(book)
    jonas = book.save("Jonas flew home a day early", tags=["oslo", "trip"])
    mine = book.save("Bring the red rucksack", tags=["oslo", "trip"])
    seen = book.about("the Oslo trip")
    assert mine.id in {one.id for one in seen.going}
    assert jonas.id not in {one.id for one in seen.going}


def test_a_long_note_that_mentions_it_in_passing_stays(book: Commonplace) -> None:
    _oslo(book)
    week = book.save(
        "Fixed the flaky login test. Renewed the certificate of the shop. Booked the Oslo trip."
        " Reviewed the cart service with Raj. Moved the standup to ten."
    )
    near = {one.memory.id: one.why for one in book.about("the Oslo trip").near}
    assert near[week.id] == "it is mostly about other things"


def test_a_linked_note_without_the_words_is_perhaps_meant(book: Commonplace) -> None:
    book.save("Opera house at sunset", title="Oslo trip", aliases=["Norway in March"])
    linked = book.save("Vaccination cards are in the red pouch. See [[Norway in March]].")
    seen = book.about("the Oslo trip")
    assert [one.memory.id for one in seen.near] == [linked.id]
    done = book.forget_about("the Oslo trip", seen.id, also=[linked.id])
    assert len(done.memories) == 2


def test_one_undo_brings_all_of_them_back(book: Commonplace) -> None:
    ids = _oslo(book)
    seen = book.about("everything about the Oslo trip")
    assert {one.id for one in seen.going} == set(ids)
    done = book.forget_about("everything about the Oslo trip", seen.id)
    assert list(book.recall("Oslo trip")) == []
    assert {one.id for one in book.revert(done.id).memories} == set(ids)
    assert {hit.memory.id for hit in book.recall("Oslo trip")} == set(ids)


def test_the_undo_of_one_memory_brings_the_others_back_too(book: Commonplace) -> None:
    ids = _oslo(book)
    book.forget_about("the Oslo trip", book.about("the Oslo trip").id)
    assert {one.id for one in book.revert(ids[0]).memories} == set(ids)


def test_the_undo_leaves_what_was_restored_or_purged_since(book: Commonplace) -> None:
    ids = [*_oslo(book), book.save("Flight to Oslo leaves at 7:40").id]
    done = book.forget_about("the Oslo trip", book.about("the Oslo trip").id)
    book.restore(ids[0])
    as_person(book).purge(ids[1])
    assert [one.id for one in book.revert(done.id).memories] == [ids[2]]


def test_a_preview_is_only_good_for_its_set(book: Commonplace) -> None:
    ids = _oslo(book)
    seen = book.about("the Oslo trip")
    book.edit(ids[0], content="Budget for the Oslo trip is 1,200 euros")
    with pytest.raises(Conflict, match="preview"):
        book.forget_about("the Oslo trip", seen.id)
    again = book.about("the Oslo trip")
    book.save("Flight to Oslo leaves at 7:40")
    with pytest.raises(Conflict, match="preview"):
        book.forget_about("the Oslo trip", again.id)
    assert len(book.list()) == 3


def test_an_id_of_another_description_confirms_nothing(book: Commonplace) -> None:
    _oslo(book)
    seen = book.about("the Oslo trip")
    with pytest.raises(Conflict):
        book.forget_about("our trip to Oslo", seen.id)


@pytest.mark.parametrize("description", ["", "  ", "everything", "all of it please", "???"])
def test_a_description_without_words_is_refused(book: Commonplace, description: str) -> None:
    _oslo(book)
    with pytest.raises(BadInput):
        book.about(description)


def test_a_description_that_nothing_fits_confirms_nothing(book: Commonplace) -> None:
    seen = book.about("the Lima trip")
    assert (seen.id, seen.going) == ("", ())
    with pytest.raises(BadInput, match="No memory fits"):
        book.forget_about("the Lima trip", seen.id)


def test_only_near_ones_may_go_as_well(book: Commonplace) -> None:
    _oslo(book)
    other = book.save("Lunch is at noon")
    seen = book.about("the Oslo trip")
    with pytest.raises(BadInput, match="not among"):
        book.forget_about("the Oslo trip", seen.id, also=[other.id])
    assert len(book.list()) == 3


def test_a_person_decides_once_about_what_a_person_wrote(book: Commonplace) -> None:
    mine = [as_person(book).save(f"Oslo trip, day {day}: museum {day}").id for day in range(4)]
    agents = book.save("Flight to Oslo leaves at 7:40").id
    seen = book.about("the Oslo trip")
    done = book.forget_about("the Oslo trip", seen.id)
    assert [one.id for one in done.memories] == [agents]
    assert done.proposal is not None
    waiting = book.inbox()
    assert [one.action for one in waiting] == ["forget-about"]
    assert {one.id for one in waiting[0].about} == set(mine)
    person = as_person(book)
    person.accept(waiting[0].memory.id)
    assert book.list() == []
    person.revert(waiting[0].memory.id)
    assert {one.id for one in book.list()} == set(mine)


def test_a_description_with_a_credential_is_not_kept_in_a_proposal(book: Commonplace) -> None:
    as_person(book).save("Budget for the Oslo trip is 900 euros")
    said = "the Oslo trip. The password is hunter2-Xy77"
    seen = book.about(said)
    if seen.going:
        with pytest.raises(Refused):
            book.forget_about(said, seen.id)
    assert book.inbox() == []


def test_a_set_of_a_person_alone_is_proposed_and_a_no_holds(book: Commonplace) -> None:
    person = as_person(book)
    person.save("Budget for the Oslo trip is 900 euros")
    seen = book.about("the Oslo trip")
    with pytest.raises(Proposed):
        book.forget_about("the Oslo trip", seen.id)
    with pytest.raises(Proposed):
        book.forget_about("the Oslo trip", seen.id)
    (waiting,) = book.inbox()
    person.reject(waiting.memory.id)
    with pytest.raises(Refused):
        book.forget_about("the Oslo trip", book.about("the Oslo trip").id)
    assert len(book.list()) == 1


def test_a_purge_by_description_reaches_forgotten_ones_and_has_a_receipt(
    book: Commonplace,
) -> None:
    ids = _oslo(book)
    book.forget(ids[0])
    person = as_person(book)
    seen = person.about("the Oslo trip", purge=True)
    assert {one.id for one in seen.going} == set(ids)
    with pytest.raises(NotAllowed):
        book.purge_about("the Oslo trip", seen.id)
    done = person.purge_about("the Oslo trip", seen.id)
    assert set(done.ids) == set(ids)
    assert done.book == book.id
    assert done.tombstones
    with pytest.raises(NotFound):
        person.revert(ids[1])
    with pytest.raises(Refused):
        book.save("Our trip to Oslo starts on 12 March")


def test_a_scope_narrows_the_set(book: Commonplace) -> None:
    book.save("Budget for the Oslo trip is 900 euros", scope="/project/a")
    inside = book.save("The Oslo trip has four days", scope="/project/b")
    wide = book.as_context({"role": "owner", "project": "b"})
    assert [one.id for one in wide.about("the Oslo trip", scope="/project/b").going] == [inside.id]


def test_facts_md_lines_come_back_with_the_others(open_vault: Any, vault: Path) -> None:
    book = open_vault()
    book.save("Budget for the Oslo trip is 900 euros")
    (vault / "facts.md").write_text("- oslo_trip.hotel: Scandic\n- phone: 555\n")
    book.sync()
    person = as_person(book)
    seen = person.about("the Oslo trip")
    assert len(seen.going) == 2
    done = person.forget_about("the Oslo trip", seen.id)
    assert book.fact_recall("oslo_trip.hotel") is None
    assert book.fact_recall("phone") is not None
    person.revert(done.id)
    fact = book.fact_recall("oslo_trip.hotel")
    assert fact is not None
    assert fact.value == "Scandic"


def test_what_is_near_in_meaning_is_listed_and_stays(open_vault: Any) -> None:
    book = open_vault(embedder="bundled")
    book.save(
        "Root cause of the outage on Black Friday: the connection pool of the cart service was"
        " exhausted"
    )
    book.save("The Black Friday outage lasted 47 minutes and hit checkout")
    other = book.save("The cart service ran out of database connections during the November sale")
    book.save("Tomatoes in the garden need water every evening")
    seen = book.about("the outage on Black Friday")
    assert len(seen.going) == 2
    assert [(one.memory.id, one.why) for one in seen.near] == [
        (other.id, "it is only near in meaning")
    ]


def test_a_summary_goes_that_tells_of_the_thing_in_one_of_its_lines(book: Commonplace) -> None:
    lines = ("Bump the timeout to 45 s.", "The CFO is leaving in March.", "Drop Node 20.",
             "Reminders go out after 21 days.", "The preview server has port 4180.")  # fmt: skip
    told = "\n".join(f"- The user: {one}" for one in lines)
    summary = book.save(
        f"Session of Monday, 10 turns.\n\n## Decisions\n{told}", kind="session-summary"
    )
    assert [one.id for one in book.about("the CFO").going] == [summary.id]


def test_every_reason_to_stay_is_a_clause_of_one_form() -> None:
    values = (*vars(description_match).items(), *vars(forget_about).items())
    named = {name: value for name, value in values if isinstance(value, str) and name.isupper()}
    reasons = {
        name: value
        for name, value in named.items()
        if name.startswith(("ANOTHER_", "OTHER_", "NOT_ALL", "SAME_", "LINKED", "MEANING"))
    }
    assert len(reasons) == 9
    assert all(one.startswith("it ") and not one.endswith(".") for one in reasons.values())
