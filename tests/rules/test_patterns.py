"""What several memories show together."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import Any

from commonplace.model.memory import Memory
from commonplace.rules.patterns import find_patterns
from tests.conformance.samples import NOON, memory


def remembered(*contents: str, **fields: Any) -> list[Memory]:
    return [
        memory(content, id=f"m-{number}", created=NOON + timedelta(days=number), **fields)
        for number, content in enumerate(contents)
    ]


def test_the_same_thing_corrected_twice_is_a_pattern() -> None:
    corrected = remembered(
        "The deploy branch is main", "The deploy branch is trunk now", tags=("correction",)
    )
    (pattern,) = find_patterns(corrected)
    assert pattern.of == ("m-0", "m-1")
    assert pattern.content == "Corrected 2 times, latest: The deploy branch is trunk now"


def test_three_fixes_of_the_same_kind_ask_for_a_workflow() -> None:
    fixed = remembered(
        "Renewed the expired certificate of the shop",
        "Renewed the expired certificate of the blog",
        "Renewed the expired certificate of the wiki",
        "Raised the memory limit of the importer",
        kind="fix",
    )
    (pattern,) = find_patterns(fixed)
    assert (pattern.kind, pattern.of) == ("workflow", ("m-0", "m-1", "m-2"))


def test_labels_that_come_together_belong_together() -> None:
    together = remembered(*"abc", tags=("postgres", "timeouts"))
    apart = [memory("d", id="m-d", tags=("postgres",)), memory("e", id="m-e", tags=("cooking",))]
    (pattern,) = find_patterns([*together, *apart])
    assert pattern.of == ("m-0", "m-1", "m-2")
    assert "postgres" in pattern.content
    assert "timeouts" in pattern.content


def test_chance_and_what_is_forgotten_show_nothing() -> None:
    assert find_patterns(remembered("a", "b", tags=("x", "y"))) == ()
    assert find_patterns(remembered(*"abc", tags=("x", "y"), status="archived")) == ()
    assert find_patterns([]) == ()


def test_scopes_are_not_mixed() -> None:
    ada = memory("The deploy branch is main", id="m-a", tags=("correction",), scope="/user/ada")
    bob = memory("The deploy branch is main", id="m-b", tags=("correction",), scope="/user/bob")
    assert find_patterns([ada, bob]) == ()
    labelled = [one.but(tags=("x", "y")) for one in (ada, bob, ada.but(id="m-c"))]
    assert find_patterns(labelled) == ()


def test_the_order_of_the_memories_does_not_matter() -> None:
    known = [
        *remembered(
            "Fixed the flaky login test", *["Fixed the flaky test of login"] * 3, kind="fix"
        ),
        *[one.but(id=f"t-{one.id}") for one in remembered(*"abcd", tags=("x", "y", "z"))],
    ]
    expected = find_patterns(known)
    assert len(expected) == 4
    for seed in range(5):
        random.Random(seed).shuffle(known)
        assert find_patterns(known) == expected
