"""Reads a file's bytes into the memories in it."""

from __future__ import annotations

import zlib

from ...model.codec import iso
from ...model.errors import BadScope
from ...model.memory import LIVE, STATUSES, Memory
from ...model.value import Value
from ...notes import facts
from ...notes import note as notes
from ...notes.layout import ATTACHMENTS, FACTS
from ...notes.places import place_at
from .files import Unread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .files import Content, Files

_AFTER_EVERY_LINE = 1 << 62
"""Takes any moment's milliseconds below the rank of every status, the newest still first."""


class FileContents(Value):
    """The memories in a file, or the reason why it is not read."""

    memories: tuple[Memory, ...] = ()
    problem: str = ""
    crc: int = 0
    stat_hash: int = 0
    modified_s: float = 0.0


class NoteClaim(Value):
    """A memory as the manifest records it: the file, the id, and how final its status is."""

    path: str
    id: str
    updated: str
    rank: int
    digest: int
    scope: str
    kind: str
    status: str


def read_file(files: Files, path: str) -> FileContents | None:
    """The memories in a file; None when there is no file."""
    try:
        content = files.read(path)
    except Unread as error:
        problem = f"This is not read: {error}."
        return FileContents(problem=problem, stat_hash=files.stat_hash(path) or 0)
    return None if content is None else parse_file(path, content, lambda at: read_text(files, at))


def read_text(files: Files, path: str) -> str | None:
    """The text of an attachment; None when it cannot be read."""
    try:
        content = files.read(path)
        return None if content is None else content.data.decode()
    except (Unread, UnicodeDecodeError):
        return None


def parse_file(path: str, content: Content, read: Callable[[str], str | None]) -> FileContents:
    """The memories in a file's bytes; `read` gives the text of an attachment."""
    memories, problem = _memories(path, content, read)
    return FileContents(memories, problem, content.crc, content.stat_hash, content.modified_s)


def _memories(
    path: str, content: Content, read: Callable[[str], str | None]
) -> tuple[tuple[Memory, ...], str]:
    try:
        place = place_at(path)
        text = content.data.decode()
    except BadScope as error:
        return (), f"This is not read: a folder's name is no scope. {error.sentence}"
    except UnicodeDecodeError:
        return (), "This is not read: it is not UTF-8 text."
    if place is None:
        return (), ""
    if "\0" in text:
        return (), "This is not read: it holds a NUL character."
    conflict = _conflict(text) if "<<<<<<<" in text else ""
    modified = notes.file_moment(content.modified_s)
    if place.form == "facts":
        found = facts.read_facts(
            _without_conflicts(text) if conflict else text, scope=place.scope, modified=modified
        )
        return found.memories, conflict or found.problem
    summary, missing = None, ""
    if ATTACHMENTS in text:
        from ...notes.attachments import expanded

        text, summary, missing = expanded(path, text, read)
    reading = notes.read_note(text, path=path, place=place, modified=modified)
    memory = _in_doubt(reading.memory) if conflict else reading.memory
    if summary is not None:
        memory = memory.but(summary=summary)
    return (memory,), conflict or missing or reading.problem


def _conflict(text: str) -> str:
    from ...notes.conflict_markers import conflicts

    if not (found := conflicts(text)):
        return ""
    lines = ", ".join(f"{first} to {last}" for first, last in found[:3])
    return f"Git left a conflict in lines {lines}: both versions are there, and neither is sure."


def _without_conflicts(text: str) -> str:
    from ...notes.conflict_markers import without_conflicts

    return without_conflicts(text)


def _in_doubt(memory: Memory) -> Memory:
    """The memory as one to review: found when searched for and marked, never loaded unasked."""
    if memory.status not in LIVE:
        return memory
    return memory.but(status="review", always_load=False, tier="search")


def note_claims(path: str, found: FileContents) -> list[NoteClaim]:
    """The claims of a file's memories; they hold no text."""
    # A file's time says nothing about one of its lines and must not decide who has its id.
    lines = path.endswith(FACTS)
    return [
        NoteClaim(
            path=path,
            id=memory.id,
            updated="" if lines or _was_a_line(memory) else iso(memory.updated),
            rank=_rank(memory),
            digest=zlib.crc32(memory.content.encode("utf-8", "surrogatepass")),
            scope=str(memory.scope),
            kind=memory.kind,
            status=memory.status,
        )
        for memory in found.memories
    ]


def _was_a_line(memory: Memory) -> bool:
    return memory.status not in LIVE and facts.has_line_id(memory)


def _rank(memory: Memory) -> int:
    """Sort key when several files claim one id; higher wins.

    A forgotten fact line loses to the line that a person writes anew.
    """
    if not _was_a_line(memory):
        return STATUSES.index(memory.status)
    return int(memory.updated.timestamp() * 1000) - _AFTER_EVERY_LINE


def link_names(path: str) -> tuple[str, ...]:
    """The names that a link may use for a file: its name, and its path."""
    whole = path.removesuffix(".md")
    return (whole.rpartition("/")[2], whole)


def with_effective_ids(
    found: FileContents, id_overrides: dict[str, str | None]
) -> tuple[Memory, ...]:
    """A file's memories under their effective ids; copies of another file's are left out."""
    if not id_overrides:
        return found.memories
    kept: list[Memory] = []
    for memory in found.memories:
        due = id_overrides.get(memory.id, memory.id)
        if due is not None:
            kept.append(memory if due == memory.id else memory.but(id=due))
    return tuple(kept)
