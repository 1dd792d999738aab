"""The rounds of a torture, and the receipt at its end."""

from __future__ import annotations

import os
import random
import time

from ...model.value import Value
from .faults import FAULTS, MENDED_LATER, OF_FILES
from .process import WriterServer
from .tortured import TorturedBook

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

_MOST_MEMORIES = 100
"""A larger book is replaced by a new one, so that rounds stay short and new books are tried."""


class FaultTried(Value):
    """How often a fault was tried, and what was written meanwhile."""

    fault: str
    rounds: int = 0
    kills: int = 0
    acknowledged: int = 0
    refused: int = 0
    lost: int = 0


class Tortured(Value):
    """The receipt of a torture."""

    folder: str
    store: str
    seed: int
    seconds: float
    rounds: int
    books: int
    acknowledged: int
    lost: int
    """Ways in which a book broke its law; 0 is the promise."""
    tried: tuple[FaultTried, ...]
    broken: tuple[str, ...] = ()
    """The first sentences about what was lost."""


class Limits(Value):
    """When a torture ends: after so many rounds, or seconds."""

    rounds: int | None
    seconds: float | None

    def reached(self, rounds: int, seconds: float) -> bool:
        """Whether no further round begins."""
        if self.rounds is not None:
            return rounds >= self.rounds
        return seconds >= (self.seconds or 0.0)


def torture(
    folder: str,
    *,
    limits: Limits,
    seed: int,
    store: str = "vault",
    copy_of: str | None = None,
    only: Collection[str] = (),
    progress: Callable[[str, int, float], object] = lambda fault, rounds, seconds: None,
) -> Tortured:
    """Torture books in a folder until the limits, or until one of them breaks its law."""
    chance = random.Random(seed)  # noqa: S311 (no secret)
    tried = {name: FaultTried(name) for name in only or faults_of(store)}
    began, rounds, books = time.monotonic(), 0, 0
    broken: list[str] = []
    book: TorturedBook | None = None
    faults = _shuffled(chance, list(tried))
    with WriterServer() as writers:
        while not broken and not limits.reached(rounds, time.monotonic() - began):
            if book is None or book.written > _MOST_MEMORIES:
                if book is not None:
                    book.remove()
                books += 1
                book = TorturedBook(os.path.join(folder, f"book-{books}"), store, chance, writers)
                book.begin(copy_of)
            name = next(faults)
            progress(name, rounds, time.monotonic() - began)
            tried[name], broken = _round(book, tried[name])
            rounds += 1
    return Tortured(
        folder=folder, store=store, seed=seed, seconds=time.monotonic() - began, rounds=rounds,
        books=books, acknowledged=sum(one.acknowledged for one in tried.values()),
        lost=len(broken), tried=tuple(tried.values()), broken=tuple(broken[:20]),
    )  # fmt: skip


def faults_of(store: str) -> list[str]:
    """The faults that a book in such a store can meet."""
    return [name for name in FAULTS if store == "vault" or name not in OF_FILES]


def _shuffled(chance: random.Random, names: list[str]) -> Iterator[str]:
    """Every fault once, in any order, again and again."""
    while True:
        chance.shuffle(names)
        yield from list(names)


def _round(book: TorturedBook, tried: FaultTried) -> tuple[FaultTried, list[str]]:
    promises, kills = book.promises, book.kills
    acknowledged, refused = promises.acknowledged, promises.refused
    broken = FAULTS[tried.fault](book)
    broken += book.check(mended_later=tried.fault in MENDED_LATER)
    return tried.but(
        rounds=tried.rounds + 1,
        kills=tried.kills + book.kills - kills,
        acknowledged=tried.acknowledged + promises.acknowledged - acknowledged,
        refused=tried.refused + promises.refused - refused,
        lost=tried.lost + len(broken),
    ), broken
