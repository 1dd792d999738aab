"""What a host says when something happens in a session, in the one form that we work with.

Fields that we do not know are passed over, and so are events: hosts add both all the time.
"""

from __future__ import annotations

import zlib

from ...model.quick_json import parsed
from ...model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
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
}  # fmt: skip
"""Each host's names for the four moments that matter to a memory."""
HOSTS = tuple(MOMENTS)

_SESSION = ("conversation_id", "session_id", "sessionId")
_TEXT = {
    PROMPT: ("prompt",),
    TURN: ("last_assistant_message", "prompt_response", "text"),
}
_TURN_ID = ("turn_id", "prompt_id", "generation_id")
_SOURCE = ("source", "reason")


class HookEvent(Value):
    """Something that happened in a session of a host."""

    host: str
    name: str
    """As the host calls it."""
    moment: str
    """start, prompt, turn or end."""
    session: str
    cwd: str = ""
    text: str = ""
    """What was asked, or answered."""
    source: str = ""
    """What a session started from, or ended by."""
    key: str = ""
    """Tells this event from others of its kind; the same when one event is told twice."""
    lasting: bool = False
    """Whether the key is the host's own, so that no later event can have the same."""


def read(host: str, name: str, said: bytes) -> HookEvent | None:
    """The event that a host tells of; None for anything that does not concern us.

    Some hosts name the event in what they say, with others it stands in the command.
    """
    told = _told(said)
    name = _first(told, "hook_event_name") or name
    moment = MOMENTS.get(host, {}).get(name)
    session = _first(told, *_SESSION)
    if moment is None or not session:
        return None
    text = _first(told, *_TEXT.get(moment, ()))
    source = _first(told, *_SOURCE)
    turn = _first(told, *_TURN_ID)
    return HookEvent(
        host=host,
        name=name,
        moment=moment,
        session=session,
        cwd=_first(told, "cwd") or _root(told),
        text=text,
        source=source,
        key=f"{moment}:{_mark(turn + source + text)}",
        lasting=bool(turn),
    )


def _told(said: bytes) -> Mapping[str, Any]:
    try:
        given: Any = parsed(said)
    except (ValueError, RecursionError):
        return {}
    return given if isinstance(given, dict) else {}  # pyright: ignore[reportUnknownVariableType]


def _first(told: Mapping[str, Any], *names: str) -> str:
    """The first of these fields that holds text."""
    for name in names:
        if isinstance(value := told.get(name), str) and value:
            return value
    return ""


def _root(told: Mapping[str, Any]) -> str:
    roots: Any = told.get("workspace_roots")
    if not isinstance(roots, list) or not roots:
        return ""
    first: Any = roots[0]  # pyright: ignore[reportUnknownVariableType]
    return first if isinstance(first, str) else ""


def _mark(text: str) -> str:
    return f"{zlib.crc32(text.encode('utf-8', 'surrogatepass')):08x}{len(text):x}"


# What each host takes as context, exactly: a field too many and some refuse the whole answer.


MOST_CHARACTERS = 7_900
MOST_TOKENS = 2_400
"""Beyond 10,000 characters (Claude Code) or 2,500 tokens (Codex), context goes into a file."""

TAKES: Mapping[str, tuple[str, ...]] = {
    "claude": (START, PROMPT),
    "codex": (START, PROMPT),
    "gemini": (START, PROMPT),
    "copilot": (START,),
    "cursor": (START,),
}
"""When a host takes context from a hook; at other times it drops, or stumbles over, an answer."""


def takes(event: HookEvent) -> bool:
    """Whether the host takes context at this moment."""
    return event.moment in TAKES[event.host]


def render(event: HookEvent, context: str) -> bytes:
    """The answer to an event, in plain ASCII; nothing when there is nothing to say."""
    if not context or not takes(event):
        return b""
    import json

    return json.dumps(_RENDERERS[event.host](event, context)).encode("ascii")


def _claude(event: HookEvent, context: str) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": context}}


def _codex(event: HookEvent, context: str) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": context}}


def _gemini(event: HookEvent, context: str) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": context}}


def _copilot(event: HookEvent, context: str) -> dict[str, Any]:
    return {"additionalContext": context}


def _cursor(event: HookEvent, context: str) -> dict[str, Any]:
    return {"additional_context": context}


_RENDERERS: Mapping[str, Callable[[HookEvent, str], dict[str, Any]]] = {
    "claude": _claude,
    "codex": _codex,
    "gemini": _gemini,
    "copilot": _copilot,
    "cursor": _cursor,
}
