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
