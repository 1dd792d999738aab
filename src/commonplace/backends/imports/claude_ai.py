"""The data export of claude.ai: conversations, what Claude remembers of a person, and projects.

Each is one list in a file, or one object a file in a folder.
"""

from __future__ import annotations

import json
import re

from ...model.memory import Draft
from ...model.results import LeftOut
from .archive_file import damaged_error
from .conversations import SPEAKERS, ImportedTurn, turn_drafts
from .json_reader import (
    as_line,
    as_list,
    as_mapping,
    as_text,
    as_time,
    first_entry,
    list_elements,
)
from .scopes import safe_scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from .archive_file import ArchiveFile

TAG = "claude"
MEMORY_KEYS = frozenset({"conversations_memory", "project_memories"})
PROJECT_KEYS = frozenset({"prompt_template", "docs"})
_HEADING = re.compile(r"(?:#+ +(?P<marked>.+)|\*\*(?P<bold>[^*]+?):?\*\*:?)")


def is_claude_ai(first: Any) -> bool:
    """Whether the first entry, or the first key of an object, is from an export of claude.ai."""
    said = {"chat_messages"} | MEMORY_KEYS | PROJECT_KEYS
    if isinstance(first, set):
        return bool((said | {"uuid"}) & first)
    return bool(said & as_mapping(first).keys())


def read_claude_ai(archive: ArchiveFile, name: str) -> Iterator[Draft | LeftOut]:
    """The turns of conversations without attached files, the memories, or the projects."""
    for number, one in enumerate(_entries(archive, name)):
        said = as_mapping(one)
        if "chat_messages" in said:
            yield from _conversation(said, f"{name}:{number}")
        elif MEMORY_KEYS & said.keys():
            yield from _memories(said, _project_names(archive))
        elif PROJECT_KEYS & said.keys():
            yield from _project(said)
        else:
            yield LeftOut("An entry that is no conversation, memory or project.")


def _entries(archive: ArchiveFile, name: str) -> Iterator[Any]:
    """The elements of the list in a file, or the one object that is the file."""
    if not isinstance(first_entry(archive, name), set):
        yield from list_elements(archive, name)
        return
    try:
        yield json.loads(archive.text(name))
    except (ValueError, RecursionError) as error:
        raise damaged_error(archive, name, "its JSON is truncated or malformed") from error


def _conversation(said: dict[str, Any], place: str) -> Iterator[Draft | LeftOut]:
    messages = (as_mapping(message) for message in as_list(said.get("chat_messages")))
    turns = (_turn(message) for message in messages if message.get("sender") in SPEAKERS)
    yield from turn_drafts(as_text(said.get("uuid")) or place, turns, tag=TAG)


def _turn(message: dict[str, Any]) -> ImportedTurn:
    blocks = (as_mapping(block) for block in as_list(message.get("content")))
    parts = (block.get("text") for block in blocks if block.get("type", "text") == "text")
    text = "\n".join(part for one in parts if (part := as_text(one))) or as_text(
        message.get("text")
    )
    return ImportedTurn(
        as_text(message.get("sender")), text, as_time(message.get("created_at")),
        as_text(message.get("uuid")),
    )  # fmt: skip


# Claude's own memory: a text with headings for the person, and one for each project.


def _memories(said: dict[str, Any], projects: Mapping[str, str]) -> Iterator[Draft | LeftOut]:
    yield from _paragraphs(as_text(said.get("conversations_memory")), "")
    for uuid, text in as_mapping(said.get("project_memories")).items():
        yield from _paragraphs(as_text(text), uuid, projects.get(uuid) or uuid)


def _paragraphs(text: str, of: str, project: str = "") -> Iterator[Draft | LeftOut]:
    """A memory for each paragraph, with the heading over it."""
    heading = ""
    number = 0
    for block in re.split(r"\n\s*\n", text):
        lines = [line for line in block.splitlines() if line.strip()]
        if lines and (found := _HEADING.fullmatch(lines[0].strip())):
            heading, number = (found["marked"] or found["bold"]).strip(), 0
            del lines[0]
        if not lines:
            continue
        yield Draft(
            "\n".join(lines),
            title=as_line(heading) or "",
            scope=safe_scope(("project", project)),
            tags=(TAG,),
            basis="inferred",
            imported_id=as_line(f"memory:{of}:{heading}:{number}"),
        )
        number += 1


def _project_names(archive: ArchiveFile) -> dict[str, str]:
    """The names of projects by their ids, as far as the export has them."""
    return {
        as_text(said.get("uuid")): as_text(said.get("name"))
        for name in archive.ending(".json")
        if "projects" in name.removesuffix(".json").split("/")
        for one in _entries(archive, name)
        if PROJECT_KEYS & (said := as_mapping(one)).keys()
    }


def _project(said: dict[str, Any]) -> Iterator[Draft | LeftOut]:
    """Description, instructions and documents, in the scope of the project."""
    name, uuid = as_text(said.get("name")), as_text(said.get("uuid"))
    texts = [
        ("description", name, said.get("description"), said.get("created_at")),
        ("instructions", f"Instructions of {name}", said.get("prompt_template"), None),
        *(
            (
                as_text(doc.get("uuid")),
                doc.get("filename"),
                doc.get("content"),
                doc.get("created_at"),
            )
            for doc in map(as_mapping, as_list(said.get("docs")))
        ),
    ]
    for part, title, content, at in texts:
        if not (text := as_text(content)):
            yield LeftOut("A part of a project without text.")
            continue
        yield Draft(
            text,
            kind="note",
            title=as_line(title) or "",
            scope=safe_scope(("project", name or uuid)),
            tags=(TAG,),
            created=as_time(at) or as_time(said.get("created_at")),
            imported_id=as_line(f"project:{uuid}:{part}"),
        )
