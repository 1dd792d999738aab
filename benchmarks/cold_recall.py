"""How long `commonplace recall` takes from a cold start, in bare starts of Python.

    python benchmarks/cold_recall.py [--notes 10000] [--runs 40] [--vectors] [--profile]

Runs alternate, so that a busy machine slows both alike; the ratio of the medians is what counts.
The target for 10,000 notes is at most 5 with keyword search, 12 with the vector arm too.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

import commonplace

QUESTION = "which branch do we deploy the fighter service from?"
SYLLABLES = ("ka", "ro", "mi", "te", "lu", "so", "ne", "va", "di", "po", "re", "tha", "gu", "li")
ASKED = ("branch", "deploy", "fighter", "service")
"""The question's own words: each is in about one note of twenty."""


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory(prefix="commonplace-benchmark-") as room:
        environ = {
            **os.environ,
            "COMMONPLACE_URL": f"vault:{room}/notes",
            "COMMONPLACE_STATE": f"{room}/state",
            "COMMONPLACE_CONFIG": f"{room}/config.yaml",
            "COMMONPLACE_EMBEDDER": "bundled" if options.vectors else "none",
        }
        # As installed: compiled once, then only loaded.
        environ.pop("PYTHONDONTWRITEBYTECODE", None)
        _fill(environ, options.notes)
        recall = [*_program(), "recall", QUESTION]
        bare = [sys.executable, "-c", "pass"]
        _run(recall, environ)
        if options.profile:
            _profile(environ)
        bare_s, recall_s = _alternate(bare, recall, environ, options.runs)
    print(f"bare python          {1000 * bare_s:7.1f} ms")
    print(f"recall, {options.notes:,} notes {1000 * recall_s:7.1f} ms")
    target = 12 if options.vectors else 5
    print(f"ratio                {recall_s / bare_s:7.2f}   (target: at most {target})")


def _program() -> list[str]:
    """The installed command, or the module where it is not installed."""
    script = os.path.join(os.path.dirname(sys.executable), "commonplace")
    return [script] if os.path.exists(script) else [sys.executable, "-m", "commonplace"]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--vectors", action="store_true", help="with the vector arm (fills slowly)")
    parser.add_argument("--profile", action="store_true", help="show the slowest imports")
    return parser.parse_args()


def _fill(environ: dict[str, str], count: int) -> None:
    """Notes of about forty words, as common and as rare as words are, in a handful of projects."""
    chance = random.Random(7)
    words = ["".join(chance.choices(SYLLABLES, k=chance.randint(2, 4))) for _ in range(6_000)]
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    settings = commonplace.Settings(
        url=environ["COMMONPLACE_URL"],
        state=environ["COMMONPLACE_STATE"],
        embedder=environ["COMMONPLACE_EMBEDDER"],
    )
    with commonplace.open(settings=settings) as book:
        book.save_many(
            {
                "content": " ".join(
                    chance.choices(words, weights, k=38)
                    + [w for w in ASKED if chance.random() < 0.05]
                ),
                "scope": f"/project/arena-{number % 8}",
                "tags": [words[100 + number % 50]],
            }
            for number in range(count)
        )


def _alternate(
    bare: list[str], recall: list[str], environ: dict[str, str], runs: int
) -> tuple[float, float]:
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(runs):
        for spent, command in zip(times, (bare, recall), strict=True):
            spent.append(_run(command, environ))
    return statistics.median(times[0]), statistics.median(times[1])


def _run(command: list[str], environ: dict[str, str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, env=environ, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


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
