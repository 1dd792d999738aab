"""What happens to two memories that contradict each other, as a table."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.model.memory import TRUSTS, Memory
from commonplace.model.scope import Scope
from commonplace.rules.parameters import GateThresholds
from commonplace.rules.relations.replacement import (
    ASK,
    OUTCOMES,
    REVIEW,
    STAGE,
    SUPERSEDE,
    conflict_outcome,
)

SETTINGS = GateThresholds()
SURE, UNSURE = 0.8, 0.6
MONDAY = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def said(confidence: float, trust: str, *, day: int = 0, owner: str = "agent") -> Memory:
    at = MONDAY + timedelta(days=day)
    return Memory(
        id=f"{trust}-{day}", content="The ferry leaves at noon", scope=Scope(), kind="fact",
        confidence=confidence, trust=trust, owner=owner, created=at, updated=at,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("new", "old", "sure", "outcome"),
    [
        # A change by an equal replaces, also if it is a little less confident.
        ((0.6, "agent"), (0.6, "agent"), SURE, SUPERSEDE),
        ((0.6, "agent"), (0.7, "agent"), SURE, SUPERSEDE),
        ((0.7, "agent"), (0.6, "agent"), SURE, SUPERSEDE),
        ((1.0, "agent"), (0.4, "agent"), SURE, SUPERSEDE),
        # A gap of just 0.2 is not more than 0.2, whatever floats make of it.
        ((0.8, "agent"), (1.0, "agent"), SURE, SUPERSEDE),
        ((0.4, "agent"), (0.6, "agent"), SURE, SUPERSEDE),
        ((0.5, "agent"), (0.7, "agent"), SURE, SUPERSEDE),
        ((0.1, "agent"), (0.3, "agent"), SURE, SUPERSEDE),
        # A larger one lets the new memory wait.
        ((0.79, "agent"), (1.0, "agent"), SURE, STAGE),
        ((0.4, "agent"), (1.0, "agent"), SURE, STAGE),
        # Unless it is more trusted: then a person says which of two strong sides holds.
        ((0.4, "user"), (1.0, "agent"), SURE, REVIEW),
        ((0.8, "user"), (1.0, "agent"), SURE, SUPERSEDE),
        # A less trusted one never replaces.
        ((1.0, "system"), (0.6, "agent"), SURE, REVIEW),
        ((0.6, "system"), (0.6, "agent"), SURE, REVIEW),
        ((0.4, "system"), (1.0, "agent"), SURE, STAGE),
        ((1.0, "external"), (0.4, "agent"), SURE, STAGE),
        ((0.6, "external"), (0.6, "external"), SURE, SUPERSEDE),
        # A doubtful verdict is a question, between any two.
        ((0.6, "agent"), (0.6, "agent"), UNSURE, REVIEW),
        ((1.0, "user"), (0.4, "agent"), UNSURE, REVIEW),
        ((1.0, "external"), (0.4, "agent"), UNSURE, STAGE),
        # What a person said changes by a person's word.
        ((1.0, "agent"), (0.6, "user"), SURE, ASK),
        ((0.4, "agent"), (0.6, "user"), SURE, STAGE),
        ((0.6, "agent"), (0.6, "user"), UNSURE, ASK),
        ((1.0, "user"), (1.0, "user"), SURE, SUPERSEDE),
    ],
)
def test_a_change_replaces_and_everything_else_is_asked(
    new: tuple[float, str], old: tuple[float, str], sure: float, outcome: str
) -> None:
    found = conflict_outcome(said(*new, day=1), said(*old), sure=sure, settings=SETTINGS)
    assert found == outcome


def test_what_was_said_earlier_and_saved_later_waits_unless_it_is_clearly_surer() -> None:
    earlier, later = said(0.6, "agent", day=-3), said(0.6, "agent")
    assert conflict_outcome(earlier, later, sure=SURE, settings=SETTINGS) == STAGE
    surer = earlier.but(confidence=0.8)
    assert conflict_outcome(surer, later, sure=SURE, settings=SETTINGS) == SUPERSEDE


@given(
    st.sampled_from(TRUSTS), st.sampled_from(TRUSTS), st.integers(0, 100), st.integers(0, 100),
    st.floats(0, 1),
)  # fmt: skip
def test_nothing_weaker_ever_replaces(
    new_trust: str, old_trust: str, new: int, old: int, sure: float
) -> None:
    one, other = said(new / 100, new_trust, day=1), said(old / 100, old_trust)
    outcome = conflict_outcome(one, other, sure=sure, settings=SETTINGS)
    assert outcome in OUTCOMES
    weaker = TRUSTS.index(new_trust) < TRUSTS.index(old_trust) or old - new > 20
    if weaker or sure < SETTINGS.sure:
        assert outcome != SUPERSEDE
