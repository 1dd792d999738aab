"""Letta's agent files: memory blocks, and the messages that an agent had.

Tools, their code and their environment are never looked at.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime

from ...model.errors import BadInput, BadScope
from ...model.memory import Draft
from ...model.results import LeftOut
from ...model.scope import Scope
from ...notes.exchange import FORMAT, VERSION, as_draft, is_history, of_fields
from .archive_file import damaged
from .fields import SPEAKERS, Said, drafts, labels, listed, mapping, one_line, time, words
from .streaming import elements, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .archive_file import ArchiveFile


def is_letta(first: Any) -> bool:
    """Whether a file that begins so is Letta's."""
    return isinstance(first, set) and first <= {"agents", "groups", "blocks"}


def read_letta(parcel: ArchiveFile, name: str) -> Iterator[Draft | LeftOut]:
    """The blocks, then each agent's conversation."""
    try:
        whole = mapping(json.loads(parcel.text(name)))
    except (ValueError, RecursionError) as error:
        raise damaged(parcel, name, "its JSON is broken off or garbled") from error
    if not {"agents", "blocks"} & whole.keys():
        raise damaged(parcel, name, "it has neither agents nor blocks")
    for one in listed(whole.get("blocks")):
        yield _block(mapping(one))
    for number, one in enumerate(listed(whole.get("agents"))):
        agent = mapping(one)
        called = words(agent.get("id")) or f"agent-{number}"
        messages = (mapping(message) for message in listed(agent.get("messages")))
        turns = [_turn(message) for message in messages if message.get("role") in SPEAKERS]
        yield from drafts(called, turns, tag="letta")


def _block(block: dict[str, Any]) -> Draft | LeftOut:
    text = words(block.get("value"))
    if not text:
        return LeftOut("A block without text.")
    label = one_line(block.get("label"))
    return Draft(
        text, title=label or "", tags=("letta",), imported_id=one_line(block.get("id")) or label
    )


def _turn(message: dict[str, Any]) -> Said:
    content = message.get("content")
    if not isinstance(content, str):
        blocks = (mapping(block) for block in listed(content))
        parts = (words(block.get("text")) for block in blocks if block.get("type") == "text")
        content = "\n".join(part for part in parts if part)
    return Said(
        words(message.get("role")), content, time(message.get("created_at")),
        words(message.get("id")),
    )  # fmt: skip


# The reference memory server of MCP: entities with observations, and relations between them.


def is_mcp_memory(first: Any) -> bool:
    """Whether a file that begins so is one of that server's."""
    return mapping(first).get("type") in ("entity", "relation")


def read_mcp_memory(parcel: ArchiveFile, name: str) -> Iterator[Draft | LeftOut]:
    """Entities with what they are related to; damaged lines are left out, as the server does."""
    related = _relations(parcel, name)
    known: set[str] = set()
    for one in lines(parcel, name):
        entity = mapping(one)
        if not entity:
            yield LeftOut("A line that is no JSON.")
        elif entity.get("type") == "entity":
            called = one_line(entity.get("name") or entity.get("entityName") or entity.get("id"))
            if called is None:
                yield LeftOut("An entity without a name.")
                continue
            known.add(called)
            yield _mcp_draft(called, entity, related.get(called, []))
    for called in related.keys() - known:
        yield _mcp_draft(called, {}, related[called])


def _mcp_draft(called: str, entity: dict[str, Any], related: list[str]) -> Draft:
    kind = one_line(entity.get("entityType"))
    said = [f"{called} ({kind})" if kind else called]
    said += [f"- {text}" for one in listed(entity.get("observations")) if (text := words(one))]
    return Draft(
        "\n".join([*said, *related]),
        title=called,
        tags=labels(kind),
        imported_id=one_line(f"entity:{called}"),
    )


def _relations(parcel: ArchiveFile, name: str) -> dict[str, list[str]]:
    """Lines that say what each entity is related to, with links."""
    found: dict[str, list[str]] = {}
    for one in lines(parcel, name):
        said = mapping(one)
        if said.get("type") != "relation":
            continue
        origin = one_line(said.get("from") or said.get("from_id"))
        target = one_line(said.get("to") or said.get("to_id"))
        how = one_line(said.get("relationType") or said.get("relation_type")) or "is related to"
        if origin and target:
            line = f"- {how.replace('_', ' ')} [[{_linkable(target)}]]"
            found.setdefault(origin, []).append(line)
    return {origin: list(dict.fromkeys(links)) for origin, links in found.items()}


def _linkable(name: str) -> str:
    return "".join(" " if c in "[]|#^" else c for c in name).strip()


# What mem0's `get_all()` returns, saved as JSON: one memory per result.


_TEXT = ("memory", "data", "text")


def is_mem0(first: Any) -> bool:
    """Whether a file that begins so is one of mem0's."""
    if isinstance(first, set):
        return first == {"results"}
    return "memory" in mapping(first)


def read_mem0(parcel: ArchiveFile, name: str) -> Iterator[Draft | LeftOut]:
    """Every memory, in the scope of its user and agent."""
    by_line = name.lower().endswith((".jsonl", ".ndjson"))
    for one in lines(parcel, name) if by_line else elements(parcel, name, under=("results",)):
        said = mapping(one)
        if not said:
            raise damaged(parcel, name, "something in it is no memory of mem0")
        text = next((text for key in _TEXT if (text := words(said.get(key)))), "")
        yield _mem0_draft(text, said) if text else LeftOut("A memory without text.")


def _mem0_draft(text: str, said: dict[str, Any]) -> Draft:
    extra = mapping(said.get("metadata"))
    return Draft(
        text,
        scope=_scope(said),
        tags=labels(extra.get("categories") or said.get("categories")),
        topic=one_line(extra.get("topic") or extra.get("category")),
        created=time(said.get("created_at")),
        expires=time(said.get("expiration_date")),
        imported_id=one_line(said.get("id")),
    )


def _scope(said: dict[str, Any]) -> Scope | None:
    named = (("user", said.get("user_id")), ("agent", said.get("agent_id")))
    pairs = tuple((dimension, value) for dimension, one in named if (value := one_line(one)))
    if not pairs:
        return None
    try:
        return Scope(pairs)
    except BadScope:
        # A name with a slash in it; better apart under another name than together.
        safe = ((d, v.replace("/", "-").replace("\\", "-")[:100].strip(" .")) for d, v in pairs)
        return Scope(tuple((d, v or "unnamed") for d, v in safe))


# What `export` wrote: lines or a document of JSON; also a plain list of texts.


HISTORY = "An old version, or something that waits for a decision: `move` and `backup` keep those."


def is_own(first: Any) -> bool:
    """Whether a file that begins so is one of ours."""
    if isinstance(first, set):
        return first <= {"format", "memories"}
    return isinstance(first, str) or {"format", "content"} & mapping(first).keys() != set()


def read_own(parcel: ArchiveFile, name: str) -> Iterator[Draft | LeftOut]:
    """Every memory in use; a line that is none makes the whole file a damaged one."""
    now = datetime.now(UTC)
    by_line = name.lower().endswith((".jsonl", ".ndjson"))
    found = lines(parcel, name) if by_line else elements(parcel, name, under=("memories",))
    for number, one in enumerate(found, 1):
        if number == 1 and mapping(one).get("format") == FORMAT:
            _require_known(parcel, one)
            continue
        try:
            memory = of_fields(one, now=now)
        except (ValueError, TypeError, KeyError, AttributeError, BadInput) as error:
            raise damaged(parcel, name, f"number {number} in it is no memory") from error
        if is_history(memory):
            yield LeftOut(HISTORY)
        else:
            draft = as_draft(memory)
            # Without a scope of its own it goes where whoever imports it is at home.
            yield draft if "scope" in mapping(one) else draft.but(scope=None)


def _require_known(parcel: ArchiveFile, head: Any) -> None:
    if head.get("version") != VERSION:
        raise BadInput(
            f"{parcel.name} was exported by a newer Commonplace.", hint="Upgrade Commonplace."
        )
