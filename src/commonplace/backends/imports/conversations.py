"""Conversations exported by ChatGPT, and transcripts of Claude Code."""

from __future__ import annotations

import re

from ...model.memory import Draft
from ...model.results import LeftOut
from ...model.value import Value
from ...rules.handed_over.quotation import without_echo
from .json_reader import as_line, as_list, as_mapping, as_text, as_time, json_lines, list_elements
from .scopes import safe_scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime
    from typing import Any

    from ...model.scope import Scope
    from .archive_file import ArchiveFile


KIND = "turn"


SPEAKERS = {"user": "user", "human": "user", "assistant": "assistant"}
"""Roles whose turns are imported; tools and systems are left out."""


class ImportedTurn(Value):
    """One turn of an imported conversation."""

    speaker: str
    text: str
    at: datetime | None = None
    id: str = ""


def turn_drafts(
    conversation: str, said: Iterable[ImportedTurn], *, tag: str, scope: Scope | None = None
) -> Iterator[Draft | LeftOut]:
    """The turns of one conversation as drafts, without text that a memory had injected."""
    episode = as_line(f"{tag}:{conversation}") or tag
    position = 0
    for turn in said:
        text = without_echo(turn.text).strip()
        if not text:
            yield LeftOut("A turn without text of its own.")
            continue
        yield Draft(
            text,
            kind=KIND,
            scope=scope,
            episode=episode,
            position=position,
            speaker=SPEAKERS.get(turn.speaker, turn.speaker),
            tags=(tag,),
            created=turn.at,
            imported_id=as_line(turn.id or f"{conversation}:{position}"),
        )
        position += 1


# ChatGPT: conversations are trees, of which the branch last shown is imported.


def is_chatgpt(first: Any) -> bool:
    """Whether the first entry is from an export of ChatGPT."""
    return "mapping" in as_mapping(first)


def read_chatgpt(archive: ArchiveFile, name: str) -> Iterator[Draft | LeftOut]:
    """The turns of every conversation."""
    for number, one in enumerate(list_elements(archive, name)):
        said = as_mapping(one)
        called = as_text(said.get("conversation_id") or said.get("id")) or f"{name}:{number}"
        yield from turn_drafts(called, _shown_branch(said), tag="chatgpt")


def _shown_branch(said: dict[str, Any]) -> list[ImportedTurn]:
    """The turns from the first message to the one last shown."""
    nodes = as_mapping(said.get("mapping"))
    at: Any = said.get("current_node") or _leaf(nodes)
    path: list[ImportedTurn] = []
    seen: set[str] = set()
    while isinstance(at, str) and at not in seen and at in nodes:
        seen.add(at)
        node = as_mapping(nodes[at])
        if turn := _chatgpt_turn(at, as_mapping(node.get("message"))):
            path.append(turn)
        at = node.get("parent")
    return path[::-1]


def _leaf(nodes: dict[str, Any]) -> str | None:
    """The last node without children, for exports that do not name the one last shown."""
    leaves = [id for id, node in nodes.items() if not as_list(as_mapping(node).get("children"))]
    return leaves[-1] if leaves else None


def _chatgpt_turn(id: str, message: dict[str, Any]) -> ImportedTurn | None:
    speaker = as_text(as_mapping(message.get("author")).get("role"))
    hidden = as_mapping(message.get("metadata")).get("is_visually_hidden_from_conversation")
    if speaker not in SPEAKERS or message.get("weight") == 0 or hidden:
        return None
    content = as_mapping(message.get("content"))
    if content.get("content_type") not in ("text", "multimodal_text"):
        return None
    parts = (one if isinstance(one, str) else as_mapping(one).get("text") for one in
             as_list(content.get("parts")))  # fmt: skip
    text = "\n".join(part for one in parts if (part := as_text(one)))
    return ImportedTurn(
        speaker, text, as_time(message.get("create_time")), as_text(message.get("id")) or id
    )


# Claude Code: one JSON Lines file per session, each line naming its parent.


_ROWS = frozenset({"user", "assistant", "system", "attachment", "progress"})
_NOT_SHOWN = ("isMeta", "isSidechain")
_NOT_PLAIN = re.compile(r"[^A-Za-z0-9]")
"""Characters that Claude Code replaces in the name of a project's folder."""
_HOME = re.compile(r"(?i)(?:home|(?:[a-z]:/)?users)(?:/[^/]+)?|root|tmp|var/tmp|[a-z]:")


def is_claude_code(first: Any) -> bool:
    """Whether the first entry is from a transcript of Claude Code."""
    said = as_mapping(first)
    return "sessionId" in said or ("leafUuid" in said and said.get("type") == "summary")


def read_claude_code(archive: ArchiveFile, name: str) -> Iterator[Draft | LeftOut]:
    """The turns of one session, and the summaries that Claude Code made when it compacted it."""
    rows: dict[str, dict[str, Any]] = {}
    session = name.rpartition("/")[2].rpartition(".")[0]
    for one in json_lines(archive, name):
        row = as_mapping(one)
        if not row:
            yield LeftOut("A malformed line.")
        elif row.get("type") in _ROWS and as_text(row.get("uuid")):
            rows[row["uuid"]] = row
            session = as_text(row.get("sessionId")) or session
    path = _transcript_path(rows)
    scope = _session_project(name, [as_text(row.get("cwd")) for row in path])
    yield from (_summary(session, row, scope) for row in path if row.get("isCompactSummary"))
    turns = (_claude_code_turn(row) for row in path if _is_turn(row))
    said = (turn for turn in turns if turn.text)
    yield from turn_drafts(session, said, tag="claude-code", scope=scope)


def _session_project(name: str, folders: Iterable[str]) -> Scope | None:
    """The project of the folder that a session began in; a home folder is none.

    Claude Code names the folder of a transcript after it; an agent may have left it later.
    """
    kept_in = name.split("/")[-2:-1]
    began = ""
    for folder in filter(None, folders):
        parts = [part for part in re.split(r"[/\\]", folder) if part]
        above = ["/".join(parts[:count]) for count in range(len(parts), 0, -1)]
        fitting = [one for one in above if [_NOT_PLAIN.sub("-", f"/{one}")] == kept_in]
        began = (fitting or [began or above[0]])[0]
        if fitting:
            break
    if not began or _HOME.fullmatch(began):
        return None
    return safe_scope(("project", began.rpartition("/")[2]))


def _transcript_path(rows: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows from the first turn to the last."""
    said = [id for id, row in rows.items() if row.get("type") in SPEAKERS and _is_turn(row)]
    at: Any = said[-1] if said else None
    path: list[dict[str, Any]] = []
    seen: set[str] = set()
    while isinstance(at, str) and at not in seen and at in rows:
        seen.add(at)
        path.append(rows[at])
        # Where a session was compacted, logicalParentUuid continues the chain.
        at = rows[at].get("parentUuid") or rows[at].get("logicalParentUuid")
    return path[::-1]


def _is_turn(row: dict[str, Any]) -> bool:
    aside = any(row.get(name) for name in _NOT_SHOWN) or row.get("isCompactSummary")
    return row.get("type") in SPEAKERS and not aside


def _claude_code_turn(row: dict[str, Any]) -> ImportedTurn:
    message = as_mapping(row.get("message"))
    speaker = as_text(message.get("role")) or as_text(row.get("type"))
    return ImportedTurn(
        speaker, _text(message), as_time(row.get("timestamp")), as_text(row.get("uuid"))
    )


def _text(message: dict[str, Any]) -> str:
    """The text of a message, without tool calls and results."""
    content = message.get("content")
    if isinstance(content, str):
        return content.strip()
    blocks = (as_mapping(block) for block in as_list(content))
    texts = (as_text(block.get("text")) for block in blocks if block.get("type") == "text")
    return "\n".join(text for text in texts if text)


def _summary(session: str, row: dict[str, Any], scope: Scope | None) -> Draft | LeftOut:
    text = _text(as_mapping(row.get("message")))
    if not text:
        return LeftOut("A summary without text.")
    return Draft(
        text,
        kind="session-summary",
        scope=scope,
        tags=("claude-code",),
        basis="inferred",
        created=as_time(row.get("timestamp")),
        imported_id=as_line(f"{session}:{as_text(row.get('uuid'))}"),
    )
