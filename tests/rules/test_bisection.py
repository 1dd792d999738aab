"""The culprit is found, whatever the test depends on, within the promised number of runs."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Collection

from hypothesis import given
from hypothesis import strategies as st

from commonplace.rules.bisection import failing_set


class Counted:
    """A test that counts the runs of different sets."""

    def __init__(self, fails: Callable[[frozenset[int]], bool]) -> None:
        self._fails = fails
        self.runs: dict[frozenset[int], bool] = {}

    def __call__(self, kept: Collection[int]) -> bool:
        key = frozenset(kept)
        return self.runs.setdefault(key, self._fails(key))


@given(st.integers(1, 2_000), st.data())
def test_a_single_culprit_takes_log_n_runs_and_one(count: int, data: st.DataObject) -> None:
    culprit = data.draw(st.integers(0, count - 1))
    test = Counted(lambda kept: culprit in kept)
    assert failing_set(count, test) == [culprit]
    assert len(test.runs) <= math.ceil(math.log2(count)) + 1


@given(st.integers(2, 500), st.data())
def test_a_pair_is_found_as_a_pair(count: int, data: st.DataObject) -> None:
    pair = data.draw(st.sets(st.integers(0, count - 1), min_size=2, max_size=2))
    test = Counted(lambda kept: pair <= kept)
    assert failing_set(count, test) == sorted(pair)
    assert len(test.runs) <= 2 * (math.ceil(math.log2(count)) + 1) + 2


@given(st.integers(1, 60), st.integers(0, 2**32))
def test_whatever_fails_the_set_fails_and_no_part_of_it_that_lacks_one(
    count: int, seed: int
) -> None:
    def fails(kept: frozenset[int]) -> bool:
        if not kept or len(kept) == count:
            return bool(kept)
        return random.Random(f"{seed} {sorted(kept)}").random() < 0.4

    found = frozenset(failing_set(count, Counted(fails)))
    assert fails(found)
    if len(found) > 1:
        assert not any(fails(found - {one}) for one in found)


def test_either_of_two_independent_culprits_is_one() -> None:
    test = Counted(lambda kept: bool({3, 77} & kept))
    assert failing_set(100, test) in ([3], [77])
