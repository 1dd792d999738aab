"""Folders of Markdown: what `export` wrote, basic-memory's, or anybody's notes."""

from __future__ import annotations

from datetime import UTC, datetime

from ...model.errors import BadInput
from ...model.identity import content_hash
from ...model.results import LeftOut
from ...notes import frontmatter
from ...notes.exchange import as_draft, is_history, of_note, scope_at
from ...notes.places import MAX_NOTE_BYTES, is_kind
from ...rules.drafts import MAX_CHARACTERS
from .archive_file import damaged
from .fields import one_line, time
from .memories import HISTORY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...model.memory import Draft, Memory
    from .archive_file import ArchiveFile

ENDINGS = (".md", ".markdown")
LOOKED_AT = 20
"""So many notes tell what kind of folder it is."""


def kind_of(parcel: ArchiveFile) -> str:
    """Whose notes these are: commonplace, basic-memory or markdown."""
    for name in parcel.ending(*ENDINGS)[:LOOKED_AT]:
        block, _ = frontmatter.split(parcel.text(name))
        said = frontmatter.values(block)[0] if block else {}
        if {"id", "created", "updated"} <= said.keys():
            return "commonplace"
        if "permalink" in said:
            return "basic-memory"
    return "markdown"


def read(parcel: ArchiveFile, name: str) -> Iterator[Draft | LeftOut]:
    """The one memory that a note is."""
    text = parcel.text(name)
    if "\0" in text:
        raise damaged(parcel, name, "it is no text")
    if not text.strip() or len(text) > min(MAX_CHARACTERS, MAX_NOTE_BYTES):
        yield LeftOut("A note that is empty or far too long.")
        return
    try:
        memory = of_note(name, text, now=datetime.now(UTC))
    except (ValueError, BadInput) as error:
        raise damaged(parcel, name, "its frontmatter cannot be read") from error
    if not memory.content.strip():
        yield LeftOut("A note with frontmatter and nothing else.")
    elif is_history(memory):
        yield LeftOut(HISTORY)
    else:
        yield _draft(name, text, memory)


def _draft(name: str, text: str, memory: Memory) -> Draft:
    block, _ = frontmatter.split(text)
    said = frontmatter.values(block)[0] if block else {}
    kept = as_draft(memory).but(scope=scope_at(name))
    if said.get("id"):
        return kept
    kind = said.get("type")
    written = isinstance(kind, str) and is_kind(kind)
    link = said.get("permalink")
    return kept.but(
        kind=kind if written else "note",
        title=memory.title or one_line(name.rpartition("/")[2].rpartition(".")[0]) or "",
        owner=None,
        created=time(said.get("created")) or time(said.get("date")),
        imported_id=one_line(link) if isinstance(link, str) and link else _place(name),
    )


def _place(name: str) -> str:
    return name if len(name) <= 200 else content_hash(name)
