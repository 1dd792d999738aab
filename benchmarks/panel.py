"""How much longer the panel's first page and a search take over a large book than over a small one.

    python benchmarks/panel.py [--small 1000] [--large 100000] [--runs 20]

Each page is asked of a real server and comes with its memories inside. Runs alternate between the
two books, so that a busy machine slows both alike. The target is at most 3 times.
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
from contextlib import contextmanager
from typing import TYPE_CHECKING

import httpx

from commonplace.assemble import open_book
from commonplace.doors.server.running import listening
from commonplace.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

SYLLABLES = ("ka", "ro", "mi", "te", "lu", "so", "ne", "va", "di", "po", "re", "tha", "gu", "li")
ASKED = ("branch", "deploy", "fighter", "service")
PAGES = {"first page": "/", "search": "/?q=which branch do we deploy the fighter service from"}
TARGET = 3.0


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory(prefix="commonplace-benchmark-") as room:
        sizes = (options.small, options.large)
        for size in sizes:
            _fill(f"{room}/{size}", size)
        with _served(f"{room}/{sizes[0]}") as small, _served(f"{room}/{sizes[1]}") as large:
            for name, path in PAGES.items():
                few, many = _alternate(small, large, path, options.runs)
                ratio = many / few
                print(
                    f"{name:<10} {sizes[0]:>7,}: {1000 * few:6.1f} ms   {sizes[1]:>7,}:"
                    f" {1000 * many:6.1f} ms   ratio {ratio:4.2f} (target: at most {TARGET:g})"
                )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", type=int, default=1_000)
    parser.add_argument("--large", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=20)
    return parser.parse_args()


def _fill(room: str, size: int) -> None:
    dice = random.Random(7)
    settings = Settings(state=f"{room}/state", embedder="none")
    os.makedirs(room)
    with open_book(f"sqlite:{room}/book.db", settings=settings, background=False) as book:
        book.save_many([{"content": _text(dice)} for _ in range(size)])


def _text(dice: random.Random) -> str:
    words = ["".join(dice.choices(SYLLABLES, k=dice.randint(2, 4))) for _ in range(24)]
    words += [word for word in ASKED if dice.random() < 0.05]
    dice.shuffle(words)
    return " ".join(words)


@contextmanager
def _served(room: str) -> Iterator[httpx.Client]:
    with listening("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
    environ = {
        **os.environ,
        "COMMONPLACE_URL": f"sqlite:{room}/book.db",
        "COMMONPLACE_STATE": f"{room}/state",
        "COMMONPLACE_CONFIG": f"{room}/config.yaml",
        "COMMONPLACE_EMBEDDER": "none",
    }
    serve = [sys.executable, "-m", "commonplace", "serve", "--port", str(port), "--json"]
    process = subprocess.Popen(serve, env=environ, stdout=subprocess.DEVNULL)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
            while True:
                try:
                    client.get("/health")
                    break
                except httpx.TransportError:
                    time.sleep(0.1)
            yield client
    finally:
        process.terminate()
        process.wait()


def _alternate(
    small: httpx.Client, large: httpx.Client, path: str, runs: int
) -> tuple[float, float]:
    taken: dict[httpx.Client, list[float]] = {small: [], large: []}
    for _ in range(runs + 2):
        for client, times in taken.items():
            began = time.perf_counter()
            page = client.get(path)
            times.append(time.perf_counter() - began)
            assert "cp-name" in page.text
    few, many = (statistics.median(times[2:]) for times in taken.values())
    return few, many


if __name__ == "__main__":
    main()
