"""Which pairs words alone settle, so that the judge is not asked."""

from __future__ import annotations

import pytest

from commonplace.ports.reader import Related
from commonplace.ports.reasoner import Judged
from commonplace.rules.relations.verdict import (
    SURE,
    parts_to_read,
    settle,
    settle_by_words,
    without_shared_sentences,
)

UNRELATED = Judged("unrelated", 1.0, "")


@pytest.mark.parametrize("filler", ["x3 " * 80, "lorem ipsum dolor " * 20, "a b " * 30])
def test_a_text_of_a_few_words_over_and_over_is_not_read(filler: str) -> None:
    text = f"Staging lesson 3 about 21 databases {filler}"
    assert settle_by_words(UNRELATED, text, "The staging database is db3") == UNRELATED
    assert settle_by_words(UNRELATED, "The staging database is db3", text) == UNRELATED


def test_prose_is_read_however_long_its_sentences_are() -> None:
    newer = (
        "We moved the staging database away from the old host in the cellar, because it went "
        "down each time somebody vacuumed there, and since last week it runs on db7, which "
        "stands in the rack with the rest of the machines that we care for."
    )
    assert settle_by_words(UNRELATED, newer, "The staging database is db3") is None


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The proxy needs a port above 8000", "The proxy uses port 9090"),
        ("Meetings take at most 30 minutes", "Meetings take 25 minutes on Mondays"),
    ],
)
def test_a_bound_and_a_value_within_it_may_both_hold(older: str, newer: str) -> None:
    read = Related(replaces=0.99, same=0.0, adds=0.005, other=0.005)
    assert settle(UNRELATED, read, newer, older).sure < SURE


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (
            "heron-billing has four services: intake (Go), pricing (Rust), ledger and mailer",
            "The CI of heron-billing is Woodpecker; its slowest job is the browser suite with "
            "14 minutes, which waits for a database container.",
        ),
        (
            "Every visible text of the ward app goes through tr() with a key; Finnish is the "
            "source language, Swedish is translated by the hospital.",
            "Removed lodash from the ward app in May: 71 kB less, and all sorting is now in the "
            "helpers of order.ts.",
        ),
    ],
)
def test_long_notes_that_share_little_but_their_project_both_hold(older: str, newer: str) -> None:
    read = Related(replaces=0.95, same=0.0, adds=0.03, other=0.02)
    assert settle(UNRELATED, read, newer, older).relation != "contradicts"
    assert settle(UNRELATED, read, older, newer).relation != "contradicts"


def test_a_long_note_that_repeats_what_it_changes_still_changes_it() -> None:
    older = "heron-billing has four services: intake (Go), pricing (Rust), ledger and mailer"
    newer = (
        "Since the rewrite heron-billing has three services: intake (Go), pricing (Go) and "
        "ledger; the mailer is gone, because the newsletter tool sends everything."
    )
    read = Related(replaces=0.95, same=0.0, adds=0.03, other=0.02)
    assert settle(UNRELATED, read, newer, older).relation == "contradicts"


@pytest.mark.parametrize(
    "newer", ["Until August 2026 the shop ran on PHP 8.1", "The shop was on PHP 8.1 before May"]
)
def test_how_it_was_until_a_day_ends_nothing_that_holds(newer: str) -> None:
    read = Related(replaces=0.97, same=0.0, adds=0.02, other=0.01)
    assert settle(UNRELATED, read, newer, "The shop runs on PHP 8.4").relation != "contradicts"


def test_a_note_that_repeats_another_word_for_word_replaces_nothing() -> None:
    older = "I prefer tea over coffee."
    newer = f"Always water the ferns before noon. {older}"
    for one, two in ((newer, older), (older, newer)):
        found = settle_by_words(UNRELATED, one, two)
        assert found is not None
        assert found.relation == "refines"


def test_what_a_note_says_to_have_ended_has_ended() -> None:
    read = Related(replaces=0.8, same=0.1, adds=0.05, other=0.05)
    older = "The stove in the hut burns gas"
    for newer, ends in (
        ("The hut has a wood stove instead of gas", True),
        ("Ada has an electric stove instead of a campfire", False),
    ):
        assert (settle(UNRELATED, read, newer, older).sure >= SURE) is ends


def test_what_both_say_word_for_word_is_not_what_changed() -> None:
    shared = "The cache is warmed first. Otherwise somebody waits."
    newer, older = f"{shared} Routes come from a list.", f"{shared} Ada wrote the script."
    assert without_shared_sentences(newer, older) == (
        "Routes come from a list.",
        "Ada wrote the script.",
    )
    for pair in ((newer, shared), (shared, older), ("Tea at four.", "Tea at five.")):
        assert without_shared_sentences(*pair) == pair


def test_the_parts_of_a_note_are_read_where_the_whole_is_not_clear() -> None:
    note = "Invoices go out on the 1st, reminders are sent after 14 days."
    doubtful, clear, no = (Related(share, 0.0, 0.0, 1 - share) for share in (0.4, 0.94, 0.01))
    assert len(parts_to_read(note, doubtful)) == 2
    assert parts_to_read(note, clear) == parts_to_read(note, no) == ()
    assert parts_to_read("Invoices go out on the 1st.", doubtful) == ()


def test_no_judge_is_surer_than_it_can_be() -> None:
    read = Related(0.999, 0.0, 0.0, 0.001)
    newer, older = "The hall is heated with pellets", "The hall is heated with oil and wood"
    assert settle(UNRELATED, read, newer, older).sure < 0.85


CLAIMED = Judged("contradicts", 0.85, "")


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("I live in Tartu.", "I moved to the design team in May."),
        ("Apartment 4B complained about noise.", "Apartment 5A complained about noise."),
        ("Node 3 of the cluster was rebooted.", "Node 4 of the cluster was rebooted."),
    ],
)
def test_no_rule_retires_what_the_judge_takes_for_another_thing(older: str, newer: str) -> None:
    read = Related(replaces=0.02, same=0.0, adds=0.13, other=0.85)
    for by_rule in (CLAIMED, UNRELATED):
        assert settle(by_rule, read, newer, older).relation != "contradicts"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The market stall is number 12.", "The market stall is number 31."),
        ("The lecture is in room B104.", "The lecture is in room C210."),
        ("Potatoes boil 20 minutes.", "Potatoes boil 25 minutes."),
    ],
)
def test_a_number_that_a_thing_is_given_or_takes_is_read_by_the_judge(
    older: str, newer: str
) -> None:
    assert settle_by_words(UNRELATED, newer, older) is None
    read = Related(replaces=0.97, same=0.0, adds=0.02, other=0.01)
    found = settle(UNRELATED, read, newer, older)
    assert found.relation == "contradicts"
    assert found.sure < SURE  # A person is asked.
    assert settle(CLAIMED, read, newer, older).sure >= SURE


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Donated 20 euros to the food bank.", "Donated 30 euros to the food bank."),
        ("Ran 5 km along the river.", "Ran 8 km along the river."),
        ("Room 12 is locked.", "Room 14 is locked."),
        ("Table 3 seats the choir.", "Table 4 seats the choir."),
    ],
)
def test_numbers_of_events_and_names_with_numbers_change_nothing(older: str, newer: str) -> None:
    found = settle_by_words(UNRELATED, newer, older)
    assert found is not None
    assert found.relation == "unrelated"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Our vet is Dr. Salgado.", "Our vet is Dr. Imhoff, Salgado retired."),
        ("The flags are kept in Hedge.", "The flags are kept in a table; Hedge is gone."),
    ],
)
def test_the_words_of_a_note_in_two_clauses_say_no_more_of_the_same(older: str, newer: str) -> None:
    assert settle_by_words(UNRELATED, newer, older) is None


def test_a_clause_behind_all_that_a_note_says_only_adds_to_it() -> None:
    found = settle_by_words(
        UNRELATED, "The flags are kept in Hedge, which is cheap.", "The flags are kept in Hedge."
    )
    assert found is not None
    assert found.relation == "refines"
