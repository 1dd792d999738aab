"""How often a memory of a branch is shown where it should not be, or hidden where it should not.

Random histories of commits, branches, merges, squashes, rebases, cherry-picks, amended commits,
deleted branches and worktrees are made with real git. A model that knows which work is on which
branch says for each memory and each branch whether it is to be seen. Needs git and no data.
With --reviewed, branches also change lines near each other, and squashes have the changes of a
review in them.

    python benchmarks/quality/branches.py [--histories 1000] [--first 0] [--reviewed]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.backends.git.histories import RandomHistory, wrong_answers

STEPS = 25


def main() -> int:
    """Print the wrong answers and the figures; fails if there is one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--histories", type=int, default=1_000)
    parser.add_argument("--first", type=int, default=0, help="Number of the first history.")
    parser.add_argument("--reviewed", action="store_true", help="With reviews, lines near by.")
    given = parser.parse_args()
    began = perf_counter()
    asked = seen = wrong = 0
    for seed in range(given.first, given.first + given.histories):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            history = RandomHistory(Path(folder) / "repositories", seed, reviewed=given.reviewed)
            history.grow(STEPS)
            questions = history.questions()
            found = wrong_answers(history, Path(folder) / "state")
        asked += len(questions)
        seen += sum(question.expected for question in questions)
        wrong += len(found)
        for question in found:
            kind = "hidden" if question.expected else "shown"
            print(f"history {seed}: {question.lesson} is {kind} at {question.branch}", flush=True)
    print(
        f"{given.histories:,} histories, {asked:,} questions, {seen:,} of them to be seen: "
        f"{wrong} wrong (limit 0), {perf_counter() - began:.0f} s"
    )
    return int(wrong > 0)


if __name__ == "__main__":
    raise SystemExit(main())
