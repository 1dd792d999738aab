"""A process that saves until it is killed, and logs every acknowledged save."""

from __future__ import annotations

import os
import sys

from commonplace.books.open import open_book
from commonplace.settings import Settings


def main(url: str, state: str, acknowledged: str, name: str, count: int) -> None:
    """Save numbered memories, continuing after the last one that was acknowledged."""
    done = 0
    if os.path.exists(acknowledged):
        with open(acknowledged, encoding="utf-8") as file:
            done = sum(1 for line in file if line.endswith("\n"))
    with (
        open_book(url, settings=Settings(state=state, embedder="none")) as book,
        open(acknowledged, "a", encoding="utf-8") as log,
    ):
        for number in range(done, count):
            saved = book.save(f"worker {name} remembers item {number}", scope=f"/user/{name}")
            log.write(f"{number} {saved.id}\n")
            log.flush()


if __name__ == "__main__":
    main(*sys.argv[1:5], count=int(sys.argv[5]))
