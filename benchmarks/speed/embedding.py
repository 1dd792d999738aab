"""Measure the bundled model: a question from a cold start, and texts in bulk.

    python benchmarks/speed/embedding.py [--runs 20] [--texts 200]

Cold runs alternate with bare starts of Python, so that a busy machine slows both alike; the result
is the ratio of the medians.
"""

from __future__ import annotations

import argparse
import os
import random
import sys

from parts.making import QUESTION
from parts.timing import best, starts

from commonplace.backends.neural.bundled import BundledEmbedder

COLD = """
import sys
from commonplace.books.services import open_embedder
open_embedder("bundled", environ={}).embed([sys.argv[1]], query=True)
"""
SPOKEN = """
    the a of to and in we our release branch service deploy on every tuesday harbour lighthouse
    keeper wrote down tide table ferry morning because fighter arena turret salvo lobby replay
    shader socket remember meeting with anna about budget holiday in kyoto last may which cat
"""


def main() -> None:
    options = _options()
    embedder = BundledEmbedder()
    _cold(options.runs)
    question_s = best(lambda: embedder.embed([QUESTION], query=True), 40)
    print(f"a question, warm           {1000 * question_s:8.1f} ms")
    for name, words in (("sentences", 12), ("turns", 30), ("long notes", 180)):
        texts = _texts(options.texts if words < 100 else options.texts // 8, words)
        alone_s = best(lambda t=texts: [embedder.embed([text]) for text in t], 3)
        bulk_s = best(lambda t=texts: embedder.embed(t), 3)
        print(
            f"{name:10} of {words:3} words    {len(texts) / alone_s:8.0f} texts/s alone, "
            f"{len(texts) / bulk_s:.0f} in bulk"
        )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--texts", type=int, default=200)
    return parser.parse_args()


def _cold(runs: int) -> None:
    environ = {
        name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
    }
    commands = (
        [sys.executable, "-c", "pass"],
        [sys.executable, "-c", COLD, QUESTION],
    )
    bare_s, cold_s = starts(commands, environ, runs)
    print(f"bare python                {1000 * bare_s:8.1f} ms")
    print(f"a question, cold           {1000 * cold_s:8.1f} ms, ratio {cold_s / bare_s:.2f}")


def _texts(count: int, words: int) -> list[str]:
    chance = random.Random(7)
    spoken = SPOKEN.split()
    return [" ".join(chance.choices(spoken, k=words)) for _ in range(count)]


if __name__ == "__main__":
    main()
