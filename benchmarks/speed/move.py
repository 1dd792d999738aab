"""Measure `move`: a vault to another store and back, compared by its export.

    python benchmarks/speed/move.py [--memories 10000] [--to postgresql://…] [--server]

The default target is SQLite; `--server` starts a PostgreSQL.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from parts import timing

from commonplace.books.open import open_book, open_move_target
from commonplace.settings import Settings
from commonplace.verbs.export import as_json_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from commonplace.book import Commonplace
    from commonplace.model.results import Moved

T = TypeVar("T")
THINGS = (
    "crate",
    "valve",
    "lever",
    "robot",
    "engine",
    "cellar",
    "ladder",
    "mirror",
    "pump",
    "gate",
)
DONE = ("holds", "opens", "turns", "squeaks", "leaks", "rests", "shines", "breaks", "hums", "tilts")


def main() -> None:
    given = argparse.ArgumentParser(description="Moves a vault there and back.")
    given.add_argument("--memories", type=int, default=10_000)
    given.add_argument("--to", default="")
    given.add_argument("--server", action="store_true")
    asked = given.parse_args()
    with tempfile.TemporaryDirectory() as room:
        there = asked.to or (_server(room) if asked.server else f"sqlite:{room}/there.db")
        run(Path(room), there, asked.memories)


def run(room: Path, there: str, memories: int) -> None:
    """Fill a vault, move it to the other store and back, and compare."""
    settings = Settings(state=str(room / "state"), embedder="none")
    here, back = f"vault:{room / 'here'}", f"vault:{room / 'back'}"
    with open_book(here, settings=settings, background=False) as book:
        timed("filled", memories, lambda: fill(book, memories))
        before = timed("exported", memories, lambda: digest(book))
    timed("moved there", memories, lambda: moved(here, there, settings))
    timed("moved back", memories, lambda: moved(there, back, settings))
    with open_book(back, settings=settings, background=False) as book:
        after = timed("exported", memories, lambda: digest(book))
    print(f"export before {before}\nexport after  {after}")
    sys.exit(0 if before == after else "The exports differ.")


def fill(book: Commonplace, memories: int) -> None:
    """Save notes in many scopes, some of them with several versions."""
    chance = random.Random(7)
    book.save_many(
        {
            "content": f"{chance.choice(THINGS).title()} {n} {chance.choice(DONE)} beside"
            f" {chance.choice(THINGS)} {chance.randrange(10_000)}",
            "scope": f"/user/u{n % 50}",
            "tags": [chance.choice(THINGS)],
        }
        for n in range(memories)
    )


def moved(source: str, target: str, settings: Settings) -> Moved:
    with (
        open_book(source, settings=settings, background=False, create=False) as here,
        open_move_target(here, target, settings=settings) as there,
    ):
        return here.move(there)


def digest(book: Commonplace) -> str:
    return sha256(b"".join(as_json_lines(book.export(everything=True)))).hexdigest()


def timed(what: str, count: int, work: Callable[[], T]) -> T:
    took, done = timing.timed(work)
    print(f"{what:12} {count:8,} memories {took:8.1f} s {count / took:8,.0f} a second", flush=True)
    return done


def _server(room: str) -> str:
    from tests.backends.postgres import server

    return server.made(f"{room}/served")


if __name__ == "__main__":
    main()
