"""Descriptions are read and judged whatever the texts are."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.model.memory import Memory
from commonplace.rules.description_match import judge
from commonplace.rules.descriptions import read_description

NOW = datetime(2026, 11, 15, tzinfo=UTC)
WORDS = st.sampled_from(
    [
        "the",
        "our",
        "my",
        "his",
        "Oslo",
        "trip",
        "Jonas",
        "Jonas's",
        "Bergen",
        "flight",
        "to",
        "in",
        "of",
        "from",
        "2024",
        "March",
        "Dr.",
        "knee",
    ]
)
TEXTS = st.one_of(st.text(max_size=80), st.lists(WORDS, max_size=12).map(" ".join))


def memory(content: str, **fields: object) -> Memory:
    return Memory(id="one", content=content, created=NOW, updated=NOW).but(**fields)


@given(TEXTS, TEXTS, TEXTS)
def test_every_text_gets_a_verdict_that_is_meant_or_near_or_neither(
    description: str, content: str, title: str
) -> None:
    note = memory(content, title=title)
    verdict = judge(read_description(description, [note]), note)
    assert not (verdict.meant and verdict.near)
    assert verdict.meant or verdict.why


@given(TEXTS)
def test_words_that_ask_for_forgetting_change_nothing(description: str) -> None:
    asked = read_description(description)
    again = read_description(f"please forget everything about {description}")
    assert asked.required | asked.head == again.required | again.head


@pytest.mark.parametrize(
    "text",
    [
        "Jonas's trip to Oslo was cancelled",
        "My sister is planning a trip to Oslo",
        "Uncle Rolf went on a trip to Oslo",
        "Her trip to Oslo took a week",
        "Jonas flew to Oslo on Monday",
        "The Bergen trip begins in Oslo",
        "Another trip to Oslo is planned for next year",
        "The Oslo office pays for the hotel of guests",
    ],
)
def test_the_oslo_trip_is_not(text: str) -> None:
    note = memory(text)
    assert not judge(read_description("the Oslo trip", [note]), note).meant


@pytest.mark.parametrize(
    "text",
    [
        "The Oslo trip costs 900 euros",
        "Anna joins us on our trip to Oslo",
        "Oslo: the trip begins at seven",
        "Flight to Oslo leaves at 7:40",
        "Next week's Oslo trip is on",
    ],
)
def test_the_oslo_trip_is(text: str) -> None:
    note = memory(text)
    assert judge(read_description("the Oslo trip", [note]), note).meant


@pytest.mark.parametrize(
    "text",
    [
        "Jonas is on a trip to Oslo in May",
        "In May Jonas is on a trip to Oslo",
        "Next week Jonas takes a trip to Oslo",
        "I heard that Jonas is on a trip to Oslo",
        "My colleague Jonas is on a trip to Oslo",
        "In May my sister is on a trip to Oslo",
        "My sister and my brother are on a trip to Oslo",
        "Jonas and Mia are on a trip to Oslo",
        "He is on a trip to Oslo until Friday",
        "They are on a trip to Oslo",
        "Jonas will be on a trip to Oslo next week",
        "Jonas has a trip to Oslo in May",
        "The Oslo trip of my sister starts on Friday",
        "Jonas is currently on a trip to Oslo",
        "Jonas Berg is on the Oslo trip",
        "On a trip to Oslo Jonas lost a jacket",
        "Apparently Jonas has booked a trip to Oslo",
        "Our neighbours are on a trip to Oslo",
        "Jonas's trip to Oslo starts on Friday",
        "Since Monday Jonas is in Oslo for a trip",
        "After the strike Jonas made a trip to Oslo",
        "Jonas has been on a trip to Oslo",
        "Remember that Jonas takes a trip to Oslo",
        "We think Jonas is on a trip to Oslo",
        "Jonas and his wife are on a trip to Oslo",
        "Dr. Berg is on a trip to Oslo",
    ],
)
def test_what_another_person_takes_part_in_is_not_meant(text: str) -> None:
    note = memory(text)
    assert not judge(read_description("the Oslo trip", [note]), note).meant


@pytest.mark.parametrize(
    "text",
    [
        "My trip to Oslo with Jonas starts on Friday",
        "Jonas and I are on a trip to Oslo in May",
        "The trip to Oslo with Jonas costs 900 euros",
        "Jonas comes along on our trip to Oslo",
        "We meet Jonas on the trip to Oslo",
        "In May Jonas joins me on the trip to Oslo",
        "I am on a trip to Oslo with Jonas in May",
        "The Oslo trip with my sister is in May",
        "The trip to Oslo starts on Friday",
        "For the Oslo trip Jonas booked the Scandic",
        "My sister and I go on a trip to Oslo",
        "Plan is a trip to Oslo in May",
        "Budget for the Oslo trip is 900 euros",
        "On the Oslo trip I want to see the Munch museum",
        "Breakfast is included in the trip to Oslo",
        "In May we take a trip to Oslo with Jonas",
        "Dr. Berg is the guide of the Oslo trip",
        "Insurance covers the trip to Oslo",
        "Jonas is with us on the trip to Oslo",
        "Departure is at 7 for the Oslo trip",
        "My sister is with me on the trip to Oslo",
        "In May there is a trip to Oslo",
        "Tomorrow the trip to Oslo begins",
        "The Oslo trip of May costs 900 euros",
    ],
)
def test_the_users_own_trip_is_meant_also_with_another_person(text: str) -> None:
    note = memory(text)
    assert judge(read_description("the Oslo trip", [note]), note).meant


def test_a_subject_is_another_person_in_german_as_well() -> None:
    asked = read_description("Reise nach Oslo")
    assert not judge(asked, memory("Jonas ist auf einer Reise nach Oslo")).meant
    assert judge(asked, memory("Mit Jonas sind wir auf einer Reise nach Oslo")).meant


@pytest.mark.parametrize(
    ("asked", "meant", "another"),
    [
        ("my knee", "My left knee hurts", "Grandpa's knee was operated in 2020"),
        ("my knee", "Physio for the knee is on Tuesdays", "The knee of my sister is swollen"),
        ("the landlord", "The landlord is on holiday", "Their landlord raised the rent"),
        ("the old laptop", "The old laptop has a loose hinge", "The new laptop has 32 GB of RAM"),
        ("the small oven", "Bread goes into the small oven", "The big oven needs an hour"),
        ("Kiwi the canary", "Kiwi the canary sings at five", "Pico the canary sings at six"),
    ],
)
def test_a_noun_that_another_person_has_or_an_opposite_describes_is_another_one(
    asked: str, meant: str, another: str
) -> None:
    notes = [memory(meant), memory(another)]
    verdicts = [judge(read_description(asked, notes), note) for note in notes]
    assert [one.meant for one in verdicts] == [True, False]
    assert verdicts[1].near


def test_a_note_on_both_is_about_the_one_that_is_named() -> None:
    note = memory("The old laptop is slower than the new laptop")
    assert judge(read_description("the old laptop", [note]), note).meant
