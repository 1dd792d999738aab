"""Every search index there is, with vectors beside the words and without."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from commonplace.backends.neural.fallback import HashingEmbedder
from commonplace.backends.sql.sqlite.index import SqliteIndex
from commonplace.model.scope import EVERYTHING
from commonplace.ports.record_store import Changes
from commonplace.ports.search_index import Gathered, SearchIndex
from commonplace.ports.vector_engine import VectorEngine


def postgres_index(
    path: str, *, pgvector: bool = True, engine: VectorEngine | None = None
) -> SearchIndex:
    """An index on the tests' server, in a schema that belongs to a path."""
    from commonplace.backends.sql.postgres.database import PostgresAddress
    from commonplace.backends.sql.postgres.index import PostgresIndex
    from tests.backends.postgres import server

    class GivenBack(PostgresIndex):
        def close(self) -> None:
            super().close()
            server.give_back(path)

    return GivenBack(PostgresAddress.parse(server.made(path)), pgvector=pgvector, engine=engine)


def sqlite_with_milvus(path: str) -> SearchIndex:
    """SQLite's index, with its vectors in the tests' file of Milvus Lite."""
    from tests.backends.milvus import lite

    return SqliteIndex(path, lite.new_engine())


def postgres_with_milvus(path: str) -> SearchIndex:
    """An index on a server without pgvector, with its vectors in the tests' file of Milvus Lite."""
    from tests.backends.milvus import lite

    return postgres_index(path, pgvector=False, engine=lite.new_engine())


INDEXES: dict[str, Callable[[str], SearchIndex]] = {
    "sqlite": SqliteIndex,
    "postgresql": postgres_index,
}
ENGINES: dict[str, Callable[[str], SearchIndex]] = {
    "sqlite and milvus": sqlite_with_milvus,
    "postgresql and milvus": postgres_with_milvus,
}
"""Indexes whose vectors are in a vector engine; their words are those of `INDEXES`."""
OpenIndex = Callable[[], SearchIndex]


class Embedding:
    """An index whose memories have their vectors at once, and are asked for by meaning as well."""

    def __init__(self, index: SearchIndex) -> None:
        self._index = index
        self._embedder = HashingEmbedder()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)

    def apply(self, changes: Changes) -> None:
        self._index.apply(changes)
        assert "vector" in self._index.capabilities
        model, dimensions = self._embedder.model, self._embedder.dimensions
        self._index.use_model(model, dimensions)
        while waiting := self._index.unembedded(visible=EVERYTHING, limit=100):
            made = {key: self._embedder.embed([one.content]) for key, one in waiting.items()}
            assert self._index.put_vectors(made, model=model, dimensions=dimensions)

    def gather(self, words: Mapping[str, str], vector: bytes | None, **how: Any) -> Gathered:
        assert vector is None
        [vector] = self._embedder.embed([" ".join(words.values())], query=True)
        return self._index.gather(words, vector, model=self._embedder.model, **how)


def with_vectors(open: Callable[[str], SearchIndex]) -> Callable[[str], Any]:
    """Opens the same index, with a vector for every memory."""

    def opened(path: str) -> Embedding:
        if open is postgres_index:
            from tests.backends.postgres import server

            server.need_pgvector()
        return Embedding(open(path))

    return opened


OPENINGS: dict[str, Callable[[str], Any]] = {
    **INDEXES,
    # As where the server has no pgvector.
    "postgresql": lambda path: postgres_index(path, pgvector=False),
    **{f"{name} with vectors": with_vectors(open) for name, open in INDEXES.items()},
}
"""Each index by words alone, and with an embedder."""
