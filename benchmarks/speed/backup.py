"""Measure the time and size of backups, the delay of other writers, and the cost of limits.

    python benchmarks/speed/backup.py [MEMORIES] [URL …]

Without URLs a new vault and a new SQLite file are used; name an empty PostgreSQL book to add it.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from parts.timing import seconds, timed

from commonplace.books.open import open_book
from commonplace.books.restore import check_backup, restore_backup
from commonplace.rules.parameters import TenantLimits
from commonplace.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from commonplace import Commonplace

COUNT = 10_000
SAVES = 100


def main(count: int, urls: list[str]) -> None:
    """Measure each kind of book and print a table."""
    with tempfile.TemporaryDirectory() as room:
        folder = Path(room)
        for url in urls or [f"vault:{folder / 'vault'}", f"sqlite:{folder / 'book.db'}"]:
            print(f"\n{url.partition(':')[0]}, {count:,} memories")
            measure(url, count, folder / f"backups-{url.partition(':')[0]}", folder)


def measure(url: str, count: int, place: Path, room: Path) -> None:
    settings = Settings(state=str(room / "state"), embedder="none")
    with open_book(url, settings=settings, background=False) as book:
        texts = [
            f"Note {n}: train {n * 7919 % 100_003} runs on line {n % 97}" for n in range(count)
        ]
        drafts = [{"content": text, "scope": f"/user/{n % 50}"} for n, text in enumerate(texts)]
        print(f"  bulk save       {seconds(lambda: book.save_many(drafts)):8.2f} s")
        full, first = timed(lambda: book.backup(str(place)))
        print(f"  first backup    {full:8.2f} s  {first.moment.written:>12,} bytes")
        alone = latencies(book, 0)
        took, second = timed(lambda: book.backup(str(place)))
        print(f"  after {SAVES} saves {took:8.2f} s  {second.moment.written:>12,} bytes")
        waited = during(lambda: book.backup(str(place)), lambda n: latencies(book, n))
        print(f"  a save alone    {statistics.median(alone) * 1000:8.2f} ms median")
        print(f"  during a backup {statistics.median(waited) * 1000:8.2f} ms median,"
              f" {max(waited) * 1000:.0f} ms at most")  # fmt: skip
    print(f"  check           {seconds(lambda: check_backup(str(place))):8.2f} s")
    target = f"sqlite:{room / (place.name + '.db')}"
    took, back = timed(lambda: restore_backup(str(place), target, settings=settings))
    print(f"  restore         {took:8.2f} s  {len(back.differences)} differences")
    cost_of_limits(url, settings)


def cost_of_limits(url: str, settings: Settings) -> None:
    """Compare saves with and without limits, alternating."""
    limits = TenantLimits(memories=10**9, bytes=10**12, writes_a_minute=10**6)
    with (
        open_book(url, settings=settings, background=False) as free,
        open_book(url, settings=settings.but(limits=limits), background=False) as limited,
    ):
        pairs = [
            (latencies(free, 2 * n, 20), latencies(limited, 2 * n + 1, 20)) for n in range(5, 10)
        ]
    without = statistics.median(one for free_s, _ in pairs for one in free_s)
    with_ = statistics.median(one for _, limited_s in pairs for one in limited_s)
    print(f"  save with limits {with_ / without:6.2f} x the time without")


def latencies(book: Commonplace, batch: int, saves: int = SAVES) -> list[float]:
    """The durations of single saves of one user."""
    texts = [f"Ship {batch * SAVES + n} carries {n * 31 % 89} crates" for n in range(saves)]
    return [seconds(lambda text=text: book.save(text, scope="/user/7")) for text in texts]


def during(work: Callable[[], object], beside: Callable[[int], list[float]]) -> list[float]:
    """Measure repeatedly while the work runs."""
    thread = threading.Thread(target=work)
    thread.start()
    found: list[float] = []
    batch = 100
    while thread.is_alive() or not found:
        found += beside(batch)
        batch += 1
    thread.join()
    return found


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else COUNT, sys.argv[2:])
