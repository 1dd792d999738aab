"""Timing functions. Compare ratios within one run, since times depend on the machine's load."""

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
    """The seconds that a call took, and its result."""
    began = time.perf_counter()
    result = act()
    return time.perf_counter() - began, result


def seconds(act: Callable[[], object]) -> float:
    return timed(act)[0]


def median(act: Callable[[], object], times: int) -> float:
    """The median seconds of a call."""
    return statistics.median(seconds(act) for _ in range(times))


def best(act: Callable[[], object], times: int) -> float:
    """The shortest seconds of a call."""
    return min(seconds(act) for _ in range(times))


def in_turn(
    acts: Sequence[Callable[[T], object]], arguments: Iterable[T], *, warmup: int = 0
) -> list[list[float]]:
    """The seconds of each act, alternating, so that a busy machine slows all alike.

    The first `warmup` rounds do not count.
    """
    spent: list[list[float]] = [[] for _ in acts]
    for one in arguments:
        for times, act in zip(spent, acts, strict=True):
            times.append(timed(lambda act=act, one=one: act(one))[0])
    return [times[warmup:] for times in spent]


def starts(commands: Iterable[list[str]], environ: dict[str, str], runs: int) -> list[float]:
    """The median seconds of each command from its start to its end, in turn."""

    def run(command: list[str], _: int) -> None:
        subprocess.run(command, env=environ, check=True, stdout=subprocess.DEVNULL)

    acts = [partial(run, command) for command in commands]
    return [statistics.median(times) for times in in_turn(acts, range(runs))]


def row(what: str, measured: str, limit: str = "") -> None:
    """Print a line of a table: name, value and limit."""
    print(f"{what:45} {measured:>16}   {limit}".rstrip(), flush=True)
