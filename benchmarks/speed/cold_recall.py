"""Measure a cold `commonplace recall`, in multiples of a bare start of Python.

    python benchmarks/speed/cold_recall.py [--notes 10000] [--runs 40] [--vectors] [--profile]

Runs alternate, so that a busy machine slows both alike; the result is the ratio of the medians.
The target for 10,000 notes is at most 5 with keyword search, 12 with the vector arm too.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile

from parts.making import QUESTION, environment, fill, program
from parts.timing import starts


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory(prefix="commonplace-benchmark-") as room:
        embedder = "bundled" if options.vectors else "none"
        environ = environment(room, COMMONPLACE_EMBEDDER=embedder)
        fill(environ, options.notes)
        bare = [sys.executable, "-c", "pass"]
        recall = [*program(), "recall", QUESTION]
        starts([recall], environ, 1)  # What is compiled the first time does not count.
        if options.profile:
            _profile(environ)
        bare_s, recall_s = starts([bare, recall], environ, options.runs)
    print(f"bare python          {1000 * bare_s:7.1f} ms")
    print(f"recall, {options.notes:,} notes {1000 * recall_s:7.1f} ms")
    target = 12 if options.vectors else 5
    print(f"ratio                {recall_s / bare_s:7.2f}   (target: at most {target})")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--vectors", action="store_true", help="with the vector arm (fills slowly)")
    parser.add_argument("--profile", action="store_true", help="show the slowest imports")
    return parser.parse_args()


def _profile(environ: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "commonplace", "recall", QUESTION],
        env=environ,
        check=True,
        capture_output=True,
        text=True,
    )
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    slowest = sorted(lines[1:], key=lambda line: -int(line.split("|")[0].split(":")[1]))
    print("\n".join(slowest[:25]))


if __name__ == "__main__":
    main()
