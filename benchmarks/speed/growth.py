"""Measure how a cold recall and the hook of a prompt grow with a book, by words alone.

    python benchmarks/speed/growth.py [--notes 1000 10000 50000] [--runs 30]

Times are medians, processor times those of all processes of an answer. Looks at everything, which
some answers leave to a process of their own, are measured apart: the processor time of one, and
their sum divided by the answers. The next answer waits here until such a look is done. The target:
with 50,000 notes at most 1.6 times the processor time with 1,000. Needs Linux, which hands children
that outlive their parents to this process.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from hooks import event
from parts.making import QUESTION, environment, fill, program
from parts.timing import row, timed

if TYPE_CHECKING:
    from collections.abc import Callable

Spent = tuple[float, float, float]

SUBREAPER = 36
"""The number of the option of `prctl` that hands over orphans."""
LOOK = b"commonplace.books.full_look"
TARGET = 1.6


def main() -> None:
    options = _options()
    ctypes.CDLL(None).prctl(SUBREAPER, 1)
    first: dict[str, float] = {}
    for notes in options.notes:
        with tempfile.TemporaryDirectory(prefix="commonplace-benchmark-") as room:
            # A late answer would be a short one: here it is waited for.
            environ = environment(room, COMMONPLACE_HOOK_SECONDS="30")
            fill(environ, notes)
            print(f"{notes:,} notes")
            report(measured(environ, options.runs), first)


def report(spent: dict[str, list[Spent]], first: dict[str, float]) -> None:
    for name, times in spent.items():
        wall, cpu = (statistics.median(one[part] for one in times) for part in (0, 1))
        growth = cpu / first.setdefault(name, cpu)
        row(f"  {name}, seconds", f"{wall:.3f}")
        row(
            f"  {name}, processor", f"{cpu:.3f}", f"{growth:.2f} times the first (at most {TARGET})"
        )
    looks = [one[2] for times in spent.values() for one in times if one[2]]
    answers = 2 * len(spent["recall"])
    if looks:
        row("  a look at everything, processor", f"{statistics.median(looks):.3f}")
        row("  looks for each answer, processor", f"{sum(looks) / answers:.3f}")


def measured(environ: dict[str, str], runs: int) -> dict[str, list[Spent]]:
    """What each command spent, in turn."""
    acts: dict[str, Callable[[], Spent]] = {
        "bare python": lambda: run([sys.executable, "-c", "pass"], environ),
        "recall": lambda: run([*program(), "recall", QUESTION], environ),
        "prompt": lambda: run([*program(), "hook", "claude"], environ, event("prompt")),
    }
    for act in acts.values():
        act()  # What is compiled the first time does not count.
    rounds = [{name: act() for name, act in acts.items()} for _ in range(runs)]
    return {name: [one[name] for one in rounds] for name in acts}


def run(command: list[str], environ: dict[str, str], said: str = "") -> Spent:
    """Seconds of a command, processor time of its processes, and that of looks it left."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    wall, _ = timed(
        lambda: subprocess.run(
            command, env=environ, input=said.encode(), stdout=subprocess.DEVNULL, check=True
        )
    )
    answer = processor(resource.getrusage(resource.RUSAGE_CHILDREN)) - processor(before)
    looks = 0.0
    for child in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split():
        is_look = LOOK in Path(f"/proc/{child}/cmdline").read_bytes()
        used = processor(os.wait4(int(child), 0)[2])
        looks, answer = (looks + used, answer) if is_look else (looks, answer + used)
    return wall, answer, looks


def processor(used: resource.struct_rusage) -> float:
    return used.ru_utime + used.ru_stime


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, nargs="+", default=[1_000, 10_000, 50_000])
    parser.add_argument("--runs", type=int, default=30)
    return parser.parse_args()


if __name__ == "__main__":
    main()
