"""Exact sets of forgetting by description, in a book of 2,000 notes with near misses.

    python benchmarks/quality/forgetting.py [--notes 2000] [--embedder bundled] [--known] [--list]

Previews the 72 descriptions of tests/verbs/forgetting. A set is exact if all planted notes are in
it and nothing else. `known` was looked at while the rules were written, the others
afterwards, once each before the rules changed again: `--known` leaves them out. `--list` prints
what differs.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.verbs.forgetting.measure import Measured, described, fill, measure, read_rows

import commonplace
from commonplace.settings import Settings

FILES = ("known", "held", "second", "third", "fourth")


def main() -> None:
    options = _options()
    halves = {name: read_rows(name) for name in FILES}
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(embedder=options.embedder, state=f"{folder}/state")
        with commonplace.open(f"vault:{folder}/book", settings=settings, create=True) as book:
            rows = [row for rows in halves.values() for row in rows]
            notes = fill(book, rows, notes=options.notes)
            print(f"{notes} notes\n\nset    descriptions  exact  wrongly  left  offered  ms")
            for name, rows in halves.items():
                if name != "known" and options.known:
                    continue
                begun = time.perf_counter()
                found = [measure(book, described(row)) for row in rows]
                _print(name, found, 1000 * (time.perf_counter() - begun) / len(found))
                if options.list:
                    _list(found)


def _print(name: str, found: list[Measured], took_ms: float) -> None:
    exact = sum(one.exact for one in found)
    wrongly, left = sum(len(one.wrongly) for one in found), sum(len(one.left) for one in found)
    offered = sum(one.offered for one in found)
    wanted = offered + sum(len(one.unlisted) for one in found)
    print(
        f"{name:6} {len(found):12} {exact:6} {wrongly:8} {left:5} {f'{offered}/{wanted}':>8}"
        f" {took_ms:3.0f}"
    )


def _list(found: list[Measured]) -> None:
    for one in found:
        for word, texts in (
            ("wrongly", one.wrongly), ("left", one.left), ("unlisted", one.unlisted)
        ):  # fmt: skip
            for text in sorted(texts):
                print(f"- {one.about}: {word}: {text[:100]}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=2_000)
    parser.add_argument("--embedder", default="bundled", choices=("bundled", "none"))
    parser.add_argument("--known", action="store_true")
    parser.add_argument("--list", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
