"""Find the smallest set of things that makes a test fail, with few runs of the test.

Delta debugging with prefixes. While the first `low` things pass and the first `high` fail, the
middle is tried: the last thing of the shortest failing beginning belongs to the set. It stays
switched on from then on, and the same is done with the things before it until the set fails by
itself. One culprit among n takes ⌈log₂ n⌉ + 1 runs, and each further one of a set as many again.
No step assumes that more things fail more often: every set that counts as failing was run.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    Fails = Callable[[Collection[int]], bool]


def failing_set(count: int, fails: Fails) -> list[int]:
    """The places of the things that make the test fail together; without any of them it passes.

    The test fails with all `count` things, passes with none, and answers the same for the same set.
    """
    found: list[int] = []
    end = count
    while not (found and fails(found)):
        low, high = 0, end
        while high - low > 1:
            middle = (low + high) // 2
            if fails([*range(middle), *found]):
                high = middle
            else:
                low = middle
        found.append(high - 1)
        end = high - 1
    return _without_spare(sorted(found), fails)


def _without_spare(found: list[int], fails: Fails) -> list[int]:
    """The set without things that it fails without; a thing may have hidden another."""
    for one in found if len(found) > 1 else []:
        others = [other for other in found if other != one]
        if fails(others):
            return _without_spare(others, fails)
    return found
