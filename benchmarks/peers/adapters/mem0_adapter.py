"""mem0's open-source library, with its default store, Qdrant in a local folder.

Mode: `add(…, infer=False)`, which its documentation gives for storing a text as it is, without a
language model; a scope is a `user_id`. Vectors are handed in by an embedder of its own base class.
Cannot, without a download: its keyword part (fastembed's `Qdrant/bm25`) and its entity part (a
spaCy model); both are off here. Extracting facts and updating old ones needs a language model.
"""

from __future__ import annotations

import os

from protocol import DIMENSIONS, Adapter, Item, embed, serve

os.environ["MEM0_TELEMETRY"] = "false"
MOST = 1_000_000


class Mem0(Adapter):
    def open(self, folder: str) -> None:
        os.environ["MEM0_DIR"] = f"{folder}/mem0"
        from mem0 import Memory
        from mem0.embeddings.base import EmbeddingBase
        from mem0.utils.factory import EmbedderFactory

        class Handed(EmbeddingBase):
            def embed(self, text: str, memory_action: str | None = None) -> list[float]:
                return embed([text])[0]

        # It has no setting for one's own function but an embedder that imports all of LangChain.
        EmbedderFactory.create = staticmethod(lambda *given: Handed())
        store = {"path": f"{folder}/qdrant", "on_disk": True, "embedding_model_dims": DIMENSIONS}
        self.memory = Memory.from_config(
            {
                "llm": {"provider": "openai", "config": {"api_key": "unused"}},
                "vector_store": {"provider": "qdrant", "config": store},
                "history_db_path": f"{folder}/history.db",
            }
        )

    def save(self, item: Item) -> None:
        self.memory.add(
            item["text"], user_id=item["scope"], metadata={"given_id": item["id"]}, infer=False
        )

    def search(self, text: str, scope: str, limit: int, asked: str | None) -> list[str]:
        # Its threshold cuts off what is unlike the question; 0 gives it every place.
        found = self.memory.search(text, top_k=limit, filters={"user_id": scope}, threshold=0.0)
        return [one["metadata"]["given_id"] for one in found["results"]]

    def kept(self, scope: str) -> list[str]:
        found = self.memory.get_all(filters={"user_id": scope}, top_k=MOST)
        return [one["metadata"]["given_id"] for one in found["results"]]

    def close(self) -> None:
        self.memory.close()


if __name__ == "__main__":
    serve(Mem0())
