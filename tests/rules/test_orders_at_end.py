"""A line that is kept tells what holds, and not what was to be done once because of it."""

from __future__ import annotations

import pytest

from commonplace.rules.talk.standing_lines import without_request


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (
            "Anneli moved to Tartu so my main supervisor is now Ülle Saag, update the title page",
            "Anneli moved to Tartu so my main supervisor is now Ülle Saag",
        ),
        ("Maintainer is Solveig Aas, put her name", "Maintainer is Solveig Aas"),
        ("Our baseline requires it enforcing, put that back right now",
         "Our baseline requires it enforcing"),
        ("We're in the scout hut behind the Co-op, can you change it",
         "We're in the scout hut behind the Co-op"),
    ],
)  # fmt: skip
def test_an_order_for_once_is_left_out(line: str, told: str) -> None:
    assert without_request(line) == told


@pytest.mark.parametrize(
    "line",
    [
        "The oven man is Piet, call him when the oven page shows an error",
        "The dates are fixed, never move them",
        "If you plan things with me, plan them for mornings",
        "Take it out please, and check the two other quotes",
        "The recipe is old, flour and a pinch of salt",
        "We meet at nine, the others come later",
        "It dropped audio for weeks, fix that finally worked: turn off passthrough",
    ],
)
def test_a_rule_and_everything_else_stays(line: str) -> None:
    assert without_request(line) == line
