"""The tables of the SQLite index: their schema, opening the file, and reading postings from FTS5.

FTS5 stores every word as `word:scope`, and for a task's memory as `word|parent` as well.
"""

# ruff: noqa: S608 - every piece of SQL here is our own; a caller's values are always bound.

from __future__ import annotations

import zlib

from ....language import similarity
from ....model.errors import Damaged
from ....model.quick_json import write_json
from ...common import sqlite
from ..index.candidates import HEAD, IN_HEAD
from ..index.tables import Dialect
from ..index.values import valid_unicode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from ....model.scope import Visible
    from ...common.sqlite import Cursor, SqliteConnection
    from ..index.tables import Places, Postings, VectorQuery, VisibleScopes


_WORD, _TASK_WORD = ":", "|"
"""The separators between a word and its scope, or the parent scope of its task."""
_PLACE = (
    f"doc, CASE WHEN col = 'head' THEN {IN_HEAD}"
    f" WHEN doc % {similarity.STEPS} < {similarity.LONG_STEP} THEN 0"
    f" ELSE offset / {similarity.HALF} END"
)
"""A memory, and the place of a word in it: the head, or half a window of a long text."""
_SIGNED = (
    "SELECT memory FROM signatures WHERE scope = ? AND signature = ? ORDER BY memory DESC LIMIT ?"
)


def _bind(values: Iterable[object]) -> str:
    return write_json(list(values))


def pack(document: bytes) -> bytes:
    """A document behind its checksum: SQLite does not notice a changed byte of a text."""
    return zlib.crc32(document).to_bytes(4, "big") + document


def _unpack(packed: bytes) -> bytes:
    document = packed[4:]
    if packed[:4] != zlib.crc32(document).to_bytes(4, "big"):
        raise ValueError("A document of the search index was changed.")
    return document


DIALECT = Dialect(
    one_of="IN (SELECT value FROM json_each(?))",
    rows="json_each(?) AS wanted CROSS JOIN memories AS {0} ON {0}.memory = wanted.value",
    ending="substr(path.value, -length(?) - 1) = '/' || ?",
    document="d.json",
    documents=" JOIN documents AS d ON d.memory = m.memory",
    bind=_bind,
    text=valid_unicode,
    unpack=_unpack,
)


class SqliteTables:
    """The tables in one SQLite file."""

    dialect = DIALECT

    def __init__(self, db: SqliteConnection, *, external: bool = False) -> None:
        self.db = db
        self.seen: tuple[Visible, VisibleScopes] | None = None
        self.external = external
        """Whether vectors are stored in a vector engine instead of these tables."""

    def execute(self, query: str, values: Sequence[object] = ()) -> Cursor:
        """Run a statement that has `?` for each value."""
        return self.db.execute(query, values)

    def execute_many(self, query: str, rows: Sequence[Sequence[object]]) -> None:
        """Run a statement once for each row of values."""
        self.db.executemany(query, rows)

    def frequencies(self, words: Sequence[str], seen: VisibleScopes) -> dict[str, int]:
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
            (write_json(list(stored)),),
        ):
            counts[stored[term]] += count
        return counts

    def postings(self, words: Sequence[str], seen: VisibleScopes) -> tuple[Postings, Places]:
        """How often each visible memory contains each word; for long ones also where."""
        postings: Postings = {}
        places: Places = {}
        for word in words:
            found = postings[word] = {}
            for memory, half in self._occurrences(word, seen):
                weight = HEAD if half == IN_HEAD else 1.0
                found[memory] = found.get(memory, 0.0) + weight
                if memory % similarity.STEPS >= similarity.LONG_STEP:
                    halves = places.setdefault(memory, {}).setdefault(word, {})
                    halves[half] = halves.get(half, 0.0) + weight
        return postings, places

    def rows_with_signatures(self, pairs: Collection[tuple[int, int]], most: int) -> set[int]:
        """The newest rows, `most` for each pair of a scope and a signature."""
        found = self.db.executemany(_SIGNED, [(*pair, most) for pair in pairs])
        return {row for (row,) in found}

    def nearest(self, query: VectorQuery, seen: VisibleScopes) -> dict[int, float]:
        """Cosines of the closest visible memories, and of the rows in `query.also`."""
        from .vectors import nearest

        return nearest(self.db, query, seen)

    def passages(self, rows: Collection[int], model: int) -> list[tuple[int, bytes]]:
        """The passage vectors of these memories, end to end; left out where there are none."""
        stored = self.db.execute(
            "SELECT memory, vectors FROM json_each(?) AS wanted"
            " CROSS JOIN passage_vectors ON memory = wanted.value AND model = ?",
            (write_json(list(rows)), model),
        ).fetchall()
        return [(row, vectors) for row, vectors in stored]

    def put_vectors(
        self, vectors: Mapping[int, Sequence[bytes]], model: int, *, complete: bool
    ) -> None:
        """Store vectors for memories that wait for them; unless complete, these go on waiting."""
        from .vectors import put

        put(self.db, vectors, model, complete=complete)

    def queue_all(self, model: int) -> None:
        """Queue every memory for this model's vectors."""
        self.db.execute("INSERT OR IGNORE INTO unembedded SELECT memory, ? FROM memories", (model,))

    def drop_model(self, model: int) -> None:
        """Delete a model, its vectors and its queue."""
        from .vectors import drop

        drop(self.db, model)

    def _occurrences(self, word: str, seen: VisibleScopes) -> Cursor:
        if seen.everything:
            return self.db.execute(
                f"SELECT {_PLACE} FROM word_places WHERE term >= ? AND term < ?",
                _every_scope(word),
            )
        return self.db.execute(
            f"SELECT {_PLACE} FROM json_each(?) AS asked"
            " CROSS JOIN word_places ON term = asked.value",
            (write_json([f"{word}{ending}" for ending in _endings(seen)]),),
        )


def scoped_words(words: list[str], scope: int, parent: int | None) -> str:
    """Words as FTS5 stores them."""
    mine = f"{_WORD}{scope} "
    stored = mine.join(words) + mine if words else ""
    if parent is not None and words:
        parents = f"{_TASK_WORD}{parent} "
        stored += parents.join(words) + parents
    return stored


def _endings(seen: VisibleScopes) -> list[str]:
    """The suffixes of stored words in the visible scopes."""
    return [f"{_WORD}{n}" for n in seen.scopes] + [f"{_TASK_WORD}{n}" for n in seen.parents]


def _every_scope(word: str) -> tuple[str, str]:
    """The first and the last stored form of a word, over all scopes."""
    return f"{word}{_WORD}", f"{word}{chr(ord(_WORD) + 1)}"


FORMAT = 13
"""Raise this when a table, its content or the stemming in `language.words` changes.

Files of another format are rebuilt.
"""

# Texts arrive as our own tokens: FTS5 only splits them at spaces.
_TOKENIZER = """ascii tokenchars '!#$%&()*+,-./:;<=>?@[]^_{|}~'"""

WORDS_TABLES = f"""
CREATE VIRTUAL TABLE words USING fts5(
    head, body, content='', columnsize=0, detail=full, tokenize="{_TOKENIZER}"
);
INSERT INTO words (words, rank) VALUES ('automerge', 2);
CREATE VIRTUAL TABLE word_counts USING fts5vocab(words, row);
CREATE VIRTUAL TABLE word_places USING fts5vocab(words, instance);
"""
_TABLES = f"""
CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO meta VALUES ('revision', 0), ('last_row', 0), ('residue', 0);

CREATE TABLE places (place INTEGER PRIMARY KEY, revision INTEGER NOT NULL);

CREATE TABLE scopes (
    scope INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, parent INTEGER,
    documents INTEGER NOT NULL DEFAULT 0, length INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX scopes_of_parent ON scopes (parent) WHERE parent IS NOT NULL;

CREATE TABLE memories (
    memory INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, place INTEGER NOT NULL,
    names INTEGER NOT NULL, scope INTEGER NOT NULL, parent INTEGER,
    status TEXT NOT NULL, own_status TEXT NOT NULL, kind TEXT NOT NULL, tier TEXT NOT NULL,
    owner TEXT NOT NULL, sensitivity TEXT NOT NULL, trust TEXT NOT NULL, topic TEXT,
    key TEXT, namespace TEXT, content_hash TEXT NOT NULL, episode TEXT, position INTEGER,
    always_load INTEGER NOT NULL, supersedes TEXT, superseded_by TEXT, imported_id TEXT,
    created REAL NOT NULL, updated REAL NOT NULL, valid_from REAL, valid_until REAL,
    expires REAL, name TEXT NOT NULL, source TEXT NOT NULL, confidence REAL NOT NULL,
    speaker TEXT, words INTEGER NOT NULL, asks INTEGER NOT NULL, has_time INTEGER NOT NULL,
    has_number INTEGER NOT NULL, importance REAL
);
CREATE INDEX memories_of_place ON memories (place);
CREATE INDEX memories_of_scope ON memories (scope, created);
CREATE INDEX memories_of_parent ON memories (parent, created) WHERE parent IS NOT NULL;
CREATE INDEX memories_by_age ON memories (created);
CREATE INDEX memories_of_hash ON memories (content_hash);
CREATE INDEX memories_of_key ON memories (key) WHERE key IS NOT NULL;
CREATE INDEX memories_of_episode ON memories (episode, position) WHERE episode IS NOT NULL;
CREATE INDEX memories_of_old ON memories (supersedes) WHERE supersedes IS NOT NULL;
CREATE INDEX memories_of_new ON memories (superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX memories_of_import ON memories (imported_id) WHERE imported_id IS NOT NULL;
CREATE INDEX memories_of_speaker ON memories (scope, speaker) WHERE speaker IS NOT NULL;
CREATE INDEX memories_of_topic ON memories (scope, topic) WHERE topic IS NOT NULL;
CREATE INDEX memories_always ON memories (scope) WHERE always_load;

CREATE TABLE documents (memory INTEGER PRIMARY KEY, json BLOB NOT NULL);

CREATE TABLE labels (
    what TEXT NOT NULL, value TEXT NOT NULL, memory INTEGER NOT NULL,
    PRIMARY KEY (what, value, memory)
) WITHOUT ROWID;
CREATE INDEX labels_of_memory ON labels (memory);

CREATE TABLE links (
    source INTEGER NOT NULL, position INTEGER NOT NULL, target TEXT NOT NULL,
    ending TEXT NOT NULL, text TEXT NOT NULL, heading TEXT, alias TEXT, embed INTEGER NOT NULL,
    PRIMARY KEY (source, position)
) WITHOUT ROWID;
CREATE INDEX links_by_ending ON links (ending);

CREATE TABLE vector_models (
    model INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, in_use INTEGER NOT NULL
);
CREATE TABLE vector_chunks (
    chunk INTEGER PRIMARY KEY, model INTEGER NOT NULL, scope INTEGER NOT NULL,
    owners BLOB NOT NULL, vectors BLOB NOT NULL
);
CREATE INDEX vector_chunks_of_scope ON vector_chunks (model, scope);
CREATE TABLE vector_homes (
    memory INTEGER NOT NULL, model INTEGER NOT NULL, chunk INTEGER NOT NULL, slot INTEGER NOT NULL,
    PRIMARY KEY (memory, model)
) WITHOUT ROWID;
CREATE INDEX vector_homes_of_chunk ON vector_homes (chunk);
CREATE TABLE passage_vectors (
    memory INTEGER NOT NULL, model INTEGER NOT NULL, vectors BLOB NOT NULL,
    PRIMARY KEY (memory, model)
);
CREATE TABLE unembedded (
    memory INTEGER NOT NULL, model INTEGER NOT NULL, PRIMARY KEY (memory, model)
) WITHOUT ROWID;
CREATE TABLE removed_vectors (
    model INTEGER NOT NULL, memory INTEGER NOT NULL, PRIMARY KEY (model, memory)
) WITHOUT ROWID;

CREATE TABLE signatures (
    scope INTEGER NOT NULL, signature INTEGER NOT NULL, memory INTEGER NOT NULL,
    PRIMARY KEY (scope, signature, memory)
) WITHOUT ROWID;

{WORDS_TABLES}
"""


_EMPTIED = (
    "places", "scopes", "memories", "documents", "labels", "links",
    "vector_models", "vector_chunks", "vector_homes", "passage_vectors", "unembedded",
    "removed_vectors", "signatures",
)  # fmt: skip


def clear(db: SqliteConnection) -> None:
    """Empty every table, leaving nothing to read in the file; runs inside a transaction."""
    db.execute("INSERT INTO words (words) VALUES ('delete-all')")
    for table in _EMPTIED:
        db.execute(f"DELETE FROM {table}")
    # Rows are never used twice: a vector on its way must not end up with another text.
    db.execute("UPDATE meta SET value = 0 WHERE name <> 'last_row'")
    _begin(db)


def make_tables(db: SqliteConnection) -> None:
    """Make the tables of a new file; raises Damaged for a file of another format."""
    db.execute("PRAGMA cache_size=-65536")
    if _format(db) == FORMAT:
        return
    with sqlite.transaction(db):
        # Another process may have made the tables while this one waited for its turn.
        if _format(db) == FORMAT:
            return
        if _format(db) or db.execute("SELECT count(*) FROM sqlite_schema").get:
            raise Damaged("The search index is of another version of Commonplace.")
        db.execute(f"{_TABLES}; PRAGMA user_version={FORMAT}")
        _begin(db)


def _begin(db: SqliteConnection) -> None:
    """Let readers see that another index has begun, in which the rows have other numbers."""
    db.execute("INSERT OR REPLACE INTO meta VALUES ('begun', random())")


def _format(db: SqliteConnection) -> int:
    return db.execute("PRAGMA user_version").get
