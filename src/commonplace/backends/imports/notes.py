"""Folders of Markdown notes: Commonplace, basic-memory, Claude's own memory, or any others."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime

from ...model.errors import BadInput, BadScope
from ...model.identity import content_hash
from ...model.results import LeftOut
from ...notes import frontmatter
from ...notes import note as notes
from ...notes.exchange import is_history, memory_from_note, scope_at, to_draft
from ...notes.facts import read_facts
from ...notes.places import MAX_NOTE_BYTES, is_kind, place_at
from ...rules.drafts import MAX_CHARACTERS
from ...rules.faults.links import NoteNames, dead_links
from .archive_file import damaged_error
from .json_reader import as_line, as_time
from .memories import HISTORY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...model.memory import Draft, Memory
    from ...rules.faults.links import DeadLink
    from .archive_file import ArchiveFile

ENDINGS = (".md", ".markdown")
CLAUDE_INDEX = "MEMORY.md"
"""The index that Claude Code keeps of its notes, with a line for each and some of its own."""
_INDEX_LINE = re.compile(r"^\s*[-*+]\s+\[[^\]]*\]\((?P<file>[^)\s]+)\).*$")
_DAILY = re.compile(r"\d{4}-\d\d-\d\d(?!\d)")
_NAME_KEYS = ("title", "name", "permalink", "slug", "id")
_FIRST_HEADING = re.compile(r"(?m)^ {0,3}#{1,6} +(.+?)[ #]*$")
SAMPLED_NOTES = 20
"""Number of notes that are read to detect the format."""


def notes_kind(archive: ArchiveFile) -> str:
    """The format of the notes: commonplace, basic-memory, claude-memory or markdown."""
    if any(name.rpartition("/")[2] == CLAUDE_INDEX for name in archive.names):
        return "claude-memory"
    for name in archive.ending(*ENDINGS)[:SAMPLED_NOTES]:
        block, _ = frontmatter.split_frontmatter(archive.text(name))
        said = frontmatter.read_values(block)[0] if block else {}
        if {"id", "created", "updated"} <= said.keys():
            return "commonplace"
        if "permalink" in said:
            return "basic-memory"
    return "markdown"


def read_note(archive: ArchiveFile, name: str) -> Iterator[Draft | LeftOut]:
    """The memory of one note."""
    text = archive.text(name)
    if "\0" in text:
        raise damaged_error(archive, name, "it is not text")
    if name.rpartition("/")[2] == CLAUDE_INDEX:
        text = _without_index_lines(archive, name, text)
    if not text.strip() or len(text) > min(MAX_CHARACTERS, MAX_NOTE_BYTES):
        yield LeftOut("A note that is empty or too long.")
        return
    try:
        memory = memory_from_note(name, text, now=datetime.now(UTC))
    except (ValueError, BadInput) as error:
        raise damaged_error(archive, name, "its frontmatter cannot be read") from error
    if not memory.content.strip():
        yield LeftOut("A note with frontmatter only.")
    elif is_history(memory):
        yield LeftOut(HISTORY)
    else:
        yield _draft(name, text, memory)


def read_vault_file(archive: ArchiveFile, name: str) -> Iterator[Draft | LeftOut]:
    """The live memories in a file of a vault."""
    try:
        place = place_at(name)
    except BadScope as error:
        yield LeftOut(error.sentence)
        return
    if place is None or place.owner == "personal":
        return
    text, now = archive.text(name), datetime.now(UTC)
    if place.form == "facts":
        found = read_facts(text, scope=place.scope, modified=now).memories
    else:
        found = (notes.read_note(text, path=name, place=place, modified=now).memory,)
    for memory in found:
        if is_history(memory):
            yield LeftOut(HISTORY)
        elif memory.content.strip():
            yield to_draft(memory)


def dead_note_links(archive: ArchiveFile, names: Sequence[str]) -> dict[str, tuple[DeadLink, ...]]:
    """The links of notes that lead to no note and no file, for each note that has some."""
    texts = {name: archive.text(name) for name in names}
    known = NoteNames(archive.names)
    for text in texts.values():
        known.add(_link_names(text))
    found = {
        name: tuple(dead_links(name, text, names=known, exists=archive.has))
        for name, text in texts.items()
    }
    return {name: dead for name, dead in found.items() if dead}


def _link_names(text: str) -> list[str]:
    """The names of a note beside that of its file: in its frontmatter, and its first heading."""
    block, body = frontmatter.split_frontmatter(text)
    said = frontmatter.read_values(block)[0] if block else {}
    names = [said.get(key) for key in _NAME_KEYS]
    aliases = said.get("aliases") or said.get("alias") or ()
    names += [aliases] if isinstance(aliases, str) else list(aliases)
    heading = _FIRST_HEADING.search(body)
    return [str(name) for name in (*names, heading and heading[1]) if name]


def _without_index_lines(archive: ArchiveFile, name: str, text: str) -> str:
    """The index without its lines about notes that are there; those are read themselves."""
    folder = name.rpartition("/")[0]
    known = {os.path.relpath(one, folder or ".") for one in archive.names}
    lines = text.splitlines(keepends=True)
    kept = [
        line
        for line in lines
        if not (found := _INDEX_LINE.match(line)) or os.path.normpath(found["file"]) not in known
    ]
    return "".join(kept)


def _draft(name: str, text: str, memory: Memory) -> Draft:
    block, _ = frontmatter.split_frontmatter(text)
    said = frontmatter.read_values(block)[0] if block else {}
    draft = to_draft(memory).but(scope=scope_at(name))
    if said.get("id"):
        return draft
    kind = said.get("type")
    written = isinstance(kind, str) and is_kind(kind)
    link = said.get("permalink")
    folder, _, file = name.rpartition("/")
    called = as_line(file.rpartition(".")[0])
    return draft.but(
        kind=kind if written else "note",
        title=memory.title or called or "",
        topic=memory.topic or (None if draft.scope else as_line(folder.rpartition("/")[2])),
        owner=None,
        created=as_time(said.get("created")) or as_time(said.get("date")) or _day(called),
        imported_id=as_line(link) if isinstance(link, str) and link else _note_id(name),
    )


def _day(called: str | None) -> datetime | None:
    """The day of a daily note, which is named after it."""
    found = _DAILY.match(called or "")
    return as_time(found[0]) if found else None


def _note_id(name: str) -> str:
    return name if len(name) <= 200 else content_hash(name)
