"""Compare one user's recall in a large shared PostgreSQL book with that in a small one.

    python benchmarks/speed/postgres_scale.py [--memories 100000] [--users 100] [--small 10000]

Fills a small book and a large one, with a vector for every memory, through the store and the index
as a server would; then recalls as one user among many. Prints rates, sizes and a ratio. With
`--bulk` the large one is filled by COPY, as a bulk move would: --memories 1000000 --users 1000.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
from parts.timing import seconds, timed
from tests.backends.postgres import bulk, server
from tests.conformance.samples import memory

from commonplace.books.open import open_book
from commonplace.model.scope import EVERYTHING
from commonplace.ports.record_store import Put
from commonplace.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commonplace.book import Commonplace
    from commonplace.model.memory import Memory

BATCH = 1000
QUESTIONS, WARMING = 200, 20
NOUNS = [f"{a}{b}" for a in ("bay", "cor", "del", "fen", "gar", "hol") for b in
         ("ton", "wick", "mere", "ford", "stead", "ham", "leigh", "combe")]  # fmt: skip
VERBS = ["moved", "paused", "renewed", "checked", "painted", "shipped", "tested", "broke"]


def main() -> None:
    options = _options()
    few = max(1, options.users * options.small // options.memories)
    with tempfile.TemporaryDirectory(prefix="commonplace-") as room, ExitStack() as stack:
        small = stack.enter_context(filled(Path(room) / "small", options.small, few))
        large = stack.enter_context(
            filled(Path(room) / "large", options.memories, options.users, at_once=options.bulk)
        )
        vacuum()
        # In turn, so that whatever else the machine does meets both alike.
        times: tuple[list[float], list[float]] = ([], [])
        for n in range(QUESTIONS + WARMING):
            for book, users, spent in ((small, few, times[0]), (large, options.users, times[1])):
                spent.append(recall(book, n, users))
    for memories, spent in zip((options.small, options.memories), times, strict=True):
        p50, p95 = shares(spent)
        print(f"{memories:,}: recall p50 {p50 * 1000:.1f} ms, p95 {p95 * 1000:.1f} ms")
    middle, late = (b / a for a, b in zip(*map(shares, times), strict=True))
    print(f"recall, large against small: p50 {middle:.2f} ×, p95 {late:.2f} × (limit 3)")


def shares(spent: list[float]) -> tuple[float, float]:
    return statistics.median(spent[WARMING:]), statistics.quantiles(spent[WARMING:], n=20)[-1]


@contextmanager
def filled(
    place: Path, memories: int, users: int, *, at_once: bool = False
) -> Iterator[Commonplace]:
    """An open book with this number of memories."""
    place.mkdir()
    url = server.made(place / "book")
    settings = Settings(state=str(place / "state"), embedder="hash")
    with open_book(url, settings=settings, background=False) as book:
        told = in_bulk(url, memories, users) if at_once else one_by_one(book, memories, users)
        index, records = (size / memories for size in sizes(url))
        print(
            f"{memories:,} memories of {users:,} users: {told}; index {index:,.0f} and"
            f" records {records:,.0f} bytes a memory",
            flush=True,
        )
        yield book


def one_by_one(book: Commonplace, memories: int, users: int) -> str:
    filled = memories / seconds(lambda: fill(book, memories, users))
    embedded = memories / seconds(lambda: embed(book))
    return f"{filled:,.0f} a second into store and index, {embedded:,.0f} vectors a second"


def in_bulk(url: str, memories: int, users: int) -> str:
    schema = url.rpartition("schema=")[2]
    # Users come one after the other, as they would from another store.
    make = partial(of_one, max(1, memories // users), users)
    took = seconds(lambda: bulk.fill(f"{server.superuser()}&schema={schema}", make, memories))
    return f"{memories / took:,.0f} a second, vectors and indexes included"


def of_one(each: int, users: int, n: int) -> Memory:
    return note(n // each + n % each * users, users) if n < each * users else note(n, users)


def fill(book: Commonplace, memories: int, users: int) -> None:
    engine = book._engine  # pyright: ignore[reportPrivateUsage]
    for start in range(0, memories, BATCH):
        made = [note(n, users) for n in range(start, min(start + BATCH, memories))]
        with engine.store.lease() as lease:
            engine.store.write([Put(one) for one in made], lease=lease)
        for batch in engine.store.changes(engine.index.revision(), visible=EVERYTHING):
            engine.index.apply(batch)


def note(n: int, users: int) -> Memory:
    chance = random.Random(n)
    said = " ".join(
        f"{chance.choice(NOUNS)} {chance.choice(VERBS)} {chance.choice(NOUNS)}" for _ in range(6)
    )
    return memory(f"Note {n}: {said} in week {n % 52}", f"/org/acme/user/u{n % users}")


def embed(book: Commonplace) -> None:
    engine = book._engine  # pyright: ignore[reportPrivateUsage]
    embedder = engine.embedder
    assert embedder is not None
    model, dimensions = embedder.model, embedder.dimensions
    engine.index.use_model(model, dimensions)
    while waiting := engine.index.unembedded(visible=EVERYTHING, limit=BATCH):
        vectors = embedder.embed([one.content for one in waiting.values()])
        made = {key: [vector] for key, vector in zip(waiting, vectors, strict=True)}
        assert engine.index.put_vectors(made, model=model, dimensions=dimensions)


def recall(book: Commonplace, n: int, users: int) -> float:
    chance = random.Random(-n)
    asking = book.as_context({"org": "acme", "user": f"u{n % users}", "role": "member"})
    here, done, there = chance.choice(NOUNS), chance.choice(VERBS), chance.choice(NOUNS)
    took, found = timed(lambda: asking.recall(f"when was {here} {done} at {there}"))
    assert found
    return took


def vacuum() -> None:
    """Do the work of autovacuum now."""
    with psycopg.connect(server.superuser(), autocommit=True) as db:
        db.execute("VACUUM ANALYZE")


def sizes(url: str) -> tuple[int, int]:
    """Bytes of the tables of the index and of the records, with their indexes."""
    schema = url.rpartition("schema=")[2]
    with psycopg.connect(server.superuser()) as connected:
        db: Any = connected
        rows = db.execute(
            "SELECT relname, pg_total_relation_size(c.oid) FROM pg_class c"
            " JOIN pg_namespace n ON n.oid = relnamespace WHERE relkind = 'r' AND nspname = %s",
            (schema,),
        ).fetchall()
    sized = dict(rows)
    records = sized.pop("records")
    for ledger in ("events", "event_memories", "retrievals"):
        sized.pop(ledger)
    return sum(sized.values()), records


def _options() -> Any:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--users", type=int, default=100)
    parser.add_argument("--small", type=int, default=10_000)
    parser.add_argument("--bulk", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
