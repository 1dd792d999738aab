"""LangGraph's SQLite store (`SqliteStore`), with its index for search by meaning.

Mode: `from_conn_string` with an index on the field `text`; a scope is a namespace. Vectors are
handed in as the index's `embed` function, as its documentation describes.
Cannot: rank by words; know that a fact changed (a `put` under the same key would replace it).
"""

from __future__ import annotations

from protocol import DIMENSIONS, Adapter, Item, embed, load_extensions, serve

load_extensions()

from langgraph.store.base import PutOp
from langgraph.store.sqlite import SqliteStore

MOST = 1_000_000


class LangGraph(Adapter):
    def open(self, folder: str) -> None:
        index = {"dims": DIMENSIONS, "embed": embed, "fields": ["text"]}
        self.context = SqliteStore.from_conn_string(f"{folder}/store.db", index=index)
        self.store = self.context.__enter__()
        self.store.setup()

    def fill(self, items: list[Item]) -> None:
        self.store.batch(
            [PutOp(("notes", one["scope"]), one["id"], {"text": one["text"]}) for one in items]
        )

    def save(self, item: Item) -> None:
        self.store.put(("notes", item["scope"]), item["id"], {"text": item["text"]})

    def search(self, text: str, scope: str, limit: int, asked: str | None) -> list[str]:
        return [one.key for one in self.store.search(("notes", scope), query=text, limit=limit)]

    def kept(self, scope: str) -> list[str]:
        return [one.key for one in self.store.search(("notes", scope), limit=MOST)]

    def close(self) -> None:
        self.context.__exit__(None, None, None)


if __name__ == "__main__":
    serve(LangGraph())
