"""SQLite databases of mem0, claude-mem and Commonplace, read from a copy.

A database in use has a log beside it, and opening it in place could write to both. So the bytes are
copied to a temporary folder first, and the store that is read stays as it is.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from contextlib import contextmanager
from datetime import UTC, datetime

import apsw

from ...model.errors import BadInput
from ...model.memory import Draft
from ...model.results import LeftOut
from ...notes.exchange import is_history, memory_from_fields, to_draft
from .archive_file import WAL, damaged_error
from .conversations import ImportedTurn, turn_drafts
from .json_reader import as_labels, as_line, as_list, as_text, as_time
from .memories import HISTORY
from .scopes import safe_scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from typing import Any

    from ...model.scope import Scope
    from .archive_file import ArchiveFile

    Read = Callable[[ArchiveFile, str], Iterator[Draft | LeftOut]]
    Row = dict[str, Any]

ENDINGS = (".db", ".sqlite", ".sqlite3")
_MAGIC = b"SQLite format 3\0"


def database_kind(archive: ArchiveFile, name: str) -> tuple[str, Read] | None:
    """The format of a database and its reader; None for the database of another program."""
    with archive.open(name) as file:
        begins = file.read(len(_MAGIC))
    if begins != _MAGIC:
        if begins and len(archive.ending(*ENDINGS)) == 1:
            raise damaged_error(archive, name, "it is not a SQLite database, or a damaged one")
        return None
    with _opened(archive, name) as database:
        tables = {row["name"]: _columns(database, row["name"]) for row in _rows(
            database, "SELECT name FROM sqlite_master WHERE type = 'table'")}  # fmt: skip
    for kind, read, table, columns in _KNOWN:
        if columns <= tables.get(table, set()):
            return kind, read
    return None


@contextmanager
def _opened(archive: ArchiveFile, name: str) -> Generator[Any]:
    """A connection to a copy of the database and its log."""
    with tempfile.TemporaryDirectory(prefix="commonplace-") as folder:
        path = os.path.join(folder, "copy.db")
        for ending in ("", WAL):
            if f"{name}{ending}" in archive.names:
                with archive.open(f"{name}{ending}") as file, open(f"{path}{ending}", "wb") as copy:
                    shutil.copyfileobj(file, copy)
        database: Any = None
        try:
            database = apsw.Connection(path)
            yield database
        except apsw.Error as error:
            raise damaged_error(archive, name, "the database is damaged") from error
        finally:
            if database is not None:
                database.close()


def _columns(database: Any, table: str) -> set[str]:
    return {row["name"] for row in _rows(database, "SELECT name FROM pragma_table_info(?)", table)}


def _rows(database: Any, statement: str, *given: str) -> Iterator[Row]:
    """The rows of a statement, by the names of their columns."""
    cursor = database.execute(statement, given)
    for row in cursor:
        names = [one[0] for one in cursor.get_description()]
        yield dict(zip(names, row, strict=True))


# mem0: a history of changes, whose last ones are the memories.


def _read_mem0(archive: ArchiveFile, name: str) -> Iterator[Draft | LeftOut]:
    """The last version of each memory that was not deleted."""
    current: dict[str, Row] = {}
    first: dict[str, Any] = {}
    with _opened(archive, name) as database:
        for row in _rows(database, "SELECT * FROM history ORDER BY rowid"):
            id = str(row.get("memory_id"))
            first.setdefault(id, row.get("created_at"))
            current[id] = row
    for id, row in current.items():
        text = as_text(row.get("new_memory"))
        if as_text(row.get("event")).upper() == "DELETE" or row.get("is_deleted"):
            yield LeftOut("A deleted memory.")
        elif not text:
            yield LeftOut("A memory without text.")
        else:
            made = as_time(row.get("updated_at")) or as_time(row.get("created_at"))
            yield Draft(text, created=made or as_time(first[id]), imported_id=as_line(id))


# claude-mem: observations and summaries of sessions, and the prompts they began with.


_SUMMARY = ("learned", "completed", "investigated", "next_steps", "notes")


def _read_claude_mem(archive: ArchiveFile, name: str) -> Iterator[Draft | LeftOut]:
    """Observations, then summaries, then what users asked for."""
    with _opened(archive, name) as database:
        for row in _rows(database, "SELECT * FROM observations ORDER BY rowid"):
            yield _observation(row)
        if _columns(database, "session_summaries"):
            for row in _rows(database, "SELECT * FROM session_summaries ORDER BY rowid"):
                yield _session_summary(row)
        if _columns(database, "user_prompts"):
            projects = _session_projects(database)
            prompts: dict[str, list[ImportedTurn]] = {}
            for row in _rows(database, "SELECT * FROM user_prompts ORDER BY rowid"):
                turn = ImportedTurn("user", as_text(row.get("prompt_text")), _made(row))
                prompts.setdefault(_session(row), []).append(turn)
            for session, turns in prompts.items():
                scope = projects.get(session)
                yield from turn_drafts(session, turns, tag="claude-mem", scope=scope)


def _session_projects(database: Any) -> dict[str, Scope]:
    """The project of each session, by all of its names: prompts do not name theirs."""
    found: dict[str, Scope] = {}
    for table in ("observations", "session_summaries", "sdk_sessions"):
        if "project" in _columns(database, table):
            for row in _rows(database, f"SELECT * FROM {table} ORDER BY rowid"):  # noqa: S608
                if scope := _project(row):
                    found |= dict.fromkeys(_session_names(row), scope)
    return found


def _observation(row: Row) -> Draft | LeftOut:
    title, told = as_line(row.get("title")), as_text(row.get("narrative") or row.get("text"))
    facts = [f"- {text}" for text in _listed(row.get("facts"))]
    content = "\n".join([told, *facts] if told else facts)
    content = content or as_text(row.get("subtitle")) or title or ""
    if not content:
        return LeftOut("An observation without text.")
    return Draft(
        content,
        title=title or "",
        scope=_project(row),
        tags=tuple(dict.fromkeys((*as_labels(row.get("type")), *_listed(row.get("concepts"))))),
        created=_made(row),
        imported_id=f"observation:{row.get('id')}",
    )


def _session_summary(row: Row) -> Draft | LeftOut:
    said = [f"- {text}" for part in _SUMMARY if (text := as_line(row.get(part)))]
    if not said:
        return LeftOut("A summary without text.")
    return Draft(
        "\n".join(said),
        title=as_line(row.get("request")) or "",
        kind="session-summary",
        basis="inferred",
        scope=_project(row),
        created=_made(row),
        imported_id=f"summary:{row.get('id')}",
    )


def _listed(value: Any) -> list[str]:
    """The texts of a list that is kept as JSON."""
    try:
        return [text for one in as_list(json.loads(value)) if (text := as_line(one))]
    except (TypeError, ValueError, RecursionError):
        return []


def _made(row: Row) -> datetime | None:
    return as_time(row.get("created_at")) or as_time(row.get("created_at_epoch"))


def _session(row: Row) -> str:
    return next(iter(_session_names(row)), "session")


def _session_names(row: Row) -> list[str]:
    named = ("memory_session_id", "sdk_session_id", "content_session_id", "claude_session_id")
    return [text for name in named if (text := as_text(row.get(name)))]


def _project(row: Row) -> Scope | None:
    return safe_scope(("project", row.get("project")))


# Commonplace: a book in one file.


def _read_commonplace(archive: ArchiveFile, name: str) -> Iterator[Draft | LeftOut]:
    """Every live memory."""
    now = datetime.now(UTC)
    with _opened(archive, name) as database:
        found = "SELECT json FROM records WHERE json IS NOT NULL ORDER BY revision"
        for number, row in enumerate(_rows(database, found), 1):
            try:
                memory = memory_from_fields(json.loads(row["json"]), now=now)
            except (ValueError, TypeError, KeyError, AttributeError, BadInput) as error:
                raise damaged_error(archive, name, f"record {number} is not a memory") from error
            yield LeftOut(HISTORY) if is_history(memory) else to_draft(memory)


_KNOWN: tuple[tuple[str, Read, str, set[str]], ...] = (
    ("mem0", _read_mem0, "history", {"memory_id", "new_memory", "event"}),
    ("claude-mem", _read_claude_mem, "observations", {"project", "type", "text"}),
    ("claude-mem", _read_claude_mem, "observations", {"project", "type", "narrative"}),
    ("commonplace", _read_commonplace, "records", {"revision", "scope", "json"}),
)
"""Formats with the table and the columns by which each is recognized."""
