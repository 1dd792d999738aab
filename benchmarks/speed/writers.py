"""Measure how far writers of one book hold each other up.

    python benchmarks/speed/writers.py [--writers 8] [--seconds 2] [--rounds 3]

Processes save short notes one by one, each for a tenant of its own: all in one PostgreSQL book, or
each in a book of its own. Then all do so in one vault, or the first of them alone. The two sides of
a ratio take turns, since both share the cores. Without models, whose work would hide the waiting.
"""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from parts.making import short_words
from parts.timing import row
from tests.backends.postgres import server

import commonplace
from commonplace import Settings
from commonplace.backends.reasoners.rules import RulesReasoner

if TYPE_CHECKING:
    from collections.abc import Iterator

SHARED, OWN = "shared", "own"
POSTGRES_LIMIT, VAULT_LIMIT = 0.9, 1.0


def main() -> None:
    options = _options()
    if options.child is not None:
        _write(options)
        return
    row("", "saves a second")
    with tempfile.TemporaryDirectory(prefix="commonplace-") as room:
        if options.only != "vault":
            _compare_books(options, room)
        if options.only != "postgres":
            _compare_crowds(options, room)


def _compare_books(options: argparse.Namespace, room: str) -> None:
    """Tenants in one PostgreSQL book, and each in a book of its own."""
    books = [server.made(Path(room) / f"book{n}") for n in range(options.writers + 1)]
    with _writers(room, books[0], books[1:]) as crowd:
        shared, own = _in_turn(options, [(SHARED, crowd), (OWN, crowd)])
    _print_ratio(f"{options.writers} tenants, one PostgreSQL book", shared, POSTGRES_LIMIT, own)


def _compare_crowds(options: argparse.Namespace, room: str) -> None:
    """Many writers of one vault, and one of them."""
    vault = f"vault:{room}/notes"
    with _writers(room, vault, [vault] * options.writers) as crowd:
        all_of_them, alone = _in_turn(options, [(SHARED, crowd), (SHARED, crowd[:1])])
    _print_ratio(f"{options.writers} writers of one vault", all_of_them, VAULT_LIMIT, alone)


class Writer:
    """A process that saves in the book it is told, until it is told time is over."""

    def __init__(self, number: int, room: str, shared: str, own: str) -> None:
        given = [f"--child={number}", f"--room={room}", f"--shared={shared}", f"--own={own}"]
        self._process = subprocess.Popen(
            [sys.executable, __file__, *given],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def tell(self, word: str) -> None:
        """Send a line."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{word}\n")
        self._process.stdin.flush()

    def answer(self) -> str:
        """The next line it prints."""
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def end(self) -> None:
        """Tell it that nothing follows, and wait until it has closed its books."""
        self._process.communicate()


@contextmanager
def _writers(room: str, shared: str, own: list[str]) -> Iterator[list[Writer]]:
    with ExitStack() as stack:
        crowd = [Writer(number, room, shared, url) for number, url in enumerate(own)]
        for one in crowd:
            stack.callback(one.end)
        for one in crowd:
            one.answer()  # It has opened its books, and saved once in each.
        yield crowd


def _in_turn(
    options: argparse.Namespace, sides: list[tuple[str, list[Writer]]]
) -> list[list[float]]:
    """Saves per second of each side, in turn, so that a busy machine slows both alike."""
    rates: list[list[float]] = [[] for _ in sides]
    for _ in range(options.rounds):
        for (book, crowd), found in zip(sides, rates, strict=True):
            until = time.time() + options.seconds
            for one in crowd:
                one.tell(f"{book} {until}")
            found.append(sum(int(one.answer()) for one in crowd) / options.seconds)
    return rates


def _print_ratio(what: str, measured: list[float], limit: float, base: list[float]) -> None:
    ratios = [one / other for one, other in zip(measured, base, strict=True)]
    row(what, f"{statistics.median(measured):.0f}", f"against {statistics.median(base):.0f}")
    row("  ratio", f"{statistics.median(ratios):.2f}", f"at least {limit}")


def _write(options: argparse.Namespace) -> None:
    """Save as the parent process says, and tell it how often."""
    state = Path(options.room) / f"state{0 if options.shared == options.own else options.child}"
    settings = Settings(state=str(state), embedder="none")
    language = short_words(6_000, seed=options.child)
    language.chance = random.Random(options.child)
    with ExitStack() as stack:
        books = {
            name: stack.enter_context(commonplace.open(url, settings=settings))
            for name, url in ((SHARED, options.shared), (OWN, options.own))
        }
        for book in books.values():
            if lazy := book._engine.lazy_reasoner:
                lazy._opened = RulesReasoner()
            book.save(language.text(10, 40), scope=f"/user/u{options.child}")
        print("ready", flush=True)
        for line in sys.stdin:
            name, until = line.split()
            saves = 0
            while time.time() < float(until):
                books[name].save(language.text(10, 40), scope=f"/user/u{options.child}")
                saves += 1
            print(saves, flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=("postgres", "vault"))
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    for name in ("room", "shared", "own"):
        parser.add_argument(f"--{name}", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
