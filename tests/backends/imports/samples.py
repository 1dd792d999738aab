"""Small files in the shapes that other programs write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def lines(*rows: Any) -> str:
    return "".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows)


MCP_MEMORY = lines(
    {"type": "entity", "name": "Ada", "entityType": "person",
     "observations": ["prefers tea", "builds engines"]},
    {"type": "relation", "from": "Ada", "to": "Analytical Engine", "relationType": "works_on"},
    "{ torn",
    {"type": "entity", "name": "Analytical Engine", "entityType": "machine", "observations": []},
)  # fmt: skip

MEM0 = json.dumps({
    "results": [
        {"id": "0b1", "memory": "Likes to cycle to work", "hash": "x", "metadata": None,
         "created_at": "2025-03-01T08:00:00-08:00", "updated_at": None, "user_id": "alex"},
        {"id": "0b2", "memory": "Is allergic to peanuts", "metadata": {"categories": ["health"]},
         "created_at": "2025-03-02T08:00:00Z", "user_id": "kim", "agent_id": "cook/2"},
        {"id": "0b3", "memory": "  "},
    ]
})  # fmt: skip


def node(
    id: str, parent: str | None, role: str = "", text: Any = "", **more: Any
) -> dict[str, Any]:
    message = {
        "id": id, "author": {"role": role}, "create_time": 1_700_000_000.5, "weight": 1.0,
        "content": {"content_type": "text", "parts": [text]}, "metadata": {}, **more,
    }  # fmt: skip
    return {"id": id, "parent": parent, "children": [], "message": message if role else None}


_TREE = [
    node("root", None),
    node("hidden", "root", "system", "You are ChatGPT"),
    node("q", "hidden", "user", "How do I prune roses?"),
    node("old", "q", "assistant", "An answer that was thrown away"),
    node("new", "q", "assistant", {"text": "Cut above an outward bud."}),
    node("meta", "new", "user", "instructions",
         metadata={"is_visually_hidden_from_conversation": True}),
    node("tool", "meta", "tool", "search results"),
    node("thanks", "tool", "user", "Thanks, in March then."),
]  # fmt: skip
CHATGPT = json.dumps([
    {"conversation_id": "c-1", "title": "Roses", "create_time": 1.0, "current_node": "thanks",
     "mapping": {one["id"]: one for one in _TREE}},
    {"id": "c-2", "title": "Empty", "current_node": None, "mapping": {}},
])  # fmt: skip

CLAUDE = json.dumps([
    {"uuid": "k-1", "name": "Bread", "created_at": "2025-01-01T00:00:00Z",
     "chat_messages": [
         {"uuid": "m-1", "sender": "human", "text": "How long does dough rest?",
          "content": [{"type": "text", "text": "How long does dough rest?"}],
          "created_at": "2025-01-01T00:00:01Z", "attachments": [{"extracted_content": "secret"}]},
         {"uuid": "m-2", "sender": "assistant", "text": "", "created_at": "2025-01-01T00:00:02Z",
          "content": [{"type": "tool_use", "text": "look"}, {"type": "text", "text": "A night."}]},
     ]},
])  # fmt: skip


def row(id: str, parent: str | None, kind: str, content: Any, **more: Any) -> dict[str, Any]:
    return {
        "uuid": id, "parentUuid": parent, "type": kind, "sessionId": "s-1", "cwd": "/home/ada/x",
        "timestamp": "2026-02-03T04:05:06.000Z", "message": {"role": kind, "content": content},
        **more,
    }  # fmt: skip


CLAUDE_CODE = lines(
    {"type": "summary", "summary": "Fixing the build", "leafUuid": "5"},
    row("0", None, "user", "caveat", isMeta=True),
    row("1", "0", "user", "The build fails on Windows"),
    row("2", "1", "assistant", [{"type": "text", "text": "I will look."},
                                {"type": "tool_use", "name": "Bash", "input": {}}]),
    row("3", "2", "user", [{"type": "tool_result", "content": "exit 1"}]),
    row("side", "2", "assistant", "from a subagent", isSidechain=True),
    row("4", "3", "user", "This session is continued from before.", isCompactSummary=True),
    "{ half a li",
    row("5", "4", "assistant", [{"type": "text", "text": "Line endings were the cause."}]),
)  # fmt: skip

LETTA = json.dumps({
    "agents": [
        {"id": "agent-1", "name": "Sam", "system": "You are Sam", "block_ids": ["block-1"],
         "messages": [
             {"id": "m1", "role": "system", "content": "rules"},
             {"id": "m2", "role": "user", "content": [{"type": "text", "text": "I moved to Ghent"}],
              "created_at": "2025-06-01T10:00:00Z"},
             {"id": "m3", "role": "tool", "content": "ok"},
         ]},
    ],
    "groups": [], "files": [], "sources": [],
    "tools": [{"name": "run", "source_code": "import os"}],
    "blocks": [
        {"id": "block-1", "label": "human", "value": "The human is called Chad.", "limit": 5000},
        {"id": "block-2", "label": "empty", "value": ""},
    ],
})  # fmt: skip

PASTED = """\
[2025-05-01] - Prefers window seats.
[2025-05-02] - Has two cats,
  Ada and Grace.
"""

BASIC_NOTE = """\
---
title: Coffee Brewing
type: note
permalink: coffee/brewing
tags: [coffee, brewing]
created: 2025-01-05
---

# Coffee Brewing

- [method] Pour over gives clarity #filter
- relates_to [[Water]]
"""


def basic_memory(folder: Path) -> Path:
    (folder / "coffee").mkdir(parents=True)
    (folder / "coffee" / "Brewing.md").write_text(BASIC_NOTE)
    (folder / "Water.md").write_text("---\npermalink: water\n---\nSoft water is best.\n")
    (folder / "Empty.md").write_text("---\npermalink: empty\n---\n")
    return folder


FILES = {
    "mcp-memory": ("memory.jsonl", MCP_MEMORY),
    "mem0": ("mem0.json", MEM0),
    "chatgpt": ("conversations.json", CHATGPT),
    "claude": ("conversations.json", CLAUDE),
    "claude-code": ("s-1.jsonl", CLAUDE_CODE),
    "letta": ("sam.af", LETTA),
    "chatgpt-memories": ("memories.txt", PASTED),
}
"""A file in each format that is one, by the format's name."""
