"""A folder of documents as a source, with an index on this device that follows its changes."""

from __future__ import annotations

import os
import time
from _thread import RLock

from ...distribution import install_command
from ...language import passages, words
from ...model.errors import BackendMissing, Unavailable
from ...ports.source import Passage
from ..common.sqlite import migrate, transaction
from ..common.sqlite_file import SqliteFile, retrying

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


TEXT_ENDINGS = (".md", ".markdown", ".txt", ".rst")
PDF_ENDING = ".pdf"
MAX_BYTES = 20_000_000
MAX_PAGES = 2_000
MAX_PASSAGES = 2_000
"""Passages per document or page."""


def is_readable(name: str) -> bool:
    """Whether the file's name has a supported ending."""
    return not name.startswith(".") and name.lower().endswith((*TEXT_ENDINGS, PDF_ENDING))


def read_passages(path: str, name: str) -> Iterator[tuple[str, str]]:
    """The origin and text of each passage of a document. Raises Unavailable."""
    if os.path.getsize(path) > MAX_BYTES:
        raise Unavailable(f"{name} is larger than {MAX_BYTES:,} bytes.", hint="Split it.")
    if name.lower().endswith(PDF_ENDING):
        yield from _pdf(path, name)
        return
    with open(path, encoding="utf-8", errors="replace") as file:
        for passage in passages.cut(file.read(), most=MAX_PASSAGES):
            yield name, passage


def _pdf(path: str, name: str) -> Iterator[tuple[str, str]]:
    try:
        from pypdf import PdfReader
        from pypdf.errors import PyPdfError
    except ImportError as error:
        raise BackendMissing(
            "Reading PDFs needs pypdf.", hint=f"Run: {install_command('documents')}"
        ) from error
    try:
        for number, page in enumerate(PdfReader(path).pages[:MAX_PAGES], start=1):
            for passage in passages.cut(page.extract_text(), most=MAX_PASSAGES):
                yield f"{name}#page={number}", passage
    # Broken files make pypdf fail in many ways, down to endless recursion.
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise Unavailable(f"{name} is not a readable PDF.", hint="Save it again.") from error
    except (RecursionError, AssertionError, NotImplementedError, OSError) as error:
        raise Unavailable(f"{name} is not a readable PDF.", hint="Save it again.") from error


MAX_FILES = 20_000
REFRESH_SHARE = 0.6
"""Share of its time that a search may spend on indexing changed documents."""

SCHEMA = """
CREATE TABLE files(
  path TEXT PRIMARY KEY, changed INTEGER NOT NULL, size INTEGER NOT NULL, problem TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE passages(number INTEGER PRIMARY KEY, path TEXT NOT NULL, origin TEXT, text TEXT);
CREATE INDEX passages_of ON passages(path);
CREATE VIRTUAL TABLE said USING fts5(terms, tokenize="unicode61 remove_diacritics 0");
"""


class FolderSource:
    """Finds passages in Markdown, plain text and PDF files below a folder."""

    def __init__(self, name: str, root: str, *, index: str) -> None:
        self._name = name
        self._root = os.path.realpath(os.path.expanduser(root))
        self._lock = RLock()
        self._db = SqliteFile(index, prepare=lambda db: migrate(db, [SCHEMA]), if_damaged="remove")

    @property
    def name(self) -> str:
        """The name of the source."""
        return self._name

    @retrying
    def search(self, query: str, *, limit: int, timeout_s: float) -> list[Passage]:
        """The passages that match a query by BM25, best first."""
        deadline = time.monotonic() + timeout_s * REFRESH_SHARE
        with self._lock, self._db.guard():
            self._refresh(deadline)
            terms = words.query_terms(query)
            if not terms:
                return []
            # Each word is quoted, so that a person's AND or * is text and never query syntax.
            quoted = " OR ".join('"' + word.replace('"', '""') + '"' for word in terms)
            rows = self._db.execute(
                "SELECT origin, text, -bm25(said) FROM said JOIN passages ON number=said.rowid"
                " WHERE said MATCH ? ORDER BY bm25(said), number LIMIT ?",
                (quoted, max(limit, 0)),
            ).fetchall()
        return [Passage(text, f"{self._name}/{origin}", score) for origin, text, score in rows]

    @retrying
    def problems(self) -> list[tuple[str, str]]:
        """Unreadable documents, each with the reason."""
        with self._lock, self._db.guard():
            rows = self._db.execute(
                "SELECT path, problem FROM files WHERE problem<>'' ORDER BY path"
            ).fetchall()
        return [(path, problem) for path, problem in rows]

    def close(self) -> None:
        """Close the index."""
        with self._lock:
            self._db.close()

    def _refresh(self, deadline: float) -> None:
        """Index changed documents until the deadline; the next search indexes the rest."""
        if not os.path.isdir(self._root):
            raise Unavailable(
                f"The folder of the source {self._name} does not exist.",
                hint="Check its path in the settings.",
            )
        known = {
            path: (changed, size)
            for path, changed, size in self._db.execute("SELECT path, changed, size FROM files")
        }
        seen: set[str] = set()
        for path, changed, size in _files(self._root):
            seen.add(path)
            if known.get(path) != (changed, size):
                if time.monotonic() > deadline:
                    return
                self._index_file(path, changed, size)
        for path in known.keys() - seen:
            with transaction(self._db):
                self._drop(path)

    def _index_file(self, path: str, changed: int, size: int) -> None:
        try:
            found, problem = list(read_passages(os.path.join(self._root, path), path)), ""
        except (Unavailable, BackendMissing) as error:
            found, problem = [], str(error)
        except OSError:
            return  # Removed or locked meanwhile; the next search tries again.
        with transaction(self._db):
            self._drop(path)
            for origin, text in found:
                self._db.execute(
                    "INSERT INTO passages(path, origin, text) VALUES(?, ?, ?)", (path, origin, text)
                )
                row = (self._db.last_insert_rowid(), " ".join(words.terms(text)))
                self._db.execute("INSERT INTO said(rowid, terms) VALUES(?, ?)", row)
            self._db.execute("INSERT INTO files VALUES(?, ?, ?, ?)", (path, changed, size, problem))

    def _drop(self, path: str) -> None:
        self._db.execute(
            "DELETE FROM said WHERE rowid IN (SELECT number FROM passages WHERE path=?)", (path,)
        )
        self._db.execute("DELETE FROM passages WHERE path=?", (path,))
        self._db.execute("DELETE FROM files WHERE path=?", (path,))


def _files(root: str) -> Iterator[tuple[str, int, int]]:
    """Documents below a folder with their time and size, without links."""
    count = 0
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(one for one in folders if not one.startswith("."))
        for name in sorted(names):
            path = os.path.join(folder, name)
            if not is_readable(name) or os.path.islink(path):
                continue
            try:
                found = os.stat(path)
            except OSError:
                continue
            count += 1
            if count > MAX_FILES:
                return
            place = os.path.relpath(path, root).replace(os.sep, "/")
            if not place.isprintable():
                continue  # Such a name cannot be displayed.
            yield place, found.st_mtime_ns, found.st_size
