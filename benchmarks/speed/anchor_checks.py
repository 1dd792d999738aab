"""What it costs to compare memories with the files that they speak of.

    python benchmarks/speed/anchor_checks.py [--files 200] [--memories 500]

Makes a project of Python files and memories with ten anchors each, and measures: ten anchors that
are checked for the first time, in milliseconds of processor time and in bare starts of Python;
`verify` of all anchors; and a prompt to an open book all of whose memories have ten anchors,
compared with the same prompt where nothing is checked: more than that it never costs.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import TYPE_CHECKING

from commonplace.books.open import get_engine, open_book
from commonplace.engine.anchor_checks import AnchorChecker
from commonplace.settings import Settings
from commonplace.work_tree import WorkTree

if TYPE_CHECKING:
    from commonplace import Commonplace

TEN_ANCHORS_S, VERIFY_S = 0.010, 10.0
FUNCTIONS = 10


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "shop")
        _write_project(root, options.files)
        settings = Settings(state=str(Path(folder, "state")), embedder="none")
        url = f"sqlite:{folder}/book.db"
        with open_book(url, settings=settings, source="cli") as book:
            inside = book.in_folder(str(root))
            inside.save_many([_memory(number, options.files) for number in range(options.memories)])
            anchored = [one for one in inside.list(limit=100) if one.anchors]
            print(f"{len(anchored)} of 100 memories have anchors")
            began = process_time()
            found = inside.verify()
            verify_s = process_time() - began
            ten = median(_check(root, one.anchors) for one in anchored)
            dearer = _prompt_ratio(inside, get_engine(inside).folder)
    bare = median(_bare_start() for _ in range(9))
    print(f"ten anchors: {1_000 * ten:.2f} ms, {ten / bare:.2f} bare starts")
    print(f"verify of {len(found.anchors):,} anchors: {verify_s:.2f} s, {len(found.stale)} stale")
    print(f"a prompt with anchors: {dearer:.2f} times one without")
    kept = ten < TEN_ANCHORS_S and verify_s < VERIFY_S and not found.stale
    print(f"{'kept' if kept else 'NOT KEPT'}: 10 ms, 10 s, no false alarm")
    sys.exit(not kept)


def _check(root: Path, anchors: tuple[str, ...]) -> float:
    for path in (root / "src").iterdir():
        path.touch()  # So that it is read again.
    began = process_time()
    AnchorChecker(WorkTree(str(root)), limit_s=1).check(anchors)
    return process_time() - began


def _prompt_ratio(inside: Commonplace, folder: str) -> float:
    outside = inside.working_in("")
    times: dict[bool, list[float]] = {True: [], False: []}
    for number in range(60):
        asked = f"what about matter {number} and its job_{number}_3?"
        # Once unmeasured: a book that stays open has seen its files.
        inside.prompt(asked)
        for here in (True, False):
            book = inside.working_in(folder) if here else outside
            began = perf_counter()
            book.prompt(asked)
            times[here].append(perf_counter() - began)
    return median(times[True]) / median(times[False])


def _write_project(root: Path, files: int) -> None:
    (root / ".git").mkdir(parents=True)
    (root / "src").mkdir()
    for file in range(files):
        parts = [
            f'def job_{file}_{number}(basket, voucher=None):\n    """Job {number}."""\n'
            + "".join(f"    step_{step} = sum(basket) + {step}\n" for step in range(20))
            + "    return step_1\n\n\n"
            for number in range(FUNCTIONS)
        ]
        (root / "src" / f"module_{file}.py").write_text("".join(parts))


def _memory(number: int, files: int) -> str:
    file = number % files
    names = [f"`job_{file}_{one}`" for one in range(FUNCTIONS)]
    said = ", ".join(names)
    return f"Matter {number}: in src/module_{file}.py the order of {said} was agreed with Ada."


def _bare_start() -> float:
    before = _children_s()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    return _children_s() - before


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--memories", type=int, default=500)
    return parser.parse_args()


if __name__ == "__main__":
    main()
