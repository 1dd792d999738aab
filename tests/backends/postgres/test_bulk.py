"""A book that was filled at once is the one that would have been filled memory by memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psycopg

from commonplace.backends.neural.fallback import HashingEmbedder
from commonplace.books.open import open_book
from commonplace.model.memory import Memory
from commonplace.model.scope import EVERYTHING
from commonplace.ports.record_store import Changes, Document
from commonplace.settings import Settings
from tests.conformance.samples import memory

from . import bulk, server

COLOURS = ("red", "green", "blue", "amber", "violet", "grey", "white")


def heron(n: int) -> Memory:
    text = f"Heron {n} stands on a {COLOURS[n % 7]} post, see [[heron {n // 2}]]"
    scope = f"/org/acme/user/u{n % 3}"
    return memory(text, scope, id=f"heron-{n:04}", title=f"heron {n}", tags=(COLOURS[n % 5],))


def indexed(url: str) -> dict[str, list[Any]]:
    """What every table of the index says, without the numbers that a row happened to get."""
    with psycopg.connect(server.superuser()) as connected:
        db: Any = connected
        schema = url.rpartition("schema=")[2]
        db.execute("SELECT set_config('search_path', %s, false)", (f"{schema}, public",))
        return {
            query: sorted(db.execute(query).fetchall())
            for query in (
                "SELECT id, json, scope FROM records",
                "SELECT id, status, name, path FROM memories JOIN scopes USING (scope)",
                "SELECT id, term, head, body FROM postings JOIN memories USING (memory)",
                "SELECT id, what, value FROM labels JOIN memories USING (memory)",
                "SELECT id, target FROM links JOIN memories ON memory = links.source",
                "SELECT id, signature FROM signatures JOIN memories USING (memory)",
                "SELECT id, vector::text FROM memory_vectors JOIN memories USING (memory)",
                "SELECT path, documents, length FROM scopes",
                "SELECT count(*) FROM unembedded",
                "SELECT count(*) FROM places",
                "SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema",
                "SELECT value FROM meta",
            )
        }


def test_it_is_the_same_book(tmp_path: Path) -> None:
    server.need_pgvector()
    herons = [heron(n) for n in range(40)]
    url = server.made(tmp_path / "book")
    settings = Settings(state=str(tmp_path / "state"), embedder="hash")
    owner = f"{server.superuser()}&schema={url.rpartition('schema=')[2]}"
    bulk.fill(owner, heron, len(herons), processes=1)
    with open_book(url, settings=settings, background=False) as book:
        engine = book._engine  # pyright: ignore[reportPrivateUsage]
        before = indexed(url)
        embedder = HashingEmbedder()
        engine.index.reset()
        engine.index.use_model(embedder.model, embedder.dimensions)
        places = tuple(Document(f"id:{one.id}", (one,)) for one in herons)
        engine.index.apply(Changes(40, places))
        waiting = engine.index.unembedded(visible=EVERYTHING, limit=100)
        made = embedder.embed([one.content for one in waiting.values()])
        vectors = {key: [vector] for key, vector in zip(waiting, made, strict=True)}
        engine.index.put_vectors(vectors, model=embedder.model, dimensions=embedder.dimensions)
        after = indexed(url)
        hit = book.as_context({"org": "acme", "user": "u1", "role": "member"}).recall("heron 7")[0]
    for query, rows in before.items():
        assert rows == after[query], query
    assert hit.memory.title == "heron 7"
    server.give_back(tmp_path / "book")
