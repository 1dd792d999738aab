"""What a recall costs in a repository whose memories replaced others, beside one elsewhere.

    python benchmarks/speed/recall_in_repository.py [--notes 5000] [--runs 200]

A book of 5,000 notes that were saved in a git repository. Once 600 of its facts were replaced, a
tenth of them at each of ten commits that are all merged; once, besides, 60 notes were replaced on
a branch that is not merged, so that HEAD has the old ones. The same questions are asked in one open
book, in the repository and elsewhere in the same project. Runs alternate; the results are ratios
of the medians of processor time. Targets: at most 1.1 with all merged, at most 1.5 with a branch.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from parts.making import QUESTION, environment, notes

import commonplace

COMMITS, FACTS, UNMERGED = 10, 600, 60
MERGED_LIMIT, BRANCH_LIMIT = 1.1, 1.5
QUESTIONS = (
    QUESTION,
    "where does warehouse 7 send its pallets?",
    "what is the port of service 40?",
)
GIT = ("git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org")


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory(prefix="commonplace-benchmark-") as room:
        environ = environment(room)
        shop = Path(room, "shop")
        shop.mkdir()
        _git(shop, "init", "-q", "-b", "main")
        _commit(shop)
        settings = commonplace.Settings(
            url=environ["COMMONPLACE_URL"],
            state=environ["COMMONPLACE_STATE"],
            embedder=environ["COMMONPLACE_EMBEDDER"],
        )
        with commonplace.open(settings=settings, context={"project": "shop"}) as book:
            _fill(book, shop, options.notes)
            kept = _report(book, shop, f"{FACTS} replaced, all merged", options.runs, MERGED_LIMIT)
            _replace_on_branch(book, shop)
            said = f"{UNMERGED} more on a branch"
            kept &= _report(book, shop, said, options.runs, BRANCH_LIMIT)
    sys.exit(not kept)


def _report(book: commonplace.Commonplace, shop: Path, said: str, runs: int, limit: float) -> bool:
    times: dict[bool, list[float]] = {True: [], False: []}
    for at in range(runs + 6):
        question = QUESTIONS[at % len(QUESTIONS)]
        for here in (True, False):
            one = book.working_in(str(shop)) if here else book
            before = time.process_time()
            assert one.recall(question)
            if at >= 6:
                times[here].append(time.process_time() - before)
    here, there = (1_000 * statistics.median(times[one]) for one in (True, False))
    print(f"  {said:<26} {here:6.2f} ms in the repository, {there:6.2f} elsewhere"
          f"   ratio {here / there:.2f}   (target: at most {limit})")  # fmt: skip
    return here / there <= limit


def _fill(book: commonplace.Commonplace, shop: Path, count: int) -> None:
    here = book.working_in(str(shop))
    here.save_many([{**one, "scope": "/project/shop"} for one in notes(count)])
    here.save_many([_note(number, "Bergen") for number in range(UNMERGED)])
    for number in range(FACTS):
        here.fact_store(f"service.{number}.port", str(8_000 + number))
    for number in range(FACTS):
        if number % (FACTS // COMMITS) == 0:
            _commit(shop)
            here = book.working_in(str(shop))
        here.fact_store(f"service.{number}.port", str(9_000 + number))


def _note(number: int, town: str) -> dict[str, str]:
    return {"content": f"Warehouse {number} sends its pallets by rail to {town}."}


def _replace_on_branch(book: commonplace.Commonplace, shop: Path) -> None:
    _git(shop, "checkout", "-q", "-b", "topic")
    _commit(shop)
    here = book.working_in(str(shop))
    for number in range(UNMERGED):
        here.correct(_note(number, "Bergen")["content"], _note(number, "Oslo")["content"])
    _git(shop, "checkout", "-q", "main")


def _commit(shop: Path) -> None:
    _git(shop, "commit", "-q", "--allow-empty", "-m", "work")


def _git(shop: Path, *command: str) -> None:
    subprocess.run([*GIT, *command], cwd=shop, check=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=5_000)
    parser.add_argument("--runs", type=int, default=200)
    return parser.parse_args()


if __name__ == "__main__":
    main()
