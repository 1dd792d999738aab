"""Read the events of all hosts into one form, and render the answers as each host takes them.

Unknown fields and events are ignored, since hosts add both all the time.
"""

from __future__ import annotations

import zlib

from ...model.quick_json import parse_json, write_json
from ...model.value import Value
from ...rules.session_ids import storable_session_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


START, PROMPT, TURN, END = "start", "prompt", "turn", "end"

_LIKE_CLAUDE = {
    "SessionStart": START, "UserPromptSubmit": PROMPT, "Stop": TURN, "SessionEnd": END,
}  # fmt: skip
MOMENTS: Mapping[str, Mapping[str, str]] = {
    "claude": _LIKE_CLAUDE,
    "codex": _LIKE_CLAUDE,
    "gemini": {
        "SessionStart": START, "BeforeAgent": PROMPT, "AfterAgent": TURN, "SessionEnd": END,
    },
    "copilot": {
        **_LIKE_CLAUDE,
        "sessionStart": START, "userPromptSubmitted": PROMPT, "agentStop": TURN, "sessionEnd": END,
    },
    "cursor": {
        "sessionStart": START, "beforeSubmitPrompt": PROMPT, "afterAgentResponse": TURN,
        "sessionEnd": END,
    },
    "opencode": {
        "session.created": START, "chat.message": PROMPT, "session.idle": TURN, "dispose": END,
    },
}  # fmt: skip
"""Each host's names for the four events that hooks handle."""
HOSTS = tuple(MOMENTS)

_SESSION = ("conversation_id", "session_id", "sessionId")
_TEXT = {
    PROMPT: ("prompt",),
    TURN: ("last_assistant_message", "prompt_response", "text"),
}
_TURN_ID = ("turn_id", "prompt_id", "generation_id")
_SOURCE = ("source", "reason")


class HookEvent(Value):
    """An event in a host's session."""

    host: str
    name: str
    """The host's name of the event."""
    moment: str
    """start, prompt, turn or end."""
    session: str
    cwd: str = ""
    text: str = ""
    """The prompt, or the agent's answer."""
    source: str = ""
    """Why the session started or ended, as the host says it."""
    key: str = ""
    """Identifies the event; equal if the host reports one event twice."""
    has_host_id: bool = False
    """Whether the key contains an id of the host, so that it is never used again."""


def read_event(host: str, name: str, said: bytes) -> HookEvent | None:
    """The event that a host reports; None if hooks do not handle it.

    Some hosts name the event in the JSON, others in the command.
    """
    fields = _fields(said)
    name = _first(fields, "hook_event_name") or name
    moment = MOMENTS.get(host, {}).get(name)
    session = _first(fields, *_SESSION)
    if moment is None or not session:
        return None
    text = _first(fields, *_TEXT.get(moment, ()))
    source = _first(fields, *_SOURCE)
    turn = _first(fields, *_TURN_ID)
    return HookEvent(
        host=host,
        name=name,
        moment=moment,
        session=storable_session_id(session),
        cwd=_first(fields, "cwd") or _workspace_root(fields),
        text=text,
        source=source,
        key=f"{moment}:{_checksum(turn + source + text)}",
        has_host_id=bool(turn),
    )


def _fields(said: bytes) -> Mapping[str, Any]:
    try:
        given: Any = parse_json(said)
    except (ValueError, RecursionError):
        return {}
    return given if isinstance(given, dict) else {}  # pyright: ignore[reportUnknownVariableType]


def _first(fields: Mapping[str, Any], *names: str) -> str:
    """The first of these fields that contains text."""
    for name in names:
        if isinstance(value := fields.get(name), str) and value:
            return value
    return ""


def _workspace_root(fields: Mapping[str, Any]) -> str:
    roots: Any = fields.get("workspace_roots")
    if not isinstance(roots, list) or not roots:
        return ""
    first: Any = roots[0]  # pyright: ignore[reportUnknownVariableType]
    return first if isinstance(first, str) else ""


def _checksum(text: str) -> str:
    return f"{zlib.crc32(text.encode('utf-8', 'surrogatepass')):08x}{len(text):x}"


MOST_CHARACTERS = 7_900
MOST_TOKENS = 2_400
"""Beyond 10,000 characters (Claude Code) or 2,500 tokens (Codex), hosts move context to a file."""

CONTEXT_MOMENTS: Mapping[str, tuple[str, ...]] = {
    "claude": (START, PROMPT),
    "codex": (START, PROMPT),
    "gemini": (START, PROMPT),
    "copilot": (START,),
    "cursor": (START,),
    "opencode": (START, PROMPT),
}
"""When a host takes context from a hook; at other times it drops, or fails on, an answer."""
_FLAT_FIELDS = {
    "copilot": "additionalContext", "cursor": "additional_context", "opencode": "additionalContext",
}  # fmt: skip
"""Hosts that take the context in one field; the others take it in a hookSpecificOutput."""


def takes_context(event: HookEvent) -> bool:
    """Whether the host takes context at this event."""
    return event.moment in CONTEXT_MOMENTS[event.host]


def render_answer(event: HookEvent, context: str) -> bytes:
    """The answer to an event in ASCII JSON, empty without context.

    It has no further field: some hosts refuse an answer with an unknown one.
    """
    if not context or not takes_context(event):
        return b""
    if field := _FLAT_FIELDS.get(event.host):
        answer: dict[str, Any] = {field: context}
    else:
        specific = {"hookEventName": event.name, "additionalContext": context}
        answer = {"hookSpecificOutput": specific}
    return write_json(answer).encode("ascii")
