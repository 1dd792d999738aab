"""Precision and recall of what is handed over with a prompt, and its tokens.

    python benchmarks/quality/handed_over.py [--embedder bundled] [--tuning] [--list]

Asks the 198 labelled prompts of tests/verbs/handed_over. Books 1 to 3 are for tuning; books 4 to 6
are looked at only when the tuning is done: `--tuning` leaves them out. `--list` prints each prompt
of the tuning half that misses a wanted memory or gets noise.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.verbs.handed_over.measure import HELD_OUT, TUNING, Asked, ask_book, figures

HALVES = {"tuning": TUNING, "held out": HELD_OUT}


def main() -> None:
    options = _options()
    print("half      prompts  recall  precision  silence  lines  tokens")
    halves = {"tuning": TUNING} if options.tuning else HALVES
    for name, books in halves.items():
        asked = [one for book in books for one in _asked(book, options.embedder)]
        got = figures(asked)
        print(
            f"{name:9} {got.prompts:7} {got.recall:7.2f} {got.precision:10.2f} {got.silence:8.2f}"
            f" {got.lines:6.2f} {got.tokens:7.1f}"
        )
        if options.list and books == TUNING:
            _list(asked)


def _asked(book: int, embedder: str) -> list[Asked]:
    with tempfile.TemporaryDirectory() as folder:
        return ask_book(book, Path(folder), embedder=embedder)


def _list(asked: list[Asked]) -> None:
    for one in asked:
        missed = one.wanted - set(one.handed)
        noise = [ref for ref in one.handed if ref not in one.wanted | one.fine]
        if missed or noise:
            print(f"- {one.text[:90]!r}: missed {sorted(missed)}, noise {noise}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--embedder", default="bundled", choices=("bundled", "none"))
    parser.add_argument("--tuning", action="store_true")
    parser.add_argument("--list", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
