"""How fast a vault is written, looked at, rebuilt and asked, next to what the disk itself can do.

    python benchmarks/book_speed.py [--notes 100000] [--folder /somewhere/on/the/disk/to/measure]

Keyword search only; `benchmarks/embedding.py` measures vectors.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import tempfile
import time
from typing import TYPE_CHECKING

import commonplace
from commonplace import Commonplace, Settings

if TYPE_CHECKING:
    from collections.abc import Callable

SYLLABLES = ("ka", "ro", "mi", "te", "lu", "so", "ne", "va", "di", "po", "re", "tha", "gu", "li")


def main() -> None:
    options = _options()
    chance = random.Random(7)
    words = ["".join(chance.choices(SYLLABLES, k=chance.randint(2, 4))) for _ in range(20_000)]
    weights = [1 / rank for rank in range(1, len(words) + 1)]

    def text() -> str:
        return " ".join(chance.choices(words, weights, k=chance.randint(15, 45)))

    with tempfile.TemporaryDirectory(prefix="commonplace-", dir=options.folder) as room:
        durable = _durable_writes(room)
        _row("bare durable writes (file + folder fsync)", f"{durable:,.0f} /s", "")
        with _open(room) as book:
            single = _rate(lambda: book.save(text(), scope="/user/7"), 500)
            _row("save, one at a time", f"{single:,.0f} /s", "at least 100")
            drafts = [
                {"content": text(), "scope": f"/user/{chance.randrange(20)}"}
                for _ in range(options.notes)
            ]
            start = time.perf_counter()
            book.save_many(drafts)
            bulk = options.notes / (time.perf_counter() - start)
            _row(f"save_many of {options.notes:,}", f"{bulk:,.0f} /s", "at least 1,000")
            time.sleep(2.5)  # Files are trusted by their times once those are a moment old.
            book.recall("settle")
            bare = _seconds(lambda: _stat_all(os.path.join(room, "notes")))
            look = _seconds(lambda: book.get("a name that nothing has"), fails=True)
            _row("bare listing with file times", f"{bare * 1000:,.0f} ms", "")
            _row(
                "look at an unchanged vault", f"{look * 1000:,.0f} ms", f"{look / bare:.2f} x bare"
            )
            start = time.perf_counter()
            book.sync(rebuild=True)
            rebuilt = time.perf_counter() - start
            _row(f"rebuild of {options.notes:,} notes", f"{rebuilt:,.1f} s", "under 60")
        _ask(room, text)


def _ask(room: str, text: Callable[[], str]) -> None:
    """A 25-word question where the caller sees one user of twenty; looking for edits aside."""
    from commonplace.model import LIVE
    from commonplace.ports.searching import Where
    from commonplace.rules import questions
    from commonplace.rules.scoping import visible

    with _open(room) as book:
        mine = visible(commonplace.Context(user="7"))
        engine = book.as_context({"user": "7"})._engine  # pyright: ignore[reportPrivateUsage]
        now = engine.now()

        def ask() -> None:
            asked = questions.read(" ".join(text().split()[:25]), now=now)
            engine.index.gather(asked.words, None, visible=mine, where=Where(statuses=LIVE))

        ask()
        took = statistics.median(_seconds(ask) for _ in range(50))
    _row("25-word question, 5 % visible, warm", f"{took * 1000:.1f} ms", "at most 30")


def _open(room: str) -> Commonplace:
    settings = Settings(state=os.path.join(room, "state"), embedder="none")
    return commonplace.open(f"vault:{room}/notes", settings=settings)


def _durable_writes(room: str) -> float:
    folder = os.path.join(room, "bare")
    os.mkdir(folder)
    handle = os.open(folder, os.O_RDONLY)

    def write(number: int) -> None:
        path = os.path.join(folder, f"{number}.md")
        with open(path, "xb") as file:
            file.write(b"x" * 400)
            os.fsync(file.fileno())
        os.fsync(handle)

    start = time.perf_counter()
    for number in range(500):
        write(number)
    os.close(handle)
    return 500 / (time.perf_counter() - start)


def _stat_all(root: str) -> None:
    for folder, _, names in os.walk(root):
        handle = os.open(folder, os.O_RDONLY)
        for name in names:
            os.stat(name, dir_fd=handle, follow_symlinks=False)
        os.close(handle)


def _rate(act: Callable[[], object], times: int) -> float:
    start = time.perf_counter()
    for _ in range(times):
        act()
    return times / (time.perf_counter() - start)


def _seconds(act: Callable[[], object], *, fails: bool = False) -> float:
    start = time.perf_counter()
    try:
        act()
    except commonplace.NotFound:
        if not fails:
            raise
    return time.perf_counter() - start


def _row(what: str, measured: str, limit: str) -> None:
    print(f"{what:45} {measured:>14}   {limit}", flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=100_000)
    parser.add_argument("--folder", help="where to make the vault")
    return parser.parse_args()


if __name__ == "__main__":
    main()
