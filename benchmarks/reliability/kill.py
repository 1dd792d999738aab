"""Eight processes save and are killed at random for two minutes; then every save is checked.

    python benchmarks/reliability/kill.py [--seconds 120] [--workers 8] [--saves 500]

The same check runs for half a minute in the tests (tests/reliability/test_kill.py).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.reliability.test_kill import check, run_and_kill


def main() -> None:
    options = _options()
    for store in ("vault", "sqlite"):
        with tempfile.TemporaryDirectory(prefix="commonplace-") as room:
            folder = Path(room)
            url, state = f"{store}:{folder / 'book'}", str(folder / "state")
            kills, errors = run_and_kill(
                url,
                state,
                folder,
                workers=options.workers,
                saves=options.saves,
                seconds=options.seconds,
                steady=True,
            )
            saved = check(url, state, folder, workers=options.workers, saves=None)
            print(
                f"{store}: {kills} kills, {saved} acknowledged saves, each there exactly once",
                flush=True,
            )
            if errors:
                print(errors)
                sys.exit(1)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--saves", type=int, default=500)
    return parser.parse_args()


if __name__ == "__main__":
    main()
