"""Plain SQLite FTS5: the keyword search that every Python has.

Mode: one table with the porter stemmer, ranked by BM25; a question is its words, joined by OR. WAL
with synchronous=FULL, so that a save is on the disk when it returns.
Cannot: search by meaning; know that a fact changed.
"""

from __future__ import annotations

import re
import sqlite3

from protocol import Adapter, Item, serve


class Fts5(Adapter):
    def open(self, folder: str) -> None:
        self.db = sqlite3.connect(f"{folder}/notes.db", isolation_level=None)
        self.db.execute("PRAGMA journal_mode=WAL")
        self.db.execute("PRAGMA synchronous=FULL")
        self.db.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS notes USING fts5"
            "(text, id UNINDEXED, scope UNINDEXED, tokenize='porter unicode61')"
        )

    def fill(self, items: list[Item]) -> None:
        self.db.execute("BEGIN")
        for item in items:
            self.save(item)
        self.db.execute("COMMIT")

    def save(self, item: Item) -> None:
        row = item["text"], item["id"], item["scope"]
        self.db.execute("INSERT INTO notes (text, id, scope) VALUES (?, ?, ?)", row)

    def search(self, text: str, scope: str, limit: int, asked: str | None) -> list[str]:
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", text))
        found = self.db.execute(
            "SELECT id FROM notes WHERE notes MATCH ? AND scope = ? ORDER BY rank LIMIT ?",
            (words, scope, limit),
        )
        return [id for (id,) in found]

    def kept(self, scope: str) -> list[str]:
        return [id for (id,) in self.db.execute("SELECT id FROM notes WHERE scope = ?", (scope,))]

    def close(self) -> None:
        self.db.close()


if __name__ == "__main__":
    serve(Fts5())
