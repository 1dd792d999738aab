"""An amount that something takes does not change how many there are."""

from __future__ import annotations

import pytest

from commonplace.rules.relations.amounts import amount_of_else

TREES = "I've got 42 Gravenstein trees and 18 Discovery."

OTHERS = (
    (TREES, "We'll blend 80 percent Discovery and 20 Gravenstein this year, settled."),
    (TREES, "The apple bread is 20 Gravenstein and 10 Elstar per batch."),
    ("I have 6 eggs in the fridge.", "The recipe takes 3 eggs."),
    ("The choir has 25 copies of the Haydn.", "We need 30 copies of the Haydn."),
    ("There are 40 screws in the box.", "Use 2 of the screws for each hinge."),
    ("We own 12 folding chairs.", "A class needs 15 folding chairs."),
)
NEWS = (
    (TREES, "I've got 40 Gravenstein trees now."),
    (TREES, "40 Gravenstein trees are left after the storm."),
    (TREES, "There are 40 Gravenstein trees."),
    (TREES, "It's 40, not 42."),
    ("The choir has 25 copies of the Haydn.", "We have 30 copies of the Haydn."),
    ("The fee is 30 euros.", "The fee is 35 euros per term."),
    ("The job has to run in 20 minutes.", "The job takes 30 minutes."),
    ("The recipe takes 3 eggs.", "The recipe takes 4 eggs."),
    ("We have a limit of 20 requests per minute.", "The limit is 30 requests per minute."),
)


@pytest.mark.parametrize(("older", "newer"), OTHERS)
def test_what_something_takes_is_no_count(older: str, newer: str) -> None:
    assert amount_of_else(newer, older)


@pytest.mark.parametrize(("older", "newer"), NEWS)
def test_a_new_count_is_one(older: str, newer: str) -> None:
    assert not amount_of_else(newer, older)
