"""Two values of one slot, and the same said of two things."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.rules.relations.slots import (
    exact_change,
    leaves_out_clause,
    other_complement,
    other_number,
    other_thing,
    same_slot,
    turned_round,
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The deploy branch is main.", "The deploy branch is release"),
        ("pool max = 100", "pool max = 200"),
        ("The standup is at 9:15.", "The standup is at 10."),
        ("api.port: 8080", "api.port: 9090"),
        ("The cache lives in Redis.", "The cache lives in Valkey on the second host."),
    ],
)
def test_one_slot(one: str, other: str) -> None:
    assert same_slot(one, other)
    assert same_slot(other, one)
    assert not other_thing(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The deploy branch is main.", "The deploy branch is main."),
        ("The port of staging is 8080.", "The port of production is 9090."),
        ("Ama leads payments.", "Ama is from Kumasi."),
        ("Is it", "Is that"),
        ("The deploy branch is main.", "The deploy branch is main and it is protected."),
    ],
)
def test_no_slot(one: str, other: str) -> None:
    assert not same_slot(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The port of staging is 8080.", "The port of production is 9090."),
        ("The author of the first part is Lena.", "The author of the appendix is Ben."),
        ("The buoy called Hedda is red", "The buoy called Marit is red"),
    ],
)
def test_the_same_of_two_things(one: str, other: str) -> None:
    assert other_thing(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ubuntu 22.04 on the build host", "Ubuntu 24.04 on the build host"),
        ("The job times out after 30 seconds.", "The job times out after 60 seconds."),
        ("We use PostgreSQL 16 for orders", "We use PostgreSQL 17 for orders"),
        ("Node 18 is required", "Node 22 is required"),
        ("The image is built on Python 3.11", "The image is built on Python 3.13"),
        ("Bob is the CTO.", "Carol is the CTO"),
        ("Lena leads the mobile team", "Tomas leads the mobile team"),
        ("Soraya leads Atlas.", "Jonas leads Atlas."),
        ("Reports: /srv/v1/out", "Reports: /srv/v2/out"),
    ],
)
def test_an_exact_change(one: str, other: str) -> None:
    assert exact_change(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Fact number 3 about trains", "Fact number 4 about trains"),
        ("Fan 1: 900 rpm", "Fan 2: 1400 rpm"),
        ("Step 2 is done.", "Step 3 is done."),
        ("worker-0 counted 3 storks over field 9", "worker-1 counted 3 storks over field 9"),
        ("storm-0 counted 3 storks over field 9", "storm-0 counted 4 storks over field 12"),
        ("We support Node 18", "We support Node 22"),
        ("Tested with Python 3", "Tested with Python 2"),
        ("Node 7 of the grid was replaced.", "Node 9 of the grid was replaced."),
    ],
)
def test_a_number_that_names_a_thing_is_no_value(one: str, other: str) -> None:
    assert other_number(one, other)
    assert not exact_change(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Heron 3", "Heron 4"),
        ("Ada saw 3 herons", "Ada saw 4 herons"),
        ("Written by Ada", "Written by Ben"),
        ("Lena leads a yoga class", "Tomas leads a yoga class"),
    ],
)
def test_what_may_both_hold_is_no_exact_change(one: str, other: str) -> None:
    assert not exact_change(one, other)
    assert not same_slot(one, other)


TEXT = st.text(alphabet="ab is=:12 the", max_size=60)


@given(TEXT, TEXT)
def test_a_slot_has_no_direction_and_is_of_one_thing(one: str, other: str) -> None:
    assert same_slot(one, other) == same_slot(other, one)
    assert not same_slot(one, one)
    assert not (same_slot(one, other) and other_thing(one, other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("We chose NATS over Kafka for events", "Kafka was chosen over NATS for events"),
        ("I prefer tabs over spaces.", "I prefer spaces over tabs."),
        ("The linter runs before tests", "Tests run before the linter"),
        ("Tea rather than coffee", "I drink coffee rather than tea"),
    ],
)
def test_a_comparison_turned_round(one: str, other: str) -> None:
    assert turned_round(one, other)
    assert turned_round(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("We chose NATS over Kafka", "We chose NATS over Redis"),
        ("We chose NATS over Kafka for events", "We picked NATS over Kafka"),
        ("Use Go instead of Rust", "Use Rust instead of C"),
        ("The linter runs before tests", "Tests run after the linter"),
        ("Call Ada before noon", "Noon is late"),
    ],
)
def test_other_comparisons_are_not_turned_round(one: str, other: str) -> None:
    assert not turned_round(one, other)


def test_an_order_may_say_with_what_and_another_one_when() -> None:
    assert other_complement("Run all tests before you push", "Run the tests with tox")
    assert not other_complement("Run the tests using nox", "Run the tests with tox")
    assert not other_complement("Run lint after the tests", "Run lint before the tests")


def test_a_statement_may_be_the_beginning_of_one_that_explains_it() -> None:
    trouble = "The build hangs at night."
    assert leaves_out_clause(trouble, "The build hangs at night when the mirror is down")
    assert leaves_out_clause(trouble, "The build hangs at night; start it again")
    assert not leaves_out_clause(trouble, "The build hangs at night and at noon")
    assert not leaves_out_clause("The build hangs at night", "The build hangs at nightfall when")
