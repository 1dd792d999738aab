"""Very large originals: the note holds the summary and a link, `_attachments/` beside it the text.

Only the vault keeps originals so. A memory always has its whole content: what exports, seals,
backs up or purges a memory does so with its original.
"""

from __future__ import annotations

import re
import zlib

from .layout import ATTACHMENTS
from .note import join_note, split_note

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..model.memory import Memory

LARGE_CHARACTERS = 50_000
"""A longer text is an attachment, because editors and sync tools are slow with such notes."""

_LINK = rf"(?:\A|\n\n)Original: !?\[\[{ATTACHMENTS}/([\w-]{{1,200}})(?:\|[^\]\n]*)?\]\]\s*\Z"


def is_large(memory: Memory) -> bool:
    """Whether the content of a memory is kept as an attachment."""
    return len(memory.content) > LARGE_CHARACTERS


def attachment_name(memory: Memory) -> str:
    """The name of the attachment, without its ending: another text has another name."""
    return f"{memory.id}-{zlib.crc32(memory.content.encode('utf-8', 'replace')):08x}"


def attachment_path(note: str, name: str) -> str:
    """The place of an attachment, in a folder beside its note."""
    folder = note.rpartition("/")[0]
    return f"{folder}/{ATTACHMENTS}/{name}.md" if folder else f"{ATTACHMENTS}/{name}.md"


def is_attachment(path: str) -> bool:
    """Whether a path leads to an attachment."""
    return f"/{ATTACHMENTS}/" in f"/{path}"


def collapsed(text: str, name: str, summary: str) -> str:
    """A note with summary and link in place of its body."""
    link = f"Original: [[{ATTACHMENTS}/{name}]]"
    return join_note(split_note(text).but(content=f"{summary}\n\n{link}" if summary else link))


def linked_original(text: str) -> tuple[str, str] | None:
    """The name of the attachment that a note ends with, and the summary before the link."""
    if ATTACHMENTS not in text:
        return None
    body = split_note(text).content
    found = re.search(_LINK, body)
    return (found[1], body[: found.start()]) if found else None


def expanded(
    path: str, text: str, read: Callable[[str], str | None]
) -> tuple[str, str | None, str]:
    """The note with its original as the body, the summary if so, and what is wrong if anything."""
    linked = linked_original(text)
    if linked is None:
        return text, None, ""
    name, summary = linked
    original = read(attachment_path(path, name))
    if original is None:
        return text, None, f"The original {ATTACHMENTS}/{name}.md is missing."
    return join_note(split_note(text).but(content=original)), summary, ""
