"""Commonplace: a vault of markdown notes with the embedder and the judge of the package.

Mode: the defaults of `commonplace.open`; a scope is a project. It computes its own vectors, in
the process that is measured; the others get theirs from the driver.
Cannot: store a text with a credential; such turns count as not found.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from protocol import Adapter, Item, serve

import commonplace


def _draft(item: Item) -> dict[str, Any]:
    draft: dict[str, Any] = {"scope": {"project": item["scope"]}, "imported_id": item["id"]}
    if item.get("time"):
        draft["created"] = datetime.fromisoformat(item["time"])
    for name in ("speaker", "episode", "position"):
        if item.get(name) is not None:
            draft[name] = item[name]
    return draft


class Commonplace(Adapter):
    def open(self, folder: str) -> None:
        settings = commonplace.Settings(state=f"{folder}/state")
        self.book = commonplace.open(f"vault:{folder}/notes", settings=settings)

    def fill(self, items: list[Item]) -> None:
        drafts = [{"content": one.get("said", one["text"]), **_draft(one)} for one in items]
        try:
            self.book.save_many(drafts)
        except commonplace.Refused as error:  # Texts with a credential stay out, as it asks for.
            refused = set(error.places)
            self.book.save_many([one for n, one in enumerate(drafts) if n not in refused])

    def save(self, item: Item) -> None:
        self.book.save(item.get("said", item["text"]), **_draft(item))

    def search(self, text: str, scope: str, limit: int, asked: str | None) -> list[str]:
        as_of = None
        if asked:  # Sets give a day without an hour, and the answer may have come later on it.
            day = datetime.fromisoformat(asked).replace(hour=0, minute=0, second=0, microsecond=0)
            as_of = day + timedelta(days=1, milliseconds=-1)
        book = self.book.as_context({"project": scope})
        return [hit.memory.imported_id or "" for hit in book.recall(text, limit=limit, as_of=as_of)]

    def kept(self, scope: str) -> list[str]:
        book = self.book.as_context({"project": scope})
        return [memory.imported_id or "" for memory in book.export()]

    def settle(self) -> None:
        while self.book.waiting_for_vectors:
            self.book.embed_waiting()

    def close(self) -> None:
        self.book.close()


if __name__ == "__main__":
    serve(Commonplace())
