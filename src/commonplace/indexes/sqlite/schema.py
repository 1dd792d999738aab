"""The tables of the index, and opening a file that may be missing, broken or somebody else's.

Every word is stored as `word:scope`, and for a task's memory as `word|parent` too: the list of
texts that hold a word is one list per scope. Reading it costs what the caller can see, not what
is stored, and counting it gives the caller's own statistics, which no invisible memory changes.
"""

# ruff: noqa: S608 - every piece of SQL here is our own; a caller's values are always bound.

from __future__ import annotations

import os

from ... import sqlite
from ...errors import Damaged, IndexUnavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...sqlite import Database

FORMAT = 10
"""Raise this when a table, what is kept in it or what `rules.words` makes of a text changes.

Files of another format are rebuilt.
"""

# Our own tokens arrive ready, so that FTS5 has only to split them at spaces.
_TOKENIZER = """ascii tokenchars '!#$%&()*+,-./:;<=>?@[]^_{|}~'"""

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
    has_number INTEGER NOT NULL
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

CREATE TABLE signatures (
    scope INTEGER NOT NULL, signature INTEGER NOT NULL, memory INTEGER NOT NULL,
    PRIMARY KEY (scope, signature, memory)
) WITHOUT ROWID;

CREATE VIRTUAL TABLE words USING fts5(
    head, body, content='', columnsize=0, detail=full, tokenize="{_TOKENIZER}"
);
INSERT INTO words (words, rank) VALUES ('automerge', 2);
CREATE VIRTUAL TABLE word_counts USING fts5vocab(words, row);
CREATE VIRTUAL TABLE word_places USING fts5vocab(words, instance);
"""


_EMPTIED = (
    "places", "scopes", "memories", "documents", "labels", "links",
    "vector_models", "vector_chunks", "vector_homes", "passage_vectors", "unembedded",
    "signatures",
)  # fmt: skip


def open_index(path: str) -> Database:
    """The index at that path; whatever is there and cannot be used is replaced by an empty one."""
    try:
        return _open(path)
    except Damaged:
        remove(path)
        return _open(path)


def clear(db: Database) -> None:
    """Empty every table, leaving nothing to read in the file; runs inside a transaction."""
    db.execute("INSERT INTO words (words) VALUES ('delete-all')")
    for table in _EMPTIED:
        db.execute(f"DELETE FROM {table}")
    # Rows are never used twice: whoever still works on an old one must not meet another text.
    db.execute("UPDATE meta SET value = 0 WHERE name <> 'last_row'")


def remove(path: str) -> None:
    """Delete the file and its logs."""
    for name in (path, f"{path}-wal", f"{path}-shm"):
        try:
            os.unlink(name)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise sqlite.in_words(error, IndexUnavailable, "The search index") from error


def _open(path: str) -> Database:
    db = sqlite.connect(path, durable=False, failure=IndexUnavailable)
    try:
        with sqlite.mapped(IndexUnavailable, "The search index"):
            db.execute("PRAGMA cache_size=-65536")
            _create(db)
    except BaseException:
        db.close()
        raise
    return db


def _create(db: Database) -> None:
    if _format(db) == FORMAT:
        return
    with sqlite.transaction(db):
        # Another process may have made the tables while this one waited for its turn.
        if _format(db) == FORMAT:
            return
        if _format(db) or db.execute("SELECT count(*) FROM sqlite_schema").get:
            raise Damaged("The search index has another format.")
        db.execute(f"{_TABLES}; PRAGMA user_version={FORMAT}")


def _format(db: Database) -> int:
    return db.execute("PRAGMA user_version").get
