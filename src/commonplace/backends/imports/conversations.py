"""ChatGPT's data export: conversations as trees, of which the branch last shown is kept."""

from __future__ import annotations

import re

from ...model.memory import Draft
from ...model.results import LeftOut
from .fields import SPEAKERS, Said, drafts, listed, mapping, one_line, time, words
from .streaming import elements, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .archive_file import ArchiveFile


def is_chatgpt(first: Any) -> bool:
    """Whether a file that begins so is ChatGPT's."""
    return "mapping" in mapping(first)


def read_chatgpt(parcel: ArchiveFile, name: str) -> Iterator[Draft | LeftOut]:
    """The turns of every conversation."""
    for number, one in enumerate(elements(parcel, name)):
        said = mapping(one)
        called = words(said.get("conversation_id") or said.get("id")) or f"{name}:{number}"
        yield from drafts(called, _branch(said), tag="chatgpt")


def _branch(said: dict[str, Any]) -> list[Said]:
    """From the newest message up to the first, the other way round."""
    nodes = mapping(said.get("mapping"))
    at: Any = said.get("current_node") or _leaf(nodes)
    path: list[Said] = []
    seen: set[str] = set()
    while isinstance(at, str) and at not in seen and at in nodes:
        seen.add(at)
        node = mapping(nodes[at])
        if turn := _chatgpt_turn(at, mapping(node.get("message"))):
            path.append(turn)
        at = node.get("parent")
    return path[::-1]


def _leaf(nodes: dict[str, Any]) -> str | None:
    """The last node without children, for exports that do not say which was shown."""
    leaves = [id for id, node in nodes.items() if not listed(mapping(node).get("children"))]
    return leaves[-1] if leaves else None


def _chatgpt_turn(id: str, message: dict[str, Any]) -> Said | None:
    speaker = words(mapping(message.get("author")).get("role"))
    hidden = mapping(message.get("metadata")).get("is_visually_hidden_from_conversation")
    if speaker not in SPEAKERS or message.get("weight") == 0 or hidden:
        return None
    content = mapping(message.get("content"))
    if content.get("content_type") not in ("text", "multimodal_text"):
        return None
    parts = (one if isinstance(one, str) else mapping(one).get("text") for one in
             listed(content.get("parts")))  # fmt: skip
    text = "\n".join(part for one in parts if (part := words(one)))
    return Said(speaker, text, time(message.get("create_time")), words(message.get("id")) or id)


# The data export of claude.ai: conversations as lists of messages.


def is_claude_ai(first: Any) -> bool:
    """Whether a file that begins so is from claude.ai."""
    return "chat_messages" in mapping(first)


def read_claude_ai(parcel: ArchiveFile, name: str) -> Iterator[Draft | LeftOut]:
    """The turns of every conversation; attached files are not part of what was said."""
    for number, one in enumerate(elements(parcel, name)):
        said = mapping(one)
        called = words(said.get("uuid")) or f"{name}:{number}"
        messages = (mapping(message) for message in listed(said.get("chat_messages")))
        turns = (
            _claude_ai_turn(message) for message in messages if message.get("sender") in SPEAKERS
        )
        yield from drafts(called, turns, tag="claude")


def _claude_ai_turn(message: dict[str, Any]) -> Said:
    blocks = (mapping(block) for block in listed(message.get("content")))
    parts = (block.get("text") for block in blocks if block.get("type", "text") == "text")
    text = "\n".join(part for one in parts if (part := words(one))) or words(message.get("text"))
    return Said(
        words(message.get("sender")), text, time(message.get("created_at")),
        words(message.get("uuid")),
    )  # fmt: skip


# Transcripts of Claude Code: one file of lines per session, each line naming the one before.


_ROWS = frozenset({"user", "assistant", "system", "attachment", "progress"})
_ASIDE = ("isMeta", "isSidechain")


def is_claude_code(first: Any) -> bool:
    """Whether a file that begins so is a transcript."""
    said = mapping(first)
    return "sessionId" in said or ("leafUuid" in said and said.get("type") == "summary")


def read_claude_code(parcel: ArchiveFile, name: str) -> Iterator[Draft | LeftOut]:
    """What was said in one session; summaries of what was cut off are kept as such."""
    rows: dict[str, dict[str, Any]] = {}
    session = name.rpartition("/")[2].rpartition(".")[0]
    for one in lines(parcel, name):
        row = mapping(one)
        if not row:
            yield LeftOut("A line that is no JSON.")
        elif row.get("type") in _ROWS and words(row.get("uuid")):
            rows[row["uuid"]] = row
            session = words(row.get("sessionId")) or session
    path = _path(rows)
    yield from (_summary(session, row) for row in path if row.get("isCompactSummary"))
    turns = (_claude_code_turn(row) for row in path if _is_said(row))
    yield from drafts(session, (turn for turn in turns if turn.text), tag="claude-code")


def _path(rows: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """From the last thing said up to the first, the other way round."""
    said = [id for id, row in rows.items() if row.get("type") in SPEAKERS and _is_said(row)]
    at: Any = said[-1] if said else None
    path: list[dict[str, Any]] = []
    seen: set[str] = set()
    while isinstance(at, str) and at not in seen and at in rows:
        seen.add(at)
        path.append(rows[at])
        # Where a session was compacted, the chain goes on behind the cut.
        at = rows[at].get("parentUuid") or rows[at].get("logicalParentUuid")
    return path[::-1]


def _is_said(row: dict[str, Any]) -> bool:
    aside = any(row.get(name) for name in _ASIDE) or row.get("isCompactSummary")
    return row.get("type") in SPEAKERS and not aside


def _claude_code_turn(row: dict[str, Any]) -> Said:
    message = mapping(row.get("message"))
    speaker = words(message.get("role")) or words(row.get("type"))
    return Said(speaker, _text(message), time(row.get("timestamp")), words(row.get("uuid")))


def _text(message: dict[str, Any]) -> str:
    """The words of a message, without what tools were asked and answered."""
    content = message.get("content")
    if isinstance(content, str):
        return content.strip()
    blocks = (mapping(block) for block in listed(content))
    texts = (words(block.get("text")) for block in blocks if block.get("type") == "text")
    return "\n".join(text for text in texts if text)


def _summary(session: str, row: dict[str, Any]) -> Draft | LeftOut:
    text = _text(mapping(row.get("message")))
    if not text:
        return LeftOut("A summary without words.")
    return Draft(
        text,
        kind="session-summary",
        tags=("claude-code",),
        basis="inferred",
        created=time(row.get("timestamp")),
        imported_id=one_line(f"{session}:{words(row.get('uuid'))}"),
    )


# Memories copied out of ChatGPT's settings as text: `[2025-05-01] - Prefers tea.` a line.


_LINE = re.compile(r"\s*(?:[-*•]\s*)?\[?(\d{4}-\d\d-\d\d)\]?\s*(?:[-–—:]\s*)(\S.*)")


def is_pasted(text: str) -> bool:
    """Whether most lines of a text are dated memories."""
    lines = [line for line in text.splitlines() if line.strip()]
    return bool(lines) and 2 * sum(_LINE.match(line) is not None for line in lines) > len(lines)


def read_pasted(parcel: ArchiveFile, name: str) -> Iterator[Draft]:
    """A memory for each dated line; what follows without a date belongs to it."""
    dated: list[tuple[str, str]] = []
    for line in parcel.text(name).splitlines():
        if found := _LINE.match(line):
            dated.append((found[1], found[2].strip()))
        elif line.strip() and dated:
            day, text = dated[-1]
            dated[-1] = (day, f"{text}\n{line.strip()}")
    for day, text in dated:
        yield Draft(text, created=time(day), tags=("chatgpt",))
