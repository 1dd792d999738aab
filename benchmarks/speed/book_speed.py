"""Measure writing, checking and rebuilding a vault, compared with the raw disk.

    python benchmarks/speed/book_speed.py [--notes 100000] [--folder /on/the/disk/to/measure]

Without vectors; `embedding.py` measures those, `index_speed.py` and `warm_recall.py` questions.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from contextlib import suppress

from parts.making import Language, short_words
from parts.timing import row, seconds

import commonplace
from commonplace import Commonplace, Settings

SINGLE = 500
"""Number of notes that are written one at a time."""


def main() -> None:
    options = _options()
    language = short_words(20_000)
    with tempfile.TemporaryDirectory(prefix="commonplace-", dir=options.folder) as room:
        durable = _durable_writes(room)
        row("bare durable writes (file + folder fsync)", f"{durable:,.0f} /s")
        with _open(room) as book:
            single = SINGLE / seconds(lambda: _save_singly(book, language))
            row("save, one at a time", f"{single:,.0f} /s", "at least 100")
            drafts = [
                {
                    "content": language.text(15, 45),
                    "scope": f"/user/{language.chance.randrange(20)}",
                }
                for _ in range(options.notes)
            ]
            bulk = options.notes / seconds(lambda: book.save_many(drafts))
            row(f"save_many of {options.notes:,}", f"{bulk:,.0f} /s", "at least 1,000")
            time.sleep(2.5)  # Files are trusted by their times once those are a moment old.
            book.recall("settle")
            bare = seconds(lambda: _stat_all(os.path.join(room, "notes")))
            look = seconds(lambda: _look(book))
            row("bare listing with file times", f"{bare * 1000:,.0f} ms")
            row("look at an unchanged vault", f"{look * 1000:,.0f} ms", f"{look / bare:.2f} x bare")
            rebuilt = seconds(lambda: book.sync(rebuild=True))
            row(f"rebuild of {options.notes:,} notes", f"{rebuilt:,.1f} s", "under 60")


def _open(room: str) -> Commonplace:
    settings = Settings(state=os.path.join(room, "state"), embedder="none")
    return commonplace.open(f"vault:{room}/notes", settings=settings)


def _save_singly(book: Commonplace, language: Language) -> None:
    for _ in range(SINGLE):
        book.save(language.text(15, 45), scope="/user/7")


def _look(book: Commonplace) -> None:
    with suppress(commonplace.NotFound):
        book.get("a name that nothing has")


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

    took = seconds(lambda: [write(number) for number in range(SINGLE)])
    os.close(handle)
    return SINGLE / took


def _stat_all(root: str) -> None:
    for folder, _, names in os.walk(root):
        handle = os.open(folder, os.O_RDONLY)
        for name in names:
            os.stat(name, dir_fd=handle, follow_symlinks=False)
        os.close(handle)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=100_000)
    parser.add_argument("--folder", help="where to make the vault")
    return parser.parse_args()


if __name__ == "__main__":
    main()
