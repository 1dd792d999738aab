"""Which memories belong to the commit that they were learned on."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from commonplace.model.memory import Memory
from commonplace.model.scope import Scope
from commonplace.rules.branches import is_tied


def learned(text: str, kind: str = "insight") -> Memory:
    now = datetime(2026, 11, 1, tzinfo=UTC)
    return Memory(
        id="m", content=text, kind=kind, scope=Scope.of("/project/shop"), created=now, updated=now
    )


@pytest.mark.parametrize(
    "text",
    [
        "We decided: in general, for all branches, every module gets a README.",
        "We decided generally to write all times in UTC",
        "In general, we decided to write all times in UTC.",
        "We agreed that for every branch the changelog is kept.",
        "Wir haben grundsätzlich entschieden, alle Zeiten in UTC zu schreiben.",
        "Nous avons décidé, pour toutes les branches, de garder le journal.",
    ],
)
def test_a_decision_that_is_said_to_be_general_belongs_to_no_branch(text: str) -> None:
    assert not is_tied(learned(text))


def test_what_is_saved_as_a_decision_need_not_say_so() -> None:
    assert not is_tied(learned("On all branches, times are written in UTC.", "decision"))


@pytest.mark.parametrize(
    "text",
    [
        "We decided that the exporter writes CSV files with semicolons.",
        "We decided that CI runs on every branch.",
        "We decided that the exporter generally writes CSV files.",
        "The deploy job runs for all branches.",
        "In general, the tests need a database.",
    ],
)
def test_other_statements_belong_to_the_branch_that_they_were_made_on(text: str) -> None:
    assert is_tied(learned(text))
