"""Compare the panel's first page and a search on a large book with those on a small one.

    python benchmarks/speed/panel.py [--small 1000] [--large 100000] [--runs 20]

A real server returns each page with its memories. Runs alternate between the two books, so that a
busy machine slows both alike. The target is at most 3 times as long.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
from functools import partial
from typing import TYPE_CHECKING

from parts.making import QUESTION, environment, fill
from parts.serving import served
from parts.timing import in_turn

if TYPE_CHECKING:
    import httpx

PAGES = {"first page": "/", "search": f"/?q={QUESTION.rstrip('?')}"}
WARMING = 2
TARGET = 3.0


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory(prefix="commonplace-benchmark-") as room:
        sizes = (options.small, options.large)
        for size in sizes:
            os.mkdir(f"{room}/{size}")
            fill(environment(f"{room}/{size}", COMMONPLACE_URL=_url(room, size)), size)
        with (
            served(_url(room, sizes[0]), f"{room}/{sizes[0]}") as first,
            served(_url(room, sizes[1]), f"{room}/{sizes[1]}") as second,
            first.http() as small,
            second.http() as large,
        ):
            asks = [partial(_page, client) for client in (small, large)]
            for name, path in PAGES.items():
                spent = in_turn(asks, [path] * (WARMING + options.runs), warmup=WARMING)
                few, many = map(statistics.median, spent)
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


def _url(room: str, size: int) -> str:
    return f"sqlite:{room}/{size}/book.db"


def _page(client: httpx.Client, path: str) -> None:
    assert b"cp-name" in client.get(path).content


if __name__ == "__main__":
    main()
