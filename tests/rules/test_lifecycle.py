"""Laws of ageing: time only ever ages, use only ever keeps, and a backward clock does nothing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.model.memory import Memory, Use
from commonplace.model.scope import Scope
from commonplace.rules import lifecycle
from commonplace.rules.lifecycle import staleness
from commonplace.rules.parameters import Lifetimes
from commonplace.rules.relations import duplicates

NOW = datetime(2026, 11, 15, tzinfo=UTC)
SETTINGS = Lifetimes()
days = st.floats(0, 2_000, allow_nan=False)
kinds = st.sampled_from(["preference", "fact", "insight", "fix", "task-summary", "idea"])


def memory(kind: str = "insight", age_days: float = 0, **fields: object) -> Memory:
    said = NOW - timedelta(days=age_days)
    return Memory(id="m", content="Tea at noon", created=said, updated=said, kind=kind).but(
        **fields
    )


def used(count: int, days_ago: float) -> Use:
    return Use(count, NOW - timedelta(days=days_ago)) if count else Use()


@given(kinds, days, days, st.integers(0, 50), days, st.booleans())
def test_staleness_grows_with_time_and_stays_between_0_and_1(
    kind: str, age: float, later: float, count: int, ago: float, contradicted: bool
) -> None:
    one, use = memory(kind, age), used(count, ago)
    then = NOW + timedelta(days=later)
    before = staleness(one, use, SETTINGS, NOW, contradicted=contradicted)
    after = staleness(one, use, SETTINGS, then, contradicted=contradicted)
    assert 0 <= before <= after + 1e-9 <= 1 + 1e-9


@given(kinds, days, st.integers(0, 50), days)
def test_another_use_never_makes_a_memory_staler_or_colder(
    kind: str, age: float, count: int, ago: float
) -> None:
    one = memory(kind, age)
    before, after = used(count, ago), used(count + 1, 0)
    assert staleness(one, after, SETTINGS, NOW, contradicted=False) <= staleness(
        one, before, SETTINGS, NOW, contradicted=False
    )
    assert lifecycle.heat(after, NOW) >= lifecycle.heat(before, NOW)


@given(kinds, days)
def test_what_a_clock_behind_sees_as_still_to_come_is_fresh(kind: str, ahead: float) -> None:
    one = memory(kind, -ahead)
    assert not lifecycle.is_expired(one, SETTINGS, NOW)
    assert not lifecycle.is_overdue(one, Use(), SETTINGS, NOW)
    assert staleness(one, Use(), SETTINGS, NOW, contradicted=False) == 0


@given(days)
def test_age_alone_never_makes_a_memory_stale(age: float) -> None:
    score = staleness(memory("insight", age), Use(), SETTINGS, NOW, contradicted=False)
    assert score <= SETTINGS.stale_above + 1e-9


def test_old_unused_and_contradicted_is_up_for_the_archive() -> None:
    worn = memory("insight", 800)
    assert staleness(worn, Use(), SETTINGS, NOW, contradicted=True) > SETTINGS.evict_above
    eternal = memory("fact", 800)
    assert staleness(eternal, Use(), SETTINGS, NOW, contradicted=True) < SETTINGS.stale_above


@pytest.mark.parametrize(
    ("kind", "fields", "expected"),
    [
        ("preference", {}, "preference"),
        ("fact", {}, "fact"),
        ("insight", {}, "knowledge"),
        ("insight", {"source_tasks": ("T-1",)}, "task"),
        ("insight", {"scope": Scope.parse("/project/x/task/T-1")}, "task"),
        ("session-summary", {"source_tasks": ("T-1",)}, "history"),
        ("team-rule", {}, "knowledge"),
    ],
)
def test_categories(kind: str, fields: dict[str, object], expected: str) -> None:
    assert lifecycle.lifetime_category(memory(kind).but(**fields)) == expected


def test_a_memory_s_own_word_goes_before_its_category_s() -> None:
    tomorrow = NOW + timedelta(days=1)
    patient = memory("preference", 500, review_after=tomorrow)
    assert not lifecycle.is_overdue(patient, Use(), SETTINGS, NOW)
    assert lifecycle.expires_at(memory("insight", 0, expires=tomorrow), SETTINGS) == tomorrow


texts = st.lists(
    st.frozensets(st.sampled_from("abcdefghij"), min_size=1, max_size=6), min_size=2, max_size=12
)


@given(texts, st.sampled_from([0.5, 0.7, 0.9]))
def test_no_pair_that_is_alike_enough_is_missed(words: list[frozenset[str]], least: float) -> None:
    named = dict(enumerate(words))
    found = [tuple(sorted(pair)) for pair in duplicates.similar_pairs(named, least=least)]
    expected = {
        (one, other)
        for one in named
        for other in named
        if one < other
        and 2 * len(named[one] & named[other])
        >= least * (len(named[one]) + len(named[other])) - 1e-9
    }
    assert set(found) == expected
    assert len(found) == len(set(found))
