"""Folders of Markdown notes: exports of Commonplace, basic-memory, or any others."""

from __future__ import annotations

from datetime import UTC, datetime

from ...model.errors import BadInput
from ...model.identity import content_hash
from ...model.results import LeftOut
from ...notes import frontmatter
from ...notes.exchange import is_history, memory_from_note, scope_at, to_draft
from ...notes.places import MAX_NOTE_BYTES, is_kind
from ...rules.drafts import MAX_CHARACTERS
from .archive_file import damaged_error
from .json_reader import as_line, as_time
from .memories import HISTORY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...model.memory import Draft, Memory
    from .archive_file import ArchiveFile

ENDINGS = (".md", ".markdown")
SAMPLED_NOTES = 20
"""Number of notes that are read to detect the format."""


def notes_kind(archive: ArchiveFile) -> str:
    """The format of the notes: commonplace, basic-memory or markdown."""
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


def _draft(name: str, text: str, memory: Memory) -> Draft:
    block, _ = frontmatter.split_frontmatter(text)
    said = frontmatter.read_values(block)[0] if block else {}
    draft = to_draft(memory).but(scope=scope_at(name))
    if said.get("id"):
        return draft
    kind = said.get("type")
    written = isinstance(kind, str) and is_kind(kind)
    link = said.get("permalink")
    return draft.but(
        kind=kind if written else "note",
        title=memory.title or as_line(name.rpartition("/")[2].rpartition(".")[0]) or "",
        owner=None,
        created=as_time(said.get("created")) or as_time(said.get("date")),
        imported_id=as_line(link) if isinstance(link, str) and link else _note_id(name),
    )


def _note_id(name: str) -> str:
    return name if len(name) <= 200 else content_hash(name)
