"""Chroma: a vector database, embedded in the program (`PersistentClient`).

Mode: one collection with cosine distance; a scope is a field of the metadata. Vectors are handed in
by an embedding function, as its documentation describes.
Cannot: rank by words (the local client only filters by substrings); know that a fact changed.
"""

from __future__ import annotations

from typing import Any

import chromadb
from chromadb.config import Settings
from protocol import Adapter, Item, embed, serve


class Chroma(Adapter):
    def open(self, folder: str) -> None:
        client = chromadb.PersistentClient(folder, settings=Settings(anonymized_telemetry=False))
        self.notes = client.get_or_create_collection(
            "notes", embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
        )

    def fill(self, items: list[Item]) -> None:
        texts = [item["text"] for item in items]
        self.notes.add(
            ids=[item["id"] for item in items],
            documents=texts,
            embeddings=embed(texts),
            metadatas=[_metadata(item) for item in items],
        )

    def save(self, item: Item) -> None:
        self.fill([item])

    def search(self, text: str, scope: str, limit: int, asked: str | None) -> list[str]:
        found = self.notes.query(
            query_embeddings=embed([text]), n_results=limit, where={"scope": scope}, include=[]
        )
        return found["ids"][0]

    def kept(self, scope: str) -> list[str]:
        return self.notes.get(where={"scope": scope}, include=[])["ids"]


def _metadata(item: Item) -> dict[str, Any]:
    return {"scope": item["scope"], "time": item.get("time") or ""}


if __name__ == "__main__":
    serve(Chroma())
