"""Random histories of a person, with and without others who write.

The confirmed part of a session's start must be the same to the byte.

    python benchmarks/reliability/noninterference.py [--histories 100000] [--seed 1] [--workers 2]

What was lived by the end of each day is a history as well, so that one of six days counts as six.
The same law runs over ten thousand histories in the tests (tests/security/test_noninterference.py).
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.security import test_noninterference as law

BATCH = 200
CHANGES = ("edit", "correct", "forget", "restore", "revert", "rename", "promote", "load")


def main() -> None:
    options = _options()
    began, done = time.monotonic(), 0
    seeds = range(options.seed, options.seed + options.histories // BATCH)
    with ProcessPoolExecutor(options.workers) as pool:
        for count, broken in pool.map(check_batch, seeds):
            done += count
            for history in broken:
                print(f"\nThe confirmed part differs after {history}")
            if broken:
                sys.exit(1)
            print(f"\r{done:,} histories", end="", flush=True)
    print(f": no confirmed part changed ({time.monotonic() - began:,.0f} s)")


def check_batch(seed: int) -> tuple[int, list[Any]]:
    """Check a batch of histories; returns their number and those that break the law."""
    chance, broken, done = random.Random(seed), list[Any](), 0
    while done < BATCH and not broken:
        history = _history(chance)
        try:
            done += law.compare(history)
        except AssertionError:
            broken.append(history)
    return done, broken


def _history(chance: random.Random) -> list[Any]:
    return [
        (
            _saved(chance),
            [(chance.choice(law.OTHERS), _by_others(chance)) for _ in range(chance.randrange(4))],
        )
        for _ in range(chance.randrange(1, 7))
    ]


def _saved(chance: random.Random) -> tuple[Any, ...]:
    scope = chance.choice(law.SCOPES)
    if chance.random() < 0.5:
        return ("fact", chance.choice(law.KEYS), chance.choice(law.VALUES), scope)
    kind, tier = chance.choice(law.KINDS), chance.choice(law.TIERS)
    return ("save", chance.choice(law.TEXTS), scope, kind, tier, chance.random() < 0.5)


def _by_others(chance: random.Random) -> tuple[Any, ...]:
    how = chance.random()
    if how < 0.5:
        return _saved(chance)
    if how < 0.85:
        return (chance.choice(CHANGES), chance.randrange(31), chance.choice(law.TEXTS))
    return (chance.choice(("maintain", "recall", "sync")), chance.choice(law.TEXTS))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--histories", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    return parser.parse_args()


if __name__ == "__main__":
    main()
