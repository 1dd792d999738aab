"""Measure recall in a running process, in multiples of raw queries of the index.

    python benchmarks/speed/warm_recall.py [--memories 100000] [--runs 30] [--model hash|bundled]
    python benchmarks/speed/warm_recall.py --growth [--memories 1000000] [--visible 10000]

The first compares a whole recall, of which the caller sees 5 % of the memories, with the two
queries of the index that it needs and the embedding of the question: at most 2 times as long.
The second compares a caller who sees 10,000 of 1,000,000 memories with one whose book has no
others: at most 2 times as long, near 1 at best. The index is filled through its port, with
vectors of no meaning: only their number counts here.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import tempfile
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from parts.making import long_words
from parts.timing import in_turn

from commonplace.backends.common.sqlite import connected
from commonplace.backends.sql.index.candidates import word_scores
from commonplace.backends.sql.index.tables import VectorQuery, visible_scopes
from commonplace.backends.sql.index.vectors import find_model
from commonplace.backends.sql.sqlite.index import SqliteIndex
from commonplace.backends.sql.sqlite.index_tables import SqliteTables
from commonplace.books.open import open_book
from commonplace.books.services import open_embedder
from commonplace.engine.search import POOL
from commonplace.language import words
from commonplace.model.memory import Memory
from commonplace.model.scope import EVERYTHING, Context, Scope
from commonplace.ports.record_store import Changes, Document
from commonplace.rules.access import visible_to
from commonplace.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from parts.making import Language

    from commonplace.book import Commonplace
    from commonplace.ports.embedder import Embedder

BATCH = 1_000
START = datetime(2024, 1, 1, tzinfo=UTC)
ASKER = Context(user="42", role="member")


def main() -> None:
    options = _options()
    language = long_words(seed=11)
    asked = [language.text(4, 9) for _ in range(options.runs)]
    if options.growth:
        _growth(options, asked)
    else:
        _overhead(options, asked)


def _overhead(options: argparse.Namespace, asked: list[str]) -> None:
    with tempfile.TemporaryDirectory(prefix="commonplace-benchmark-") as room:
        share = options.memories // 20
        with _book(room, options, options.memories, share) as book:
            recall, raw = _alternated(asked, book.recall, _raw_queries(room, book))
    print(f"{options.memories:,} memories, {share:,} visible, {options.model} model")
    print(f"two raw queries and embedding {1000 * raw:7.2f} ms")
    print(f"recall                        {1000 * recall:7.2f} ms")
    print(f"ratio                         {recall / raw:7.2f}   (target: at most 2)")


def _growth(options: argparse.Namespace, asked: list[str]) -> None:
    with (
        tempfile.TemporaryDirectory(prefix="commonplace-benchmark-") as room,
        _book(f"{room}/crowded", options, options.memories, options.visible) as crowded,
        _book(f"{room}/alone", options, options.visible, options.visible) as alone,
    ):
        much, little = _alternated(asked, crowded.recall, alone.recall)
    print(f"{options.visible:,} visible of {options.visible:,} {1000 * little:7.2f} ms")
    print(f"{options.visible:,} visible of {options.memories:,} {1000 * much:7.2f} ms")
    print(f"ratio {much / little:7.2f}   (target: at most 2)")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--visible", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--model", default="bundled", choices=("bundled", "hash"))
    parser.add_argument("--growth", action="store_true", help="compare with a smaller book")
    return parser.parse_args()


def _book(room: str, options: argparse.Namespace, count: int, mine: int) -> Commonplace:
    """A book with an empty store and a full index, as one caller sees it."""
    settings = Settings(state=f"{room}/state", embedder=options.model, retrieval_log=0)
    os.makedirs(room, exist_ok=True)
    with open_book(f"sqlite:{room}/book.db", settings=settings, background=False) as book:
        path = book.status().index
    embedder = open_embedder(options.model, environ=os.environ)
    assert embedder is not None
    started = time.perf_counter()
    _fill(path, embedder, count, mine)
    print(f"(filled with {count:,} in {time.perf_counter() - started:.0f} s)")
    return open_book(f"sqlite:{room}/book.db", settings=settings, context=ASKER, background=False)


def _fill(path: str, embedder: Embedder, count: int, mine: int) -> None:
    index = SqliteIndex(path)
    model, dimensions = embedder.model, embedder.dimensions
    index.use_model(model, dimensions)
    chance = random.Random(3)
    some = [chance.randbytes(dimensions) for _ in range(997)]
    revision = index.revision()
    language = long_words(seed=5)
    for start in range(0, count, BATCH):
        batch = list(
            _memories(language, range(start, min(start + BATCH, count)), max(1, count // mine))
        )
        # The revision stays, so that opening the book finds nothing to catch up with.
        index.apply(Changes(revision, tuple(Document(one.id, (one,)) for one in batch)))
        line = index.unembedded(visible=EVERYTHING, limit=BATCH, model=model)
        made = {key: [some[key // 64 % len(some)]] for key in line}
        index.put_vectors(made, model=model, dimensions=dimensions)
    index.close()


def _memories(language: Language, places: range, every: int) -> Iterator[Memory]:
    """Memories of which every n-th belongs to the caller."""
    for place in places:
        own = place % every == 0
        yield Memory(
            id=f"{place:026d}",
            content=language.text(15, 60),
            created=START + timedelta(minutes=place),
            updated=START + timedelta(minutes=place),
            scope=Scope.parse("/user/42" if own else f"/user/{1000 + place % 2003}"),
            slug=f"note-{place}",
        )


def _raw_queries(room: str, book: Commonplace) -> Callable[[str], object]:
    """The necessary work of a recall: word lookup, embedding and vector comparison."""
    tables = SqliteTables(connected(os.path.join(book.state, "index.db"), durable=False))
    chosen = "hash" if book.embedder.startswith("hash") else "bundled"
    embedder = open_embedder(chosen, environ=os.environ)
    assert embedder is not None
    least = embedder.unrelated

    def ask(text: str) -> None:
        [vector] = embedder.embed([text], query=True)
        seen = visible_scopes(tables, visible_to(ASKER))
        word_scores(tables, words.query_terms(text), seen)
        model = find_model(tables, None, len(vector))
        assert model is not None
        tables.nearest(VectorQuery(vector, model.number, also=(), most=2 * POOL, least=least), seen)

    return ask


def _alternated(
    asked: list[str], one: Callable[[str], object], other: Callable[[str], object]
) -> tuple[float, float]:
    """The medians of both, with alternating runs."""
    first, second = in_turn((one, other), [asked[0], *asked], warmup=1)
    return statistics.median(first), statistics.median(second)


if __name__ == "__main__":
    main()
