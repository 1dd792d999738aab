"""Memories exported by Letta, the MCP memory server, mem0, ChatGPT and Commonplace itself."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime

from ...model.errors import BadInput
from ...model.memory import Draft
from ...model.results import LeftOut
from ...notes.exchange import FORMAT, VERSION, is_history, memory_from_fields, to_draft
from .archive_file import damaged_error
from .conversations import SPEAKERS, ImportedTurn, turn_drafts
from .json_reader import (
    as_labels,
    as_line,
    as_list,
    as_mapping,
    as_text,
    as_time,
    json_lines,
    list_elements,
)
from .scopes import safe_scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .archive_file import ArchiveFile


_DATED_LINE = re.compile(r"\s*(?:[-*•]\s*)?\[?(\d{4}-\d\d-\d\d)\]?\s*(?:[-–—:]\s*)(\S.*)")
"""A memory copied from ChatGPT's settings: `[2025-05-01] - Prefers tea.`"""


def is_chatgpt_memories(text: str) -> bool:
    """Whether most lines of a text are dated memories, copied from ChatGPT's settings."""
    lines = [line for line in text.splitlines() if line.strip()]
    return bool(lines) and 2 * sum(_DATED_LINE.match(line) is not None for line in lines) > len(
        lines
    )


def read_chatgpt_memories(archive: ArchiveFile, name: str) -> Iterator[Draft]:
    """One memory per dated line, together with the undated lines that follow."""
    dated: list[tuple[str, str]] = []
    for line in archive.text(name).splitlines():
        if found := _DATED_LINE.match(line):
            dated.append((found[1], found[2].strip()))
        elif line.strip() and dated:
            day, text = dated[-1]
            dated[-1] = (day, f"{text}\n{line.strip()}")
    for day, text in dated:
        yield Draft(text, created=as_time(day), tags=("chatgpt",))


# Letta: agent files with memory blocks and messages.


def is_letta(first: Any) -> bool:
    """Whether the first entry is from an agent file of Letta."""
    return isinstance(first, set) and first <= {"agents", "groups", "blocks"}


def read_letta(archive: ArchiveFile, name: str) -> Iterator[Draft | LeftOut]:
    """The memory blocks, then the messages of each agent; tools and their code are not read."""
    try:
        whole = as_mapping(json.loads(archive.text(name)))
    except (ValueError, RecursionError) as error:
        raise damaged_error(archive, name, "its JSON is truncated or malformed") from error
    if not {"agents", "blocks"} & whole.keys():
        raise damaged_error(archive, name, "it has neither agents nor blocks")
    for one in as_list(whole.get("blocks")):
        yield _block(as_mapping(one))
    for number, one in enumerate(as_list(whole.get("agents"))):
        agent = as_mapping(one)
        called = as_text(agent.get("id")) or f"agent-{number}"
        messages = (as_mapping(message) for message in as_list(agent.get("messages")))
        turns = [_turn(message) for message in messages if message.get("role") in SPEAKERS]
        yield from turn_drafts(called, turns, tag="letta")


def _block(block: dict[str, Any]) -> Draft | LeftOut:
    text = as_text(block.get("value"))
    if not text:
        return LeftOut("A block without text.")
    label = as_line(block.get("label"))
    return Draft(
        text, title=label or "", tags=("letta",), imported_id=as_line(block.get("id")) or label
    )


def _turn(message: dict[str, Any]) -> ImportedTurn:
    content = _reply(message) or message.get("content")
    if not isinstance(content, str):
        blocks = (as_mapping(block) for block in as_list(content))
        parts = (as_text(block.get("text")) for block in blocks if block.get("type") == "text")
        content = "\n".join(part for part in parts if part)
    return ImportedTurn(
        as_text(message.get("role")), content, as_time(message.get("created_at")),
        as_text(message.get("id")),
    )  # fmt: skip


def _reply(message: dict[str, Any]) -> str:
    """The words that an agent sent by its tool `send_message`; its content is then a thought."""
    said: list[str] = []
    for call in as_list(message.get("tool_calls")):
        function = as_mapping(as_mapping(call).get("function"))
        arguments = function.get("arguments")
        if function.get("name") != "send_message":
            continue
        try:
            given = json.loads(arguments) if isinstance(arguments, str) else arguments
        except (ValueError, RecursionError):
            continue
        said.append(as_text(as_mapping(given).get("message")))
    return "\n".join(text for text in said if text)


# The reference memory server of MCP: entities with observations, and relations.


def is_mcp_memory(first: Any) -> bool:
    """Whether the first entry is from the MCP memory server."""
    return as_mapping(first).get("type") in ("entity", "relation")


def read_mcp_memory(archive: ArchiveFile, name: str) -> Iterator[Draft | LeftOut]:
    """One memory per entity, with its relations; malformed lines are left out."""
    related = _relations(archive, name)
    known: set[str] = set()
    for one in json_lines(archive, name):
        entity = as_mapping(one)
        if not entity:
            yield LeftOut("A malformed line.")
        elif entity.get("type") == "entity":
            called = as_line(entity.get("name") or entity.get("entityName") or entity.get("id"))
            if called is None:
                yield LeftOut("An entity without a name.")
                continue
            known.add(called)
            yield _mcp_draft(called, entity, related.get(called, []))
    for called in related.keys() - known:
        yield _mcp_draft(called, {}, related[called])


def _mcp_draft(called: str, entity: dict[str, Any], related: list[str]) -> Draft:
    kind = as_line(entity.get("entityType"))
    said = [f"{called} ({kind})" if kind else called]
    said += [f"- {text}" for one in as_list(entity.get("observations")) if (text := as_text(one))]
    return Draft(
        "\n".join([*said, *related]),
        title=called,
        tags=as_labels(kind),
        imported_id=as_line(f"entity:{called}"),
    )


def _relations(archive: ArchiveFile, name: str) -> dict[str, list[str]]:
    """The relations of each entity as lines with links."""
    found: dict[str, list[str]] = {}
    for one in json_lines(archive, name):
        said = as_mapping(one)
        if said.get("type") != "relation":
            continue
        origin = as_line(said.get("from") or said.get("from_id"))
        target = as_line(said.get("to") or said.get("to_id"))
        how = as_line(said.get("relationType") or said.get("relation_type")) or "is related to"
        if origin and target:
            line = f"- {how.replace('_', ' ')} [[{_linkable(target)}]]"
            found.setdefault(origin, []).append(line)
    return {origin: list(dict.fromkeys(links)) for origin, links in found.items()}


def _linkable(name: str) -> str:
    return "".join(" " if c in "[]|#^" else c for c in name).strip()


# mem0: the result of `get_all()` as JSON.


_TEXT = ("memory", "data", "text")


def is_mem0(first: Any) -> bool:
    """Whether the first entry is from mem0."""
    if isinstance(first, set):
        return first == {"results"}
    return "memory" in as_mapping(first)


def read_mem0(archive: ArchiveFile, name: str) -> Iterator[Draft | LeftOut]:
    """One memory per result, in the scope of its user and agent."""
    by_line = name.lower().endswith((".jsonl", ".ndjson"))
    for one in (
        json_lines(archive, name) if by_line else list_elements(archive, name, under=("results",))
    ):
        said = as_mapping(one)
        if not said:
            raise damaged_error(archive, name, "an entry is not a memory of mem0")
        text = next((text for key in _TEXT if (text := as_text(said.get(key)))), "")
        yield _mem0_draft(text, said) if text else LeftOut("A memory without text.")


def _mem0_draft(text: str, said: dict[str, Any]) -> Draft:
    extra = as_mapping(said.get("metadata"))
    return Draft(
        text,
        scope=safe_scope(("user", said.get("user_id")), ("agent", said.get("agent_id"))),
        tags=as_labels(extra.get("categories") or said.get("categories")),
        topic=as_line(extra.get("topic") or extra.get("category")),
        created=as_time(said.get("created_at")),
        expires=as_time(said.get("expiration_date")),
        imported_id=as_line(said.get("id")),
    )


# Commonplace: files of `export`, or a plain list of texts.


HISTORY = "An old version or a pending decision: only `move` and `backup` keep those."


def is_commonplace(first: Any) -> bool:
    """Whether the first entry is from an export of Commonplace."""
    if isinstance(first, set):
        return first <= {"format", "memories"}
    return isinstance(first, str) or {"format", "content"} & as_mapping(first).keys() != set()


def read_commonplace(archive: ArchiveFile, name: str) -> Iterator[Draft | LeftOut]:
    """Every live memory; an entry that is no memory makes the file damaged."""
    now = datetime.now(UTC)
    by_line = name.lower().endswith((".jsonl", ".ndjson"))
    found = (
        json_lines(archive, name) if by_line else list_elements(archive, name, under=("memories",))
    )
    for number, one in enumerate(found, 1):
        if number == 1 and as_mapping(one).get("format") == FORMAT:
            _require_known_version(archive, one)
            continue
        try:
            memory = memory_from_fields(one, now=now)
        except (ValueError, TypeError, KeyError, AttributeError, BadInput) as error:
            raise damaged_error(archive, name, f"entry {number} is not a memory") from error
        if is_history(memory):
            yield LeftOut(HISTORY)
        else:
            draft = to_draft(memory)
            # Without a scope the memory goes to the default scope of the importing caller.
            yield draft if "scope" in as_mapping(one) else draft.but(scope=None)


def _require_known_version(archive: ArchiveFile, head: Any) -> None:
    if head.get("version") != VERSION:
        raise BadInput(
            f"{archive.name} was exported by a newer Commonplace.", hint="Upgrade Commonplace."
        )
