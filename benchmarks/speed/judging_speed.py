"""Measure the judge: a pair, a save with and without it, and the scan of `maintain`.

    python benchmarks/speed/judging_speed.py [--notes 10000] [--new 200] [--saves 60]

The book holds sentences about made-up things, several of which share their words, so that every
note has near neighbours. Of the notes that are new to the scan, some change what older ones say.
Times are of the processor: other programs on the machine do not count.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from typing import TYPE_CHECKING

from parts.timing import row

from commonplace import Commonplace, Settings
from commonplace.backends.neural.reader import BundledReader
from commonplace.backends.reasoners.rules import RulesReasoner
from commonplace.books.open import open_book
from commonplace.verbs.backup import all_memories
from commonplace.verbs.maintain.scan import ComparedNotes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

SAVE_RATIO = 3
SCAN_S = 120
PAIR_PIECES = (24, 40, 60)
THINGS = (
    "billing service", "greenhouse", "night ferry", "choir", "search index", "lab fridge", "wiki",
    "garden shed", "newsletter", "payroll run", "staging cluster", "bike workshop", "archive",
    "reading room", "kiln", "press office", "test bench", "water pump", "ticket desk", "orchard",
)  # fmt: skip
OWNERS = ("Ines", "Teodor", "Ruth", "Malik", "Greta", "Oskar", "Lena", "Bruno", "Yuki", "Pavel")
PLACES = ("Lyon", "Bergen", "Porto", "Graz", "Cork", "Turin", "Ghent", "Malmö", "Split", "Basel")
SAYINGS = (
    "The {thing} of team {team} is looked after by {owner}",
    "Team {team} keeps the {thing} in {place}",
    "The {thing} of team {team} is checked by {owner} before the weekend",
    "{owner} pays for the {thing} of team {team} from the budget of {place}",
    "When the {thing} of team {team} fails, call {owner} in {place} first",
)


def main() -> None:
    options = _options()
    chance = random.Random(11)
    _pairs(chance)
    with tempfile.TemporaryDirectory(prefix="commonplace-", dir=options.folder) as room:
        with _open(room) as book:
            book.save_many(made_statements(chance, options.notes - options.new))
            book.sync()
            _mark_compared(book)
            _maintain(book)  # Merges, proposals and links that have nothing to do with the scan.
            book.save_many(made_statements(chance, options.new))
            book.sync()
            took, changes = _maintain(book)
            row(
                f"scan, {options.new} new of {options.notes:,}", f"{took:,.1f} s", f"under {SCAN_S}"
            )
            row("  changes that it planned", f"{changes:,}")
            again, _ = _maintain(book)
            row("  and once more, with nothing new", f"{again:,.1f} s")
        _saves(room, chance, options.saves)


def _pairs(chance: random.Random) -> None:
    """The cost of one pair by its length, without what loads the model."""
    reader = BundledReader()
    for pieces in PAIR_PIECES:
        words = pieces // 2 - 2
        spent = min(_cpu_of_pair(reader, chance, words) for _ in range(60))
        row(f"judge, a pair of about {pieces} pieces", f"{1000 * spent:.1f} ms")


def _cpu_of_pair(reader: BundledReader, chance: random.Random, words: int) -> float:
    # Other words each time: what was read is not read again.
    old, new = (" ".join(chance.choices(("tea", "day", "key", "map"), k=words)) for _ in "ab")
    return _cpu(lambda: reader.relate(new, old))


def _saves(room: str, chance: random.Random, count: int) -> None:
    """Saves of one note with the judge and with rules alone, in turn, into one book."""
    plain, judged = list[float](), list[float]()
    with _open(room) as book:
        lazy = book._engine.lazy_reasoner
        assert lazy is not None
        whole = lazy.get()
        for draft in made_statements(chance, count):
            for reasoner, spent in ((RulesReasoner(), plain), (whole, judged)):
                lazy._opened = reasoner
                text = f"{draft} in {chance.randrange(1900, 2100)}"
                spent.append(_cpu(lambda text=text: book.save(text)))
    with_s, without_s = statistics.median(judged[3:]), statistics.median(plain[3:])
    row("save by rules", f"{1000 * without_s:.1f} ms")
    row("save with the judge", f"{1000 * with_s:.1f} ms")
    row("  ratio", f"{with_s / without_s:.2f}", f"at most {SAVE_RATIO}")


def _mark_compared(book: Commonplace) -> None:
    """Let the scan take every note for compared, as after many nights."""
    compared = ComparedNotes(book._engine, ())
    for batch in all_memories(book._engine):
        for memory in batch:
            compared.add(memory)


def _maintain(book: Commonplace) -> tuple[float, int]:
    changes: list[int] = []
    took = _cpu(lambda: changes.append(len(book.maintain().changes)))
    return took, changes[0]


def _cpu(act: Callable[[], object]) -> float:
    began = time.process_time()
    act()
    return time.process_time() - began


def _open(room: str) -> Commonplace:
    settings = Settings(state=f"{room}/state", embedder="bundled")
    # Without a background, as a command: every answer waits for the judge.
    return open_book(f"vault:{room}/notes", settings=settings, background=False)


def made_statements(chance: random.Random, count: int) -> Iterator[str]:
    """Sentences about made-up things, many of which resemble each other."""
    seen: set[str] = set()
    while len(seen) < count:
        text = chance.choice(SAYINGS).format(
            thing=_one(chance, THINGS), owner=_one(chance, OWNERS), place=_one(chance, PLACES),
            team=f"{_one(chance, PLACES)[:2].upper()}{chance.randrange(400)}",
        )  # fmt: skip
        if text not in seen:
            seen.add(text)
            yield text


def _one(chance: random.Random, of: Sequence[str]) -> str:
    return chance.choice(of)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--new", type=int, default=200)
    parser.add_argument("--saves", type=int, default=60)
    parser.add_argument("--folder", help="where to make the vault")
    return parser.parse_args()


if __name__ == "__main__":
    main()
