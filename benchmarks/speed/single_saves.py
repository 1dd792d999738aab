"""Measure single saves with and without models: latency, processor time, and when vectors are done.

    python benchmarks/speed/single_saves.py [--saves 200] [--rounds 3] [--store vault]

Every round saves the same texts in two fresh processes, one whose book has an embedder and a
judge, one whose book has neither; the result is the ratio of medians over all rounds. Notes are
long and have little to do with each other; statements tell of a few things, so that many look like
an older one. The processor time of a process counts its children, and the work after the last
save: vectors, and what the judge says of the saves.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any

from judging_speed import made_statements
from parts.making import short_words
from parts.timing import row

import commonplace
from commonplace import Settings
from commonplace.backends.reasoners.rules import RulesReasoner

WARMING = 10
"""Saves that import modules and open files."""
RATIO = 1.3


def main() -> None:
    options = _options()
    if options.child:
        print(json.dumps(_measured(options)))
        return
    for texts in ("notes", "statements"):
        runs: dict[int, list[dict[str, Any]]] = {0: [], 1: []}
        for _ in range(options.rounds):
            for models, measured in runs.items():
                measured.append(_child(options, texts, models))
        print(texts)
        for name, what in (("time", "wall"), ("processor time of the caller", "cpu")):
            plain_s, with_s = (_median(runs[models], what) for models in (0, 1))
            row(f"  {name}, without models", f"{1000 * plain_s:.1f} ms")
            row(f"  {name}, with models", f"{1000 * with_s:.1f} ms")
            row("    ratio", f"{with_s / plain_s:.2f}", f"at most {RATIO}")
            means = [_mean(runs[models], what) for models in (0, 1)]
            row("    ratio of the means", f"{means[1] / means[0]:.2f}")
        after = statistics.median(one["after_s"] for one in runs[1])
        row("  vectors complete after the last save", f"{after:.1f} s")
        spent = [statistics.median(one["spent_s"] for one in runs[models]) for models in (0, 1)]
        row("  processor time in all, without and with", f"{spent[0]:.1f} s, {spent[1]:.1f} s")


def _measured(options: argparse.Namespace) -> dict[str, Any]:
    """Save texts one by one, then wait for what follows."""
    wall: list[float] = []
    cpu: list[float] = []
    embedder = "bundled" if options.models else "none"
    with tempfile.TemporaryDirectory(prefix="commonplace-", dir=options.folder) as room:
        places = {"vault": f"vault:{room}/notes", "sqlite": f"sqlite:{room}/book.db"}
        settings = Settings(state=f"{room}/state", embedder=embedder)
        with commonplace.open(places[options.store], settings=settings) as book:
            if not options.models and (lazy := book._engine.lazy_reasoner):
                lazy._opened = RulesReasoner()
            for text in _texts(options):
                began, used = time.perf_counter(), time.thread_time()
                book.save(text)
                wall.append(time.perf_counter() - began)
                cpu.append(time.thread_time() - used)
            ended = time.perf_counter()
            while book.waiting_for_vectors:
                time.sleep(0.05)
            after_s = time.perf_counter() - ended
    both = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
    spent_s = sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, both))
    return {"wall": wall[WARMING:], "cpu": cpu[WARMING:], "after_s": after_s, "spent_s": spent_s}


def _texts(options: argparse.Namespace) -> list[str]:
    if options.child == "statements":
        return list(made_statements(random.Random(11), options.saves))
    language = short_words(6_000)
    return [language.text(10, 40) for _ in range(options.saves)]


def _child(options: argparse.Namespace, texts: str, models: int) -> dict[str, Any]:
    given = [f"--saves={options.saves}", f"--store={options.store}", f"--models={models}"]
    place = [f"--folder={options.folder}"] if options.folder else []
    command = [sys.executable, __file__, f"--child={texts}", *given, *place]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def _median(runs: list[dict[str, Any]], what: str) -> float:
    return statistics.median(one for run in runs for one in run[what])


def _mean(runs: list[dict[str, Any]], what: str) -> float:
    return statistics.mean(one for run in runs for one in run[what])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--saves", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--store", choices=("vault", "sqlite"), default="vault")
    parser.add_argument("--folder", help="where to make the books")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--models", type=int, default=0, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
