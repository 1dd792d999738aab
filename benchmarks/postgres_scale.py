"""Many users on one PostgreSQL: does one user's recall stay as quick as in a small book?

    python benchmarks/postgres_scale.py [--memories 100000] [--users 100] [--small 10000]

Fills a small book and a large one, with a vector for every memory, through the store and the index
as a server would; then recalls as one user among many. Prints rates, sizes and a ratio.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parent.parent))

import psycopg
from tests.conformance.samples import memory
from tests.postgres import server

from commonplace.assemble import open_book
from commonplace.ports import Put
from commonplace.scope import EVERYTHING
from commonplace.settings import Settings

if TYPE_CHECKING:
    from commonplace.book import Commonplace
    from commonplace.model import Memory

BATCH = 1000
QUESTIONS = 100
NOUNS = [f"{a}{b}" for a in ("bay", "cor", "del", "fen", "gar", "hol") for b in
         ("ton", "wick", "mere", "ford", "stead", "ham", "leigh", "combe")]  # fmt: skip
VERBS = ["moved", "paused", "renewed", "checked", "painted", "shipped", "tested", "broke"]


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory(prefix="commonplace-") as room:
        small = measure(Path(room) / "small", options.small, max(1, options.users // 10))
        large = measure(Path(room) / "large", options.memories, options.users)
    print(f"p95 of recall, large against small: {large / small:.2f} ×")


def measure(place: Path, memories: int, users: int) -> float:
    """Fill a book and recall from it; the 95th of a hundred times in seconds."""
    place.mkdir()
    url = server.made(place / "book")
    settings = Settings(state=str(place / "state"), embedder="hash")
    with open_book(url, settings=settings, background=False) as book:
        began = time.perf_counter()
        fill(book, memories, users)
        filled = time.perf_counter() - began
        began = time.perf_counter()
        embed(book)
        embedded = time.perf_counter() - began
        vacuum()
        times = recall(book, users)
    index, records = (size / memories for size in sizes(url))
    p50, p95 = statistics.median(times), statistics.quantiles(times, n=20)[-1]
    print(
        f"{memories:,} memories of {users:,} users: {memories / filled:,.0f} a second into store"
        f" and index, {memories / embedded:,.0f} vectors a second; index {index:,.0f} and"
        f" records {records:,.0f} bytes a memory; recall p50 {p50 * 1000:.1f} ms,"
        f" p95 {p95 * 1000:.1f} ms",
        flush=True,
    )
    return p95


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


def recall(book: Commonplace, users: int) -> list[float]:
    times: list[float] = []
    for n in range(QUESTIONS + 20):
        chance = random.Random(-n)
        asking = book.as_context({"org": "acme", "user": f"u{n % users}", "role": "member"})
        here, done, there = chance.choice(NOUNS), chance.choice(VERBS), chance.choice(NOUNS)
        began = time.perf_counter()
        assert asking.recall(f"when was {here} {done} at {there}")
        times.append(time.perf_counter() - began)
    return times[20:]


def vacuum() -> None:
    """What autovacuum would have done in the meantime."""
    with psycopg.connect(server.superuser(), autocommit=True) as db:
        db.execute("VACUUM ANALYZE")


def sizes(url: str) -> tuple[int, int]:
    """Bytes of the index's tables, and of the records, with their indexes."""
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
    return parser.parse_args()


if __name__ == "__main__":
    main()
