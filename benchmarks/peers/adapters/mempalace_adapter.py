"""MemPalace: verbatim drawers in ChromaDB, its default backend.

Mode: a drawer per memory, filed with the MCP tool `add_drawer`, many at once as its miner files
them; a scope is a wing. Search is `search_memories` with candidates by vectors and by words
(`candidate_strategy="union"`), which found more than its default here (all@10 .81, not .76, on 156
questions). Vectors are handed in in place of its `get_embedding_function`.
Cannot: know that a fact changed; an agent may end facts in its knowledge graph by hand.
"""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

from protocol import DIMENSIONS, Adapter, Item, embed, serve

BATCH = 500


class Mempalace(Adapter):
    def open(self, folder: str) -> None:
        os.environ.update(
            MEMPALACE_PALACE_PATH=f"{folder}/palace",
            HOME=folder,  # Its settings and its log of writes are made in the home folder.
            ANONYMIZED_TELEMETRY="False",
        )
        from chromadb import EmbeddingFunction
        from mempalace import embedding

        class Handed(EmbeddingFunction):
            def __init__(self) -> None:
                pass

            def __call__(self, input: list[str]) -> list[list[float]]:
                return embed(list(input))

            @staticmethod
            def name() -> str:
                return "default"

        handed = Handed()
        embedding.get_embedding_function = lambda *given, **settings: handed
        embedding.probe_dimension = lambda *given, **settings: DIMENSIONS
        from mempalace.palace import get_collection

        self.palace = f"{folder}/palace"
        Path(self.palace).mkdir(exist_ok=True)
        self.drawers = get_collection(self.palace, create=True)

    def fill(self, items: list[Item]) -> None:
        from mempalace.ids import make_drawer_id_from_content

        for start in range(0, len(items), BATCH):
            batch = items[start : start + BATCH]
            self.drawers.upsert(
                ids=[make_drawer_id_from_content(i["scope"], "notes", i["text"]) for i in batch],
                documents=[item["text"] for item in batch],
                metadatas=[_metadata(item) for item in batch],
            )

    def save(self, item: Item) -> None:
        from mempalace.mcp_server import tool_add_drawer

        done = tool_add_drawer(item["scope"], "notes", item["text"], source_file=item["id"])
        if not done.get("success"):
            raise RuntimeError(str(done))

    def search(self, text: str, scope: str, limit: int, asked: str | None) -> list[str]:
        from mempalace.searcher import search_memories

        found = search_memories(
            text, self.palace, wing=scope, n_results=limit, candidate_strategy="union"
        )
        if "results" not in found:
            raise RuntimeError(str(found))
        return [one["source_path"] for one in found["results"]]

    def kept(self, scope: str) -> list[str]:
        found = self.drawers.get(where={"wing": scope}, include=["metadatas"])
        return [one["source_file"] for one in found["metadatas"]]


def _metadata(item: Item) -> dict[str, object]:
    filed = datetime.now().isoformat()
    return {
        "wing": item["scope"],
        "room": "notes",
        "source_file": item["id"],
        "added_by": "mcp",
        "filed_at": filed,
        "last_modified": filed,
        "chunk_index": 0,
    }


if __name__ == "__main__":
    serve(Mempalace())
