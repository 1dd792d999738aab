"""The tables of the index as SQLite reads them: lists of words in FTS5, and its own SQL.

FTS5 stores every word as `word:scope`, and for a task's memory as `word|parent` too: see `schema`.
"""

# ruff: noqa: S608 - every piece of SQL here is our own; a caller's values are always bound.

from __future__ import annotations

import json
from collections import Counter

from ...rules.text import bm25
from ..rows import clean
from ..sql.conditions import Dialect
from ..sql.gathering import HEAD, IN_HEAD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from ...sqlite import Cursor, Database
    from ..sql.conditions import Reach
    from ..sql.gathering import Meant
    from ..sql.tables import Places, Postings

_WORD, _TASK_WORD = ":", "|"
"""What stands between a word and the scope that it was said in, or the parent of its task."""
_PLACE = (
    f"doc, CASE WHEN col = 'head' THEN {IN_HEAD}"
    f" WHEN doc % {bm25.STEPS} < {bm25.LONG_STEP} THEN 0 ELSE offset / {bm25.HALF} END"
)
"""A memory, and where it says a word: in its head, or in which part of a long text."""
_SIGNED = (
    "SELECT memory FROM signatures WHERE scope = ? AND signature = ? ORDER BY memory DESC LIMIT ?"
)


def _bind(values: Iterable[object]) -> str:
    return json.dumps(list(values))


DIALECT = Dialect(
    one_of="IN (SELECT value FROM json_each(?))",
    rows="json_each(?) AS wanted CROSS JOIN memories AS {0} ON {0}.memory = wanted.value",
    ending="substr(path.value, -length(?) - 1) = '/' || ?",
    document="d.json",
    documents=" JOIN documents AS d ON d.memory = m.memory",
    bind=_bind,
    text=clean,
)


class SqliteTables:
    """The tables in one SQLite file."""

    dialect = DIALECT

    def __init__(self, db: Database) -> None:
        self.db = db

    def execute(self, query: str, values: Sequence[object] = ()) -> Cursor:
        """Run a statement that has `?` for each value."""
        return self.db.execute(query, values)

    def many(self, query: str, rows: Sequence[Sequence[object]]) -> None:
        """Run a statement once for each row of values."""
        self.db.executemany(query, rows)

    def frequencies(self, words: Sequence[str], seen: Reach) -> dict[str, int]:
        """How many visible memories contain each word."""
        if seen.everything:
            return {
                word: self.db.execute(
                    "SELECT coalesce(sum(doc), 0) FROM word_counts WHERE term >= ? AND term < ?",
                    _every_scope(word),
                ).get
                for word in words
            }
        stored = {f"{word}{ending}": word for word in words for ending in _endings(seen)}
        counts = dict.fromkeys(words, 0)
        for term, count in self.db.execute(
            "SELECT term, doc FROM json_each(?) AS asked"
            " CROSS JOIN word_counts ON term = asked.value",
            (json.dumps(list(stored)),),
        ):
            counts[stored[term]] += count
        return counts

    def postings(self, words: Sequence[str], seen: Reach) -> tuple[Postings, Places]:
        """How often each visible memory says each word; for long ones also where."""
        postings: Postings = {}
        places: Places = {}
        for word in words:
            found = postings[word] = {}
            for (memory, half), times in Counter(self._said(word, seen)).items():
                weight = times * HEAD if half == IN_HEAD else times
                found[memory] = found.get(memory, 0.0) + weight
                if memory % bm25.STEPS >= bm25.LONG_STEP:
                    places.setdefault(memory, {}).setdefault(word, {})[half] = weight
        return postings, places

    def signed(self, asked: Collection[tuple[int, int]], most: int) -> set[int]:
        """The newest so many rows with each of these signatures, each given with its scope."""
        found = self.db.executemany(_SIGNED, [(*one, most) for one in asked])
        return {row for (row,) in found}

    def nearest(self, meant: Meant, seen: Reach) -> dict[int, float]:
        """Cosines of the visible memories closest in meaning, and of those asked for besides."""
        from .vectors import nearest

        return nearest(self.db, meant, seen)

    def passages(self, rows: Collection[int], model: int) -> list[tuple[int, bytes]]:
        """The vectors of these memories' passages, end to end; nothing for one without any."""
        stored = self.db.execute(
            "SELECT memory, vectors FROM json_each(?) AS wanted"
            " CROSS JOIN passage_vectors ON memory = wanted.value AND model = ?",
            (json.dumps(list(rows)), model),
        ).fetchall()
        return [(row, vectors) for row, vectors in stored]

    def put_vectors(
        self, vectors: Mapping[int, Sequence[bytes]], model: int, *, complete: bool
    ) -> None:
        """Keep the vectors of memories that wait for them; unless complete, more follow."""
        from .vectors import put

        put(self.db, vectors, model, complete=complete)

    def line_up(self, model: int) -> None:
        """Let every memory wait for this model's vectors."""
        self.db.execute("INSERT INTO unembedded SELECT memory, ? FROM memories", (model,))

    def drop_model(self, model: int) -> None:
        """Forget a model, its vectors and who waits for them."""
        from .vectors import drop

        drop(self.db, model)

    def _said(self, word: str, seen: Reach) -> Cursor:
        if seen.everything:
            return self.db.execute(
                f"SELECT {_PLACE} FROM word_places WHERE term >= ? AND term < ?",
                _every_scope(word),
            )
        return self.db.execute(
            f"SELECT {_PLACE} FROM json_each(?) AS asked"
            " CROSS JOIN word_places ON term = asked.value",
            (json.dumps([f"{word}{ending}" for ending in _endings(seen)]),),
        )


def scoped(said: list[str], scope: int, parent: int | None) -> str:
    """Words as FTS5 stores them."""
    mine = f"{_WORD}{scope} "
    stored = mine.join(said) + mine if said else ""
    if parent is not None and said:
        parents = f"{_TASK_WORD}{parent} "
        stored += parents.join(said) + parents
    return stored


def _endings(seen: Reach) -> list[str]:
    """What follows a word in the stored lists that may be read."""
    return [f"{_WORD}{n}" for n in seen.scopes] + [f"{_TASK_WORD}{n}" for n in seen.parents]


def _every_scope(word: str) -> tuple[str, str]:
    """The bounds of a word's lists in all scopes."""
    return f"{word}{_WORD}", f"{word}{chr(ord(_WORD) + 1)}"
