"""How long things take. Ratios within one run count: times depend on who else uses the machine."""

from __future__ import annotations

import statistics
import subprocess
import time
from functools import partial
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

T = TypeVar("T")


def timed(act: Callable[[], T]) -> tuple[float, T]:
    """How many seconds something took, and what it gave."""
    began = time.perf_counter()
    given = act()
    return time.perf_counter() - began, given


def seconds(act: Callable[[], object]) -> float:
    return timed(act)[0]


def median(act: Callable[[], object], times: int) -> float:
    """The seconds that it takes mostly."""
    return statistics.median(seconds(act) for _ in range(times))


def best(act: Callable[[], object], times: int) -> float:
    """The seconds that it takes when nothing disturbs it."""
    return min(seconds(act) for _ in range(times))


def in_turn(
    acts: Sequence[Callable[[T], object]], given: Iterable[T], *, warming: int = 0
) -> list[list[float]]:
    """The seconds of each act; they take turns, so that a busy machine slows all alike.

    The first turns, as many as there are for warming, do not count.
    """
    spent: list[list[float]] = [[] for _ in acts]
    for one in given:
        for times, act in zip(spent, acts, strict=True):
            times.append(timed(lambda act=act, one=one: act(one))[0])
    return [times[warming:] for times in spent]


def starts(commands: Iterable[list[str]], environ: dict[str, str], runs: int) -> list[float]:
    """The median seconds of each command from its start to its end, in turn."""

    def run(command: list[str], _: int) -> None:
        subprocess.run(command, env=environ, check=True, stdout=subprocess.DEVNULL)

    acts = [partial(run, command) for command in commands]
    return [statistics.median(times) for times in in_turn(acts, range(runs))]


def row(what: str, measured: str, limit: str = "") -> None:
    """Print a line of a table: what was measured, and what it may be."""
    print(f"{what:45} {measured:>16}   {limit}".rstrip(), flush=True)
