"""What hosts accept as an answer, as strictly as they say they are.

Codex publishes a schema for each event; these say the same in our own words. Claude Code is asked
itself, in `test_claude_code.py`. The others document their fields.
"""

from __future__ import annotations

from typing import Any

import jsonschema

TEXT = {"type": "string", "maxLength": 7_999}


def closed(required: str, **properties: Any) -> dict[str, Any]:
    """An object with these properties and no others."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": [required],
        "properties": properties,
    }


def nested(event: str) -> dict[str, Any]:
    """Context inside `hookSpecificOutput`, beside fields that every event may have."""
    inner = closed("hookEventName", hookEventName={"const": event}, additionalContext=TEXT)
    flags = {name: {"type": "boolean"} for name in ("continue", "suppressOutput")}
    texts = {name: {"type": "string"} for name in ("stopReason", "systemMessage")}
    return closed("hookSpecificOutput", hookSpecificOutput=inner, **flags, **texts)


ACCEPTED: dict[tuple[str, str], dict[str, Any]] = {
    ("claude", "SessionStart"): nested("SessionStart"),
    ("claude", "UserPromptSubmit"): nested("UserPromptSubmit"),
    ("codex", "SessionStart"): nested("SessionStart"),
    ("codex", "UserPromptSubmit"): nested("UserPromptSubmit"),
    ("gemini", "SessionStart"): nested("SessionStart"),
    ("gemini", "BeforeAgent"): nested("BeforeAgent"),
    ("copilot", "sessionStart"): closed("additionalContext", additionalContext=TEXT),
    ("opencode", "session.created"): closed("additionalContext", additionalContext=TEXT),
    ("opencode", "chat.message"): closed("additionalContext", additionalContext=TEXT),
    ("cursor", "sessionStart"): closed(
        "additional_context", additional_context=TEXT, env={"type": "object"}
    ),
}
"""Where an answer is taken, and in what form; at every other event there must be none."""


def check(host: str, event: str, answer: Any) -> None:
    """Raise when the host would refuse the answer."""
    jsonschema.Draft7Validator(ACCEPTED[host, event]).validate(answer)
