"""PostgreSQL is killed under mixed load for two minutes; then every write is checked.

    python benchmarks/reliability/postgres_kill.py [--seconds 120] [--clients 4] [--every 5]

The same check runs with two kills in the tests (tests/backends/postgres/test_kill.py).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.backends.postgres import killing


def main() -> None:
    options = _options()
    kills = max(1, int(options.seconds / options.every))
    with tempfile.TemporaryDirectory(prefix="commonplace-kill-") as room:
        Path(room).chmod(0o755)
        folder, state = Path(room) / "data", Path(room) / "state"
        try:
            clients = killing.run(
                folder, state, clients=options.clients, kills=kills, every_s=options.every
            )
            found = Counter(killing.kept(folder, state))
        finally:
            killing.kill(folder)
    promised = [text for client in clients for text in client.promised]
    lost = [text for text in promised if not found[text]]
    twice = [text for text, times in found.items() if times > 1]
    recalls = sum(client.recalls for client in clients)
    failures = sum(client.failures for client in clients)
    print(
        f"{kills} kills, {len(promised)} acknowledged saves, {recalls} recalls, {failures} calls"
        f" that failed and were tried again; {len(lost)} saves lost, {len(twice)} there twice"
    )
    if lost or twice:
        raise SystemExit(1)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--every", type=float, default=5)
    return parser.parse_args()


if __name__ == "__main__":
    main()
