"""memsearch: markdown files, indexed in Milvus Lite.

Mode: a file per memory, in a folder per scope; `index_file` after each, as its watcher does; search
by vectors and BM25 together, its default, limited to the folder of the scope. Vectors are handed in
by a provider of its own protocol. Its search by words needs no download.
Cannot: know that a fact changed. Markdown stands after a kill even where the index does not; what
counts here is what a search can still give after indexing again, as its documentation says to.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import memsearch.embeddings
from memsearch import MemSearch
from protocol import DIMENSIONS, Adapter, Item, embed, serve


class Handed:
    """An embedding provider that has its vectors from the driver."""

    model_name = "commonplace-1"
    dimension = DIMENSIONS
    batch_size = 256

    def __init__(self, **settings: object) -> None:
        pass

    async def embed(self, texts: list[str]) -> list[list[float]]:
        return embed(texts)


class Memsearch(Adapter):
    def open(self, folder: str) -> None:
        memsearch.embeddings._PROVIDERS["handed"] = ("handed_vectors", "Handed")
        sys.modules["handed_vectors"] = sys.modules[__name__]
        self.folder = Path(folder) / "memory"
        self.folder.mkdir(exist_ok=True)
        self.loop = asyncio.new_event_loop()
        uri = f"{folder}/milvus.db"
        self.memory = MemSearch([self.folder], embedding_provider="handed", milvus_uri=uri)

    def fill(self, items: list[Item]) -> None:
        for item in items:
            self._write(item)
        self.loop.run_until_complete(self.memory.index())

    def save(self, item: Item) -> None:
        self.loop.run_until_complete(self.memory.index_file(self._write(item)))

    def _write(self, item: Item) -> Path:
        path = self.folder / item["scope"] / f"{item['id']}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(item["text"] + "\n", encoding="utf-8")
        return path

    def search(self, text: str, scope: str, limit: int, asked: str | None) -> list[str]:
        place = f"{self.folder / scope}/"
        found = self.loop.run_until_complete(
            self.memory.search(text, top_k=limit, source_prefix=place)
        )
        return list(dict.fromkeys(Path(one["source"]).stem for one in found))

    def kept(self, scope: str) -> list[str]:
        self.loop.run_until_complete(self.memory.index())
        sources = (Path(one) for one in self.memory._store.indexed_sources())
        return [source.stem for source in sources if source.parent.name == scope]

    def close(self) -> None:
        self.memory.close()


if __name__ == "__main__":
    serve(Memsearch())
